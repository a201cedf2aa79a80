package files

func checkSystemName(path string) error { return checkWindowsName(path) }
