# The benchmark of Ruby's calls. timebench runs it as ruby bench.rb MODE ARGS... It prints lines of
# fields with tabs between them.
#
#   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
#   steps MOST MOST_NS NAME...        the differences between consecutive values
#   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes

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
def runner(name)
  eval "lambda { |n| x = i = 0; while i < n; x = #{CALLS[name][0]}; i += 1; end; x }"
end

# The same for a block of values. It keeps them as they are, so that the reads follow each other as fast
# as the call allows.
def reader(name)
  eval "lambda { |values| i = 0; while i < BLOCK; values[i] = #{CALLS[name][0]}; i += 1; end }"
end

def stopwatch
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

def timed(run, n)
  start = stopwatch
  $sink = run.call(n)
  stopwatch - start
end

# Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
def first(run)
  start, n = stopwatch, 0
  loop do
    $sink = run.call(100)
    n += 100
    elapsed = stopwatch - start
    return elapsed.to_f / n if elapsed.positive?
  end
end

# Returns the calls that take a span.
def calibrated(run, span)
  n = 1
  loop do
    elapsed = timed(run, n)
    if elapsed >= span / 2.0 # twice again: another program may have had the CPU
      elapsed = [elapsed, timed(run, n), timed(run, n)].min
      return [1, n * span / elapsed].max if elapsed >= span / 2.0
    end
    n *= 2
  end
end

# Returns the calls that take a span, after a warm-up of 30 ms in small runs, which YJIT compiles.
def warmed(run, span)
  finish = stopwatch + [span, 30_000_000].max
  run.call(1000) while stopwatch < finish
  calibrated(run, span)
end

def cost(names, rounds, span)
  runs = names.map { |name| runner(name) }
  names.zip(runs) { |name, run| print "warm\t#{name}\t#{format('%.9f', first(run))}\n" }
  counts = runs.map { |run| warmed(run, span) }
  rounds.times do |r|
    names.each_index do |i|
      k = (r + i) % names.size
      print "cost\t#{names[k]}\t#{counts[k]}\t#{timed(runs[k], counts[k])}\n"
    end
  end
  print "sink\t#{$sink.to_i}\n"
end

def steps(names, most, most_ns)
  names.each do |name|
    _, number, ns = CALLS[name]
    next unless number
    read, values = reader(name), Array.new(BLOCK, 0)
    blocks, finish = 0, stopwatch + 30_000_000 # the warm-up
    while blocks < 10 || stopwatch < finish
      read.call(values)
      blocks += 1
    end
    found, reads, repeats = [], 0, 0
    start = stopwatch
    while found.size < most && stopwatch - start < most_ns
      read.call(values)
      values.map(&number).each_cons(2) do |last, value|
        reads += 1
        if value == last
          repeats += 1
        elsif found.size < most
          found << (value - last) * ns
        end
      end
    end
    found.each { |step| print "step\t#{name}\t#{format('%.9f', step).sub(/\.?0+\z/, '')}\n" }
    print "seen\t#{name}\t#{reads}\t#{repeats}\n"
  end
end

def mark(name)
  File.exist?("/timebench-mark/" + name.gsub(/[^A-Za-z0-9._-]/, "_"))
end

def marked(names, times)
  runs = names.map { |name| runner(name) }
  GC.disable # the collector reads a clock on this thread
  mark("start")
  runs.each { |run| run.call(1) }
  names.zip(runs) do |name, run|
    times.times do
      mark(name)
      run.call(1)
    end
  end
  mark("end")
end

mode = ARGV.shift
many = { "cost" => 2, "steps" => 2, "mark" => 1 }[mode]
numbers = ARGV.shift(many || 0)
if many.nil? || numbers.size < many || !numbers.all? { |text| text =~ /\A[1-9][0-9]*\z/ } || ARGV.empty?
  warn "usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME..."
  exit 2
end
names, unknown = ARGV.partition { |name| CALLS.key?(name) }
unknown.each { |name| print "missing\t#{name}\tno such call\n" }
numbers.map!(&:to_i)
case mode
when "cost" then cost(names, *numbers) unless names.empty?
when "steps" then steps(names, *numbers)
when "mark" then marked(names, *numbers) unless names.empty?
end
print "done\n"
