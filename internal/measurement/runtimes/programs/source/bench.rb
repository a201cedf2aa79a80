# The benchmark of Ruby's calls. timebench runs it as ruby --disable-gems bench.rb. The protocol is in ../programs.go.

def call
  1
end

# For each name: the expression, and the nanoseconds of a value, or nil if it is not a time. The
# difference of two floats is exact, so it is taken before it is converted.
CALLS = {
  "loop" => ["1", nil],
  "call" => ["call", nil],
  "Time.now" => ["Time.now", ->(t) { t.to_i * 1_000_000_000 + t.nsec }, 1],
  "Process.clock_gettime(CLOCK_REALTIME)" => ["Process.clock_gettime(Process::CLOCK_REALTIME)", ->(t) { t }, 1e9],
  "Process.clock_gettime(CLOCK_MONOTONIC)" => ["Process.clock_gettime(Process::CLOCK_MONOTONIC)", ->(t) { t }, 1e9],
}

# The reads of a block of steps.
BLOCK = 1000

# A while loop is the fastest of Ruby: times and each call a block in each turn.
RUNNERS = CALLS.transform_values { |c| eval "lambda { |n| x = i = 0; while i < n; x = #{c[0]}; i += 1; end; x }" }

# The same for a block of values. It keeps them as they are, so that the reads follow each other as fast
# as the call allows.
READERS = CALLS.transform_values { |c| eval "lambda { |values| i = 0; while i < BLOCK; values[i] = #{c[0]}; i += 1; end }" }

def stopwatch
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

def timed(run, n)
  start = stopwatch
  $sink = run.call(n)
  stopwatch - start
end

def run(name, n, slices)
  Array.new(slices) { timed(RUNNERS[name], n) }
end

def steps(name, blocks, most)
  _, number, ns = CALLS[name]
  return ["missing its value is not a time"] unless number
  values, found, repeats = Array.new(BLOCK, 0), [], 0
  blocks.times do
    READERS[name].call(values)
    values.map(&number).each_cons(2) do |last, value|
      if value == last
        repeats += 1
      elsif found.size < most
        found << format("%.9f", (value - last) * ns)
      end
    end
  end
  found << repeats
end

def mark(name, times, number)
  GC.disable # the collector reads a clock on this thread
  times.times do
    File.exist?("/timebench-mark/#{number}")
    RUNNERS[name].call(1)
  end
  File.exist?("/timebench-mark/end")
  []
end

def sleeps(_, count, span)
  Array.new(count) do
    start = stopwatch
    sleep(span / 1e9)
    stopwatch - start - span
  end
end

$stdout.sync = true
while (line = $stdin.gets)
  verb, name, *numbers = line.chomp.split("\t")
  verb = "sleeps" if name == "sleep"
  answer = CALLS[name] || name == "sleep" ? send(verb, name, *numbers.map(&:to_i)) : ["missing no such call"]
  print answer.join(" ") + "\n"
end
