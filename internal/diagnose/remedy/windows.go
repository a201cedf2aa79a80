package remedy

// windowsRemedies are for the Windows Time service.
var windowsRemedies = map[string]remedy{
	"w32time-start": {where: (*machine).OnWindows, source: "learn.microsoft.com: Windows Time service tools and settings; sc.exe config",
		advise: func(s *machine) string {
			advice := "If no other program sets the clock, start the service as administrator"
			if isNoSync(s) {
				advice += ", and let it use its NTP servers, or in a domain the domain (domhier)"
			}
			return advice
		},
		command: w32timeCommands,
		risk:    "If the clock is far off, the service steps it. Some programs cannot handle that."},
	"w32time-sync": {where: (*machine).OnWindows, source: "learn.microsoft.com: Windows Time service tools and settings: w32tm /config /syncfromflags, /manualpeerlist",
		advice:  "If no other program sets the clock, let the service use its NTP servers, or in a domain the domain (domhier), as administrator",
		command: w32timeCommands,
		risk:    "If the clock is far off, the service steps it. Some programs cannot handle that."},
}

// w32timeCommands returns the commands that make the Windows Time service synchronise the wall clock. w32tm configures
// only a service that runs.
func w32timeCommands(s *machine) []string {
	service := *s.Host.Windows.W32Time
	disabled, running := service.Start == "disabled", service.State == "running"
	var commands []string
	if disabled && !running {
		commands = append(commands, "sc.exe config w32time start= auto")
	}
	if !running {
		commands = append(commands, "net start w32time")
	}
	switch {
	case isNoSync(s) && service.Servers == "":
		commands = append(commands, `w32tm /config /syncfromflags:manual /manualpeerlist:"time.windows.com,0x9" /update`)
	case isNoSync(s):
		commands = append(commands, "w32tm /config /syncfromflags:manual /update")
	}
	commands = append(commands, "w32tm /resync")
	if disabled || running {
		commands = append(commands, "w32tm /query /status")
	}
	return commands
}

func isNoSync(s *machine) bool { return s.Host.Windows.W32Time.Type == "NoSync" }
