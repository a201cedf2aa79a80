package program

import (
	"slices"
	"strings"
)

// kept are the variables that a runtime needs to be found and to start. A name that ends in * is a
// prefix.
var kept = []string{
	// Where programs, the home and temporary files are.
	"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
	// The time zone of the user: calls of local time depend on it.
	"TZ", "TZDIR",
	// Where an installation is, and which version its launcher selects.
	"JAVA_HOME", "DOTNET_ROOT*", "PYENV_ROOT", "PYENV_VERSION", "RBENV_ROOT", "RBENV_VERSION",
	"PLENV_ROOT", "PLENV_VERSION", "JENV_ROOT", "JENV_VERSION", "NODENV_ROOT", "NODENV_VERSION",
	"NVM_DIR", "VOLTA_HOME",
	"RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "ASDF_*", "MISE_*", "SDKMAN_DIR",
	// Windows and Wine: system libraries, the search for programs, and folders of the user.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
	"APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES*", "COMMONPROGRAMFILES*", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "OS", "WINE*",
	// The debug output and the race detector of a child that is timebench.
	"TIMEBENCH_DEBUG", "GORACE",
}

// steering are the variables that change what a runtime, a compiler or libc does, in the same form.
var steering = []string{
	// Java: options of every JVM, and of IBM's.
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_JAVAC_OPTIONS", "OPENJ9_JAVA_OPTIONS",
	"IBM_JAVA_OPTIONS", "CLASSPATH",
	"PYTHON*",
	"NODE_*", "UV_*", "DENO_*", "BUN_*",
	"RUBYOPT", "RUBYLIB", "RUBY_*", "GEM_*", "BUNDLE_*",
	"PHPRC", "PHP_*",
	"PERL5*", "PERL_*", "PERLIO*",
	"LUA_*",
	"DOTNET_*", "COMPLUS_*", "CORECLR_*", "MONO_*",
	"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK",
	"RUST_*", "RUSTC*", "RUSTFLAGS",
	// cc: other headers and libraries.
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "REALGCC",
	// The loader and libc. A preloaded library can replace the calls that are measured.
	"LD_*", "DYLD_*", "MALLOC_*", "GLIBC_TUNABLES", "FAKETIME*",
	// A launcher that is a shell script reads this file first.
	"BASH_ENV", "ENV",
}

// Environment returns the part of an environment in which runtimes behave as on any machine: the
// entries of an allow list, and LC_ALL=C, so that messages and numbers are the same in every
// language. cleared are the names of the other variables that would have changed what a runtime
// does. A document should name them, because the user's own programs run with them. All others,
// such as proxies and credentials, are dropped silently. Case does not matter, as on Windows.
func Environment(all []string) (keep, cleared []string) {
	for _, entry := range all {
		name, _, found := strings.Cut(entry, "=")
		switch {
		case !found || name == "": // Windows has entries such as =C:=C:\
		case matches(kept, name):
			keep = append(keep, entry)
		case matches(steering, name):
			cleared = append(cleared, name)
		}
	}
	slices.Sort(cleared)
	return append(keep, "LC_ALL=C"), slices.Compact(cleared)
}

// matches reports whether a list has the name, or a prefix of it.
func matches(list []string, name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(list, func(pattern string) bool {
		prefix, isPrefix := strings.CutSuffix(pattern, "*")
		return name == pattern || isPrefix && strings.HasPrefix(name, prefix)
	})
}
