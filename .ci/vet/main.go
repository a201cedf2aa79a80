// Vet is go vet, but that it reads what the packages import from source. go vet has all of it
// compiled first, anew for each platform: a minute, where this takes seconds.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
