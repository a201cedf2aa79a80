package runtimes

// pythonLauncher is the launcher of python.org's installer, which is in PATH where python.exe is not.
var pythonLauncher = []string{"py"}
