package kernellog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	const text = "tsc: Detected 2596.144 MHz processor"
	const kernel, neither = true, false
	for line, want := range map[string]Message{
		text:                                         {Text: text},
		"  " + text:                                  {Text: "  " + text},
		"[    0.000089] " + text:                     {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"[0.000089] " + text:                         {Text: text, Stamp: "[0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"1346249.931484] " + text:                    {Text: text, Stamp: "1346249.931484]", AtNS: 1346249931484000, Timed: true, Kernel: kernel},
		"[1346249.931484] " + text:                   {Text: text, Stamp: "[1346249.931484]", AtNS: 1346249931484000, Timed: true, Kernel: kernel},
		"<6>[    0.000089] " + text + "\r":           {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"<6>" + text:                                 {Text: text, Kernel: kernel},
		"<30>" + text:                                {Text: text, Program: true},
		"[    0.000089][    T0] " + text:             {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"[    0.000089] [   C12] " + text:            {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"[    C7] " + text:                           {Text: text, Kernel: kernel},
		"[  T123] " + text:                           {Text: text, Kernel: kernel},
		"kern  :info  : [    0.000089] " + text:      {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"daemon:info  : [    0.000089] " + text:      {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel, Program: true},
		"6,160,424069,-;" + text:                     {Text: text, Stamp: "[    0.424069]", AtNS: 424069000, Timed: true, Kernel: kernel},
		"30,160,424069,-,caller=T1;" + text:          {Text: text, Stamp: "[    0.424069]", AtNS: 424069000, Timed: true, Program: true},
		"[Tue Dec  3 09:00:12 2024] " + text:         {Text: text, Stamp: "[Tue Dec  3 09:00:12 2024]", Kernel: kernel},
		"[Dec 3 09:00] " + text:                      {Text: text, Stamp: "[Dec 3 09:00]", Kernel: kernel},
		"[Dec  3 09:00] " + text:                     {Text: text, Stamp: "[Dec  3 09:00]", Kernel: kernel},
		"[Nov27 09:00 +26.911234] " + text:           {Text: text, Stamp: "[Nov27 09:00 +26.911234]", Kernel: kernel},
		"[Nov27 09:00] " + text:                      {Text: text, Stamp: "[Nov27 09:00]", Kernel: kernel},
		"[  +0.000012] " + text:                      {Text: text, Kernel: kernel},
		"[    1.234567 <    0.000012>] " + text:      {Text: text, Kernel: kernel},
		"2024-12-03T09:00:12,500000+00:00 " + text:   {Text: text, Stamp: "2024-12-03T09:00:12,500000+00:00"},
		"Dec  3 09:00:12 db1 kernel: " + text:        {Text: text, Stamp: "Dec  3 09:00:12", Kernel: kernel},
		"Mär 22 07:00:53 db1 kernel: " + text:        {Text: text, Stamp: "Mär 22 07:00:53", Kernel: kernel},
		"févr. 03 07:00:53 db1 kernel: " + text:      {Text: text, Stamp: "févr. 03 07:00:53", Kernel: kernel},
		"3月 22 07:00:53 db1 kernel: " + text:         {Text: text, Stamp: "3月 22 07:00:53", Kernel: kernel},
		"[Mär22 17:07] " + text:                      {Text: text, Stamp: "[Mär22 17:07]", Kernel: kernel},
		"1월 10 02:52:08 db1 kernel: " + text:         {Text: text, Stamp: "1월 10 02:52:08", Kernel: kernel},
		"9 月 16 日 12:00:01 db1 kernel: " + text:      {Text: text, Stamp: "9 月 16 日 12:00:01", Kernel: kernel},
		"16 mars 12:00:01 db1 kernel: " + text:       {Text: text, Stamp: "16 mars 12:00:01", Kernel: kernel},
		"db1 kernel: [    0.000089] " + text:         {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"2019 Mar  3 02:14:55 db1 kernel: " + text:   {Text: text, Stamp: "2019 Mar  3 02:14:55", Kernel: kernel},
		"db1 login: [    0.000089] " + text:          {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"<6>[    0.000089] -(0)[0:swapper/0]" + text: {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"[    0.000089]  (a)[1:swapper/0]" + text:    {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"12:15:59 I0409 12:15:59.052617    7385 vm_console.go:46] SB[vm-1] " + text:               {Text: text},
		"W0409 12:15:59.052617 7385 console.go:46] " + text:                                       {Text: text},
		"May 22 09:48:47 rcu: INFO: rcu_preempt self-detected stall on CPU":                       {Text: "rcu: INFO: rcu_preempt self-detected stall on CPU", Stamp: "May 22 09:48:47"},
		"03:09:07,531 INFO kernel:" + text:                                                        {Text: text, Kernel: kernel},
		"03:09:07,531 INFO journal:" + text:                                                       {Text: text, Program: true},
		"# kernel: " + text:                                                                       {Text: text, Kernel: kernel},
		"// kernel: " + text:                                                                      {Text: text, Kernel: kernel},
		"Sep 11 07:03:06 kernel: " + text:                                                         {Text: text, Stamp: "Sep 11 07:03:06", Kernel: kernel},
		"Dec 3 09:00:12 db1 kernel: " + text:                                                      {Text: text, Stamp: "Dec 3 09:00:12", Kernel: kernel},
		"/var/log/kern.log.1:Dec  3 09:00:12 db1 kernel: " + text:                                 {Text: text, Stamp: "Dec  3 09:00:12", Kernel: kernel},
		"dmesg.txt:12:[    0.000089] " + text:                                                     {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"/var/log/dmesg:" + text:                                                                  {Text: text},
		"Dec  3 09:00:13 10.0.0.1 Dec  3 09:00:12 db1 kernel: " + text:                            {Text: text, Stamp: "Dec  3 09:00:13", Kernel: kernel},
		"Dec  3 09:00:13 relay db1 kern.info kernel: [    0.000089] " + text:                      {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"<4>1 2024-12-03T09:00:12.5Z db1 kernel - - - [    0.000089] " + text:                     {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"1 2024-12-03T09:00:12.5+01:00 db1 kernel - - - " + text:                                  {Text: text, Stamp: "1 2024-12-03T09:00:12.5+01:00", Kernel: kernel},
		"2016-12-21 16:07:49    [    0.000089] " + text:                                           {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"vm-1  | [    0.000089] " + text:                                                          {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"Dec  3 09:00:12 db1 app[7]: [    0.000089] " + text:                                      {Text: "app[7]: [    0.000089] " + text, Stamp: "Dec  3 09:00:12", Program: true},
		"Dec 03 09:00:12.500000 db1 kernel: " + text:                                              {Text: text, Stamp: "Dec 03 09:00:12.500000", Kernel: kernel},
		"Dec 13 09:00:12 db1 kernel: [    0.000089] " + text:                                      {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"Dec 13 09:00:12 db1 kernel: [    0.000089][    T0] " + text:                              {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		"Jan  1 00:00:10 ap kern.info kernel: [   10.000000] " + text:                             {Text: text, Stamp: "[   10.000000]", AtNS: 10e9, Timed: true, Kernel: kernel},
		"2024-12-03T09:00:12.500000+00:00 db1 kernel: " + text:                                    {Text: text, Stamp: "2024-12-03T09:00:12.500000+00:00", Kernel: kernel},
		"2024-12-03T09:00:12Z db1 kernel: " + text:                                                {Text: text, Stamp: "2024-12-03T09:00:12Z", Kernel: kernel},
		"2024-12-03T09:00:12+0000 db1 kernel: " + text:                                            {Text: text, Stamp: "2024-12-03T09:00:12+0000", Kernel: kernel},
		"Tue Mar  8 13:19:34 2022 kern.info kernel: [    0.424069] " + text:                       {Text: text, Stamp: "[    0.424069]", AtNS: 424069000, Timed: true, Kernel: kernel},
		"Tue Mar  8 13:19:34 2022 daemon.info ntpd[3]: " + text:                                   {Text: "ntpd[3]: " + text, Stamp: "Tue Mar  8 13:19:34 2022", Program: true},
		"2021-03-16 11:26:49.126 kernel: " + text:                                                 {Text: text, Stamp: "2021-03-16 11:26:49.126", Kernel: kernel},
		"Tue 2024-12-03 09:00:12 UTC db1 kernel: " + text:                                         {Text: text, Stamp: "Tue 2024-12-03 09:00:12 UTC", Kernel: kernel},
		"1733216412.500000 db1 kernel: " + text:                                                   {Text: text, Stamp: "1733216412.500000", Kernel: kernel},
		"[    1.234567] db1 kernel: " + text:                                                      {Text: text, Stamp: "[    1.234567]", AtNS: 1234567000, Timed: true, Kernel: kernel},
		"kernel: " + text:                                                                         {Text: text, Kernel: kernel},
		"kernel: [   12.000000] " + text:                                                          {Text: text, Stamp: "[   12.000000]", AtNS: 12e9, Timed: true, Kernel: kernel},
		"Sep 11 07:03:06 clocksource: hpet: mask: 0xff":                                           {Text: "clocksource: hpet: mask: 0xff", Stamp: "Sep 11 07:03:06"},
		"Sep 11 07:03:06 rtc-ds1307 1-0068: registered as rtc0":                                   {Text: "rtc-ds1307 1-0068: registered as rtc0", Stamp: "Sep 11 07:03:06"},
		"Sep 11 07:03:06 " + text:                                                                 {Text: text, Stamp: "Sep 11 07:03:06"},
		"Dec  3 09:00:12 db1 systemd[1]: Started.":                                                {Text: "systemd[1]: Started.", Stamp: "Dec  3 09:00:12", Program: true},
		"Dec  3 09:00:12 db1 sudo: root : kernel: x":                                              {Text: "sudo: root : kernel: x", Stamp: "Dec  3 09:00:12", Program: true},
		"[    1.000000] Booting paravirtualized kernel on KVM":                                    {Text: "Booting paravirtualized kernel on KVM", Stamp: "[    1.000000]", AtNS: 1e9, Timed: true, Kernel: kernel},
		"<4>[    0.000000] [Firmware Bug]: TSC ADJUST: x":                                         {Text: "[Firmware Bug]: TSC ADJUST: x", Stamp: "[    0.000000]", Timed: true, Kernel: kernel},
		`{"MESSAGE":"` + text + `","_TRANSPORT":"kernel","_SOURCE_MONOTONIC_TIMESTAMP":"424069"}`: {Text: text, Stamp: "[    0.424069]", AtNS: 424069000, Timed: true, Kernel: kernel},
		`{"MESSAGE":"` + text + `","SYSLOG_IDENTIFIER":"kernel"}`:                                 {Text: text, Kernel: kernel},
		`{"MESSAGE":"` + text + `","_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"x"}`:                {Text: "x: " + text, Program: true},
		`{"MESSAGE":"` + text + `","_TRANSPORT":"syslog","SYSLOG_IDENTIFIER":"x","_PID":"7","__REALTIME_TIMESTAMP":"1646902801123456"}`: {Text: "x[7]: " + text, Stamp: "2022-03-10T09:00:01Z", Program: true},
		"<30>1 2024-12-03T09:00:12.5Z db1 x 7 - - " + text:                                     {Text: "x[7]: " + text, Stamp: "1 2024-12-03T09:00:12.5Z", Program: true},
		`1 2024-12-03T09:00:12.5Z db1 x 7 - [timeQuality tzKnown="1"] ` + text:                 {Text: "x[7]: " + text, Stamp: "1 2024-12-03T09:00:12.5Z", Program: true},
		"2024-12-03T09:00:12.123456789+01:00 stderr F " + text:                                 {Text: text, Stamp: "2024-12-03T09:00:12.123456789+01:00", Program: true},
		"Dec  3 09:00:12 db1 daemon.info x[7]: " + text:                                        {Text: "x[7]: " + text, Stamp: "Dec  3 09:00:12", Program: true},
		`{"@timestamp":"2026-01-01T00:00:00Z","message":"` + text + `","host":{"name":"db1"}}`: {Text: text, Stamp: "2026-01-01T00:00:00Z"},
		`{"labels":{"job":"x"},"line":"[    0.000089] ` + text + `"}`:                          {Text: text, Stamp: "[    0.000089]", AtNS: 89000, Timed: true, Kernel: kernel},
		`{"message":"` + text + `","program":"app"}`:                                           {Text: "app: " + text, Program: true},
		`{"MESSAGE":[1,2]}`: {Text: `{"MESSAGE":[1,2]}`},
		"":                  {},
		"[x] tsc":           {Text: "[x] tsc"},
		"[0] tsc":           {Text: "[0] tsc"},
		"<>x":               {Text: "<>x"},
	} {
		got := Split(line)
		require.Contains(t, line, got.Host)
		got.Host = ""
		require.Equal(t, want, got, line)
	}
}

func TestSplitIsBounded(t *testing.T) {
	many := strings.Repeat("<6>", 100) + "x"
	require.Len(t, Split(many).Text, len(many)-maxPrefixes*len("<6>"))
	require.Len(t, Split("[    1.0] "+strings.Repeat("x", 1<<20)).Text, maxLooked-len("[    1.0] "))
	require.Len(t, Split(`{"_TRANSPORT":"kernel","MESSAGE":"`+strings.Repeat("x", 1<<20)+`"}`).Text, maxLooked)
	require.False(t, concerns("[    1.0] "+strings.Repeat("x", 1<<20)+" clocksource: x"))
	require.Equal(t, int64(largestNS), Split("[999999999999999.0] x").AtNS)
}

func FuzzSplit(f *testing.F) {
	f.Add("Dec  3 09:00:12 db1 kernel: [    0.1] tsc: x")
	f.Add("<6>[ 1.1][ T1] x kernel: \n<")
	f.Add(`[    0.000000] Linux version 6\n[    1.000000] tsc: x [    0.000000] Linux version 7`)
	f.Add("Dec  3 09:00:12 db1 kernel: Linux version 6 2024-12-03T09:00:12Z db1 kernel: x")
	f.Add("\x1b[32m[    0.000000] \x1b[0mx")
	f.Add(`{"MESSAGE":"\u001b[2J","_TRANSPORT":"kernel","_SOURCE_MONOTONIC_TIMESTAMP":"-1"}`)
	f.Fuzz(func(t *testing.T, line string) {
		joined := Lines(line)
		require.NotEmpty(t, joined)
		require.LessOrEqual(t, len(strings.Join(joined, "")), len(line))
		var b boots
		for _, one := range joined {
			b.add(Split(one), 0)
		}
		require.LessOrEqual(t, b.number(), len(joined)+1)
		m := Split(line)
		require.LessOrEqual(t, len(m.Text), 3*len(line))
		require.GreaterOrEqual(t, m.AtNS, int64(0))
		require.True(t, m.Timed || m.AtNS == 0)
		if !strings.HasPrefix(strings.TrimSpace(line), "{") {
			require.Contains(t, line, m.Text)
		}
	})
}

// The stamps of dmesg -H count from the line above.
func TestStampsOfDmesgH(t *testing.T) {
	const jumped = "systemd-journald[48]: Time jumped backwards, rotating."
	var boot LastBoot
	for _, line := range []string{
		"[  +1.000000] " + jumped, "[Nov28 22:21] hv_utils: TimeSync IC version 4.0", "[  +5.000001] usb 1-1: new device", "[  +0.000002] " + jumped, "[ +26.911234] " + jumped,
		"[Nov28 22:22] a", "[  +x.0] a", "[] b", "[",
	} {
		boot.Add(line)
	}
	boot.Finish()
	require.Equal(t, []string{jumped, "[Nov28 22:21] hv_utils: TimeSync IC version 4.0", "[Nov28 22:21 +5.000003] " + jumped,
		"[Nov28 22:21 +31.911237] " + jumped}, boot.Lines)
	at, ok := dateOf("[Nov28 22:21 +31.911237]")
	require.True(t, ok)
	require.Equal(t, "22:21:31.911237", at.Format("15:04:05.000000"))
}
