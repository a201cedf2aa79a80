-- The benchmark of Lua's calls, for Lua 5.1 to 5.4 and LuaJIT. timebench runs it as lua bench.lua. The protocol is in
-- ../programs.go.
local compile = loadstring or load

local function call() return 1 end

-- For each name: the expression, the function, and the nanoseconds of a difference of 1.
local calls = {
  ["loop"] = {"1"},
  ["call"] = {"f()", call},
  ["os.time"] = {"f()", os.time, 1e9},
  ["os.clock"] = {"f()", os.clock, 1e9},
}

-- The loop is the fastest of Lua, with the function in a local variable. The sum keeps LuaJIT from
-- removing the call.
for _, c in pairs(calls) do
  c.run = compile("local f = ... return function(n) local sum = 0 for i = 1, n do sum = sum + " .. c[1] .. " end return sum end")(c[2])
end

-- The reads of a block of steps.
local block, values = 1000, {}
for i = 1, block do values[i] = 0 end

-- Lua has no monotonic clock. os.clock is the CPU time of the process, in microseconds. It does not
-- count the time of other programs, so a span of some milliseconds is exact to 0.1 %.
local function stopwatch() return os.clock() * 1e9 end

local sink = 0

local function timed(run, n)
  local begin = stopwatch()
  sink = sink + run(n)
  return stopwatch() - begin
end

-- Lua has no stat(). An open() of a file that does not exist has no effect either.
local function open(path)
  local file = io.open(path, "r")
  if file then file:close() end
end

local verbs = {
  run = function(c, n, slices)
    for _ = 1, slices do io.write(string.format("%.0f ", timed(c.run, n))) end
  end,
  steps = function(c, blocks, most)
    local read, ns, repeats, found = c[2], c[3], 0, 0
    if not ns then
      io.write("missing its value is not a time")
      return
    end
    -- The values are kept as they are, so that the reads follow each other as fast as the call allows.
    local function fill()
      for i = 1, block do values[i] = read() end
    end
    for _ = 1, blocks do
      fill()
      -- A block without a step takes no time here. Otherwise many ticks of os.time() fall between blocks.
      if values[1] == values[block] then
        repeats = repeats + block - 1
      else
        for i = 2, block do
          local step = values[i] - values[i - 1]
          if step == 0 then
            repeats = repeats + 1
          elseif found < most then
            found = found + 1
            io.write(string.format("%.9f ", step * ns))
          end
        end
      end
    end
    io.write(string.format("%d", repeats))
  end,
  mark = function(c, times, number)
    local path = string.format("/timebench-mark/%d", number)
    for _ = 1, times do
      open(path)
      c.run(1)
    end
    open("/timebench-mark/end")
  end,
}

for line in io.lines() do
  local fields = {}
  for field in line:gmatch("[^\t]+") do fields[#fields + 1] = field end
  local c = calls[fields[2]]
  if c then
    verbs[fields[1]](c, tonumber(fields[3]), tonumber(fields[4]))
  else
    io.write("missing no such call")
  end
  io.write("\n")
  io.flush()
end
