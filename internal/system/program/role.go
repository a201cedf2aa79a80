package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Entry is the first argument of a process of timebench that has a role. The second one is the name of the role.
const Entry = "role"

// Roles are what processes of timebench do for timebench itself, by name. A role gets the arguments after its name.
type Roles map[string]func(args []string) error

// plays is whether this program calls Main. Other programs would do their usual work in a role, such as all tests.
var plays bool

// Main makes this process play its role and exit, and returns in a process without a role. It must come first in main,
// and in the TestMain of tests that start roles. A role that fails prints its error and exits with status 2.
func Main(roles Roles) {
	plays = true
	if len(os.Args) < 3 || os.Args[1] != Entry {
		return
	}
	name := os.Args[2]
	role, found := roles[name]
	if !found {
		role, found = ownRoles[name]
	}
	if !found {
		fmt.Fprintf(os.Stderr, "unknown role %q; roles are for timebench itself\n", name)
		os.Exit(2)
	}
	if err := role(os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// Role returns the command of a role. A program that cannot be found, or that does not call Main, is an error of its
// start.
func Role(name string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	command := exec.Command(self, append([]string{Entry, name}, args...)...)
	command.Args[0] = os.Args[0]
	if err == nil && !plays {
		err = errors.New("this program has no roles")
	}
	if err != nil {
		command.Err = err
	}
	return command
}
