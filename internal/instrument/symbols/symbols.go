// Package symbols turns addresses of programs into names of functions, as a profiler needs them.
//
// The names come from where perf(1) takes them: the mappings of a process ([ParseMaps]), the symbol
// tables of its files ([FromELF]), the list that a just-in-time compiler writes ([ParsePerfMap]), and the
// symbols of the kernel ([ParseKallsyms]). On Linux, [Process] does this for a running process.
//
// The processes belong to somebody else, and so do their files. Any of them may be made to harm a
// profiler that runs as root. So all that is read has a bound, nothing but regular files is opened,
// and a wrong file costs its names and nothing else.
//
// # Limits
//
// Separate debug files (/usr/lib/debug, debuginfod) and compressed symbol tables (.gnu_debugdata) are
// not read. A stripped program has the names that its dynamic linker needs. Functions that the compiler
// inlined have no name of their own.
package symbols
