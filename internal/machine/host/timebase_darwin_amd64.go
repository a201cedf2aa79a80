package host

// userTimebase returns nil: the page that the kernel shares with every process has no such field on amd64.
func userTimebase() *bool { return nil }
