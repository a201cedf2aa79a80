// Package symbols turns addresses of programs into names of functions, as a profiler needs them.
//
// The names come from the sources that perf(1) uses: the mappings of a process ([ParseMaps]), the symbol tables of its
// files ([Names]), the list that a just-in-time compiler writes ([CompiledNames]), and the symbols of the kernel
// ([ParseKallsyms]). On Linux, [Process] combines them for a running process.
//
// The processes belong to other users, and so do their files, which may be made to harm a profiler that runs as root.
// So a file is read once from its beginning to its end, for the addresses to name, and only their names are kept: a
// file of any contents takes little memory. Only regular files are opened, the bytes and the time of reading have a
// bound, and a malformed file costs its names and nothing else.
//
// # Limits
//
// Separate debug files (/usr/lib/debug, debuginfod) and compressed symbol tables (.gnu_debugdata) are not read. A
// stripped program has the names that its dynamic linker needs. Functions that the compiler inlined have no name of
// their own, and functions whose size is 0, as in some assembly, have none.
package symbols
