// Vet runs the checks of go vet, and reads the imported packages from source. go vet compiles them first, for each
// platform: that takes a minute, and this takes seconds.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
