module github.com/timebench/timebench

go 1.26.0

require (
	github.com/agnivade/levenshtein v1.2.2
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/prometheus/procfs v0.23.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sys v0.49.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
