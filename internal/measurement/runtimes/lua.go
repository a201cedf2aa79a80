package runtimes

import (
	"time"

	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
)

// luaCalls are the only calls that Lua has. There is no monotonic clock, so os.clock times the benchmark.
var luaCalls = []Call{{"os.time", wall}, {"os.clock", cpuTime}}

var (
	lua = Runtime{
		Name: "lua", Programs: []string{"lua", "lua5.4", "lua5.3", "lua5.2", "lua5.1"}, Version: []string{"-v"},
		Build: script("bench.lua", programs.Lua), Calls: luaCalls, TimedBy: cpuTime,
	}
	luajit = Runtime{
		Name: "luajit", Programs: []string{"luajit"}, Version: []string{"-v"}, WarmUp: 30 * time.Millisecond,
		Build: script("bench.lua", programs.Lua), Calls: luaCalls, TimedBy: cpuTime,
	}
)
