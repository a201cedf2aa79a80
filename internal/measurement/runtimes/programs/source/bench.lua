-- The benchmark of Lua's calls, for Lua 5.1 to 5.4 and LuaJIT. timebench runs it as lua bench.lua
-- MODE ARGS... It prints lines of fields with tabs between them.
--
--   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
--   steps MOST MOST_NS NAME...        the differences between consecutive values
--   mark TIMES NAME...                single calls, each after an open() that a tracer recognizes
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
local function runner(name)
  local expression, f = calls[name][1], calls[name][2]
  return compile("local f = ... return function(n) local sum = 0 for i = 1, n do sum = sum + " .. expression .. " end return sum end")(f)
end

-- The reads of a block of steps, and how often the stopwatch is read at most.
local block, between_ns = 1000, 20e6

-- Lua has no monotonic clock. os.clock is the CPU time of the process, in microseconds. It does not
-- count the time of other programs, so a span of some milliseconds is exact to 0.1 %.
local function stopwatch() return os.clock() * 1e9 end

local sink = 0

local function timed(run, n)
  local begin = stopwatch()
  sink = sink + run(n)
  return stopwatch() - begin
end

local function print_line(form, ...) io.write(string.format(form, ...), "\n") end

-- Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
local function first(run)
  local n, begin = 0, stopwatch()
  while true do
    sink = sink + run(100)
    n = n + 100
    local elapsed = stopwatch() - begin
    if elapsed > 0 then return elapsed / n end
  end
end

-- Returns the calls that take a span.
local function calibrated(run, span)
  local n = 1
  while true do
    local elapsed = timed(run, n)
    if elapsed >= span / 2 then -- twice again: the clock may have ticked late
      elapsed = math.min(elapsed, timed(run, n), timed(run, n))
      if elapsed >= span / 2 then return math.max(1, math.floor(n * span / elapsed)) end
    end
    n = n * 2
  end
end

-- Returns the calls that take a span, after a warm-up of 30 ms in small runs, which LuaJIT compiles.
local function warmed(run, span)
  local finish = stopwatch() + math.max(span, 30e6)
  while stopwatch() < finish do run(1000) end
  return calibrated(run, span)
end

local function cost(names, rounds, span)
  local runs, counts = {}, {}
  for i, name in ipairs(names) do
    runs[i] = runner(name)
    print_line("warm\t%s\t%.9f", name, first(runs[i]))
  end
  for i, run in ipairs(runs) do counts[i] = warmed(run, span) end
  for r = 0, rounds - 1 do
    for i = 0, #names - 1 do
      local k = (r + i) % #names + 1
      print_line("cost\t%s\t%.0f\t%.0f", names[k], counts[k], timed(runs[k], counts[k]))
    end
  end
  print_line("sink\t%.0f", sink)
end

local function steps(names, most, most_ns)
  for _, name in ipairs(names) do
    local read, ns = calls[name][2], calls[name][3]
    if ns then
      local found, reads, repeats, values = {}, 0, 0, {}
      for i = 1, block do values[i] = 0 end
      -- The values are kept as they are, so that the reads follow each other as fast as the call allows.
      local function fill()
        for i = 1, block do values[i] = read() end
      end
      for _ = 1, 100 do fill() end -- the warm-up
      -- Reading the CPU time makes the scheduler check whether the time slice has ended. If it were read after each
      -- block, other programs would nearly always run between two blocks, and a tick in their time would be missed.
      local begin, elapsed, blocks, interval, due = stopwatch(), 0, 0, 1, 1
      while #found < most and elapsed < most_ns do
        fill()
        blocks = blocks + 1
        if blocks == due then
          local now = stopwatch() - begin
          if now - elapsed < between_ns then interval = 2 * interval end
          elapsed, due = now, blocks + interval
        end
        reads = reads + block - 1
        -- A block without a step takes no time here. Otherwise many ticks of os.time() fall between blocks.
        if values[1] == values[block] then
          repeats = repeats + block - 1
        else
          for i = 2, block do
            local step = values[i] - values[i - 1]
            if step == 0 then
              repeats = repeats + 1
            elseif #found < most then
              found[#found + 1] = step * ns
            end
          end
        end
      end
      for _, step in ipairs(found) do
        local text = string.format("%.9f", step):gsub("0+$", ""):gsub("%.$", "")
        print_line("step\t%s\t%s", name, text)
      end
      print_line("seen\t%s\t%d\t%d", name, reads, repeats)
    end
  end
end

-- Lua has no stat(). An open() of a file that does not exist has no effect either.
local function mark(name)
  local file = io.open("/timebench-mark/" .. name:gsub("[^%w._-]", "_"), "r")
  if file then file:close() end
end

local function marked(names, times)
  local runs = {}
  for i, name in ipairs(names) do runs[i] = runner(name) end
  mark("start")
  for _, run in ipairs(runs) do run(1) end
  for i, name in ipairs(names) do
    for _ = 1, times do
      mark(name)
      runs[i](1)
    end
  end
  mark("end")
end

local modes = {cost = {2, cost}, steps = {2, steps}, mark = {1, marked}}
local mode = modes[arg[1] or ""]
local many = mode and mode[1] or 0
local numbers, names, valid = {}, {}, mode ~= nil
for i = 2, 1 + many do
  valid = valid and arg[i] ~= nil and arg[i]:find("^[1-9]%d*$") ~= nil
  numbers[i - 1] = tonumber(arg[i])
end
for i = 2 + many, #arg do names[#names + 1] = arg[i] end
if not valid or #names == 0 then
  io.stderr:write("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME...\n")
  os.exit(2)
end
local known = {}
for _, name in ipairs(names) do
  if calls[name] then
    known[#known + 1] = name
  else
    print_line("missing\t%s\tno such call", name)
  end
end
if #known > 0 then mode[2](known, numbers[1], numbers[2]) end
io.write("done\n")
