<?php
// The benchmark of PHP's calls, for PHP 7.3 and later. timebench runs it as php -n bench.php MODE
// ARGS... It prints lines of fields with tabs between them.
//
//   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
//   steps MOST MOST_NS NAME...        the differences between consecutive values
//   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes

// What is printed is written at the end, because a reader that wakes up disturbs the next slice.
ob_start();

function call() { return 1; }

// For each name: the expression, how a value becomes a number, and the nanoseconds of a difference
// of 1. The difference of two floats is exact, so it is taken before it is converted.
$same = function ($value) { return $value; };
$calls = [
    'loop' => ['1', null, 0],
    'call' => ['call()', null, 0],
    'time' => ['time()', $same, 1000000000],
    'microtime(true)' => ['microtime(true)', $same, 1e9],
    'hrtime(true)' => ['hrtime(true)', $same, 1],
    'new DateTimeImmutable' => ['new DateTimeImmutable', function ($value) { return (int) str_replace('.', '', $value->format('U.u')); }, 1000],
];

// The reads of a block of steps.
const BLOCK = 1000;

// Each call is written out in a loop of its own. $x keeps the value, so no compiler removes the call.
function runner($name) {
    global $calls;
    return eval("return function (int \$n) { \$x = 0; for (\$i = 0; \$i < \$n; \$i++) { \$x = {$calls[$name][0]}; } return \$x; };");
}

// The same for a block of values. It keeps them as they are, so that the reads follow each other as fast
// as the call allows.
function reader($name) {
    global $calls;
    return eval("return function (array &\$values) { for (\$i = 0; \$i < BLOCK; \$i++) { \$values[\$i] = {$calls[$name][0]}; } };");
}

function timed($run, $n) {
    global $sink;
    $begin = hrtime(true);
    $sink = $run($n);
    return hrtime(true) - $begin;
}

// Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
function first($run) {
    global $sink;
    for ($n = 100, $begin = hrtime(true);; $n += 100) {
        $sink = $run(100);
        $elapsed = hrtime(true) - $begin;
        if ($elapsed > 0) {
            return $elapsed / $n;
        }
    }
}

// Returns the calls that take a span.
function calibrated($run, $span) {
    for ($n = 1;; $n *= 2) {
        $elapsed = timed($run, $n);
        if ($elapsed < $span / 2) {
            continue;
        }
        $elapsed = min($elapsed, timed($run, $n), timed($run, $n)); // another program may have had the CPU
        if ($elapsed >= $span / 2) {
            return max(1, (int) ($n * $span / $elapsed));
        }
    }
}

// Returns the calls that take a span, after a warm-up of 30 ms in small runs, which a JIT compiles.
function warmed($run, $span) {
    for ($end = hrtime(true) + max($span, 30000000); hrtime(true) < $end;) {
        $run(1000);
    }
    return calibrated($run, $span);
}

function cost($names, $rounds, $span) {
    global $sink;
    $runs = array_map('runner', $names);
    $counts = [];
    foreach ($names as $i => $name) {
        printf("warm\t%s\t%.9F\n", $name, first($runs[$i]));
    }
    foreach ($runs as $run) {
        $counts[] = warmed($run, $span);
    }
    for ($r = 0; $r < $rounds; $r++) {
        foreach ($names as $i => $_) {
            $k = ($r + $i) % count($names);
            printf("cost\t%s\t%d\t%d\n", $names[$k], $counts[$k], timed($runs[$k], $counts[$k]));
        }
    }
    printf("sink\t%d\n", is_object($sink) ? $sink->getTimestamp() : $sink);
}

function steps($names, $most, $mostNS) {
    global $calls;
    foreach ($names as $name) {
        list(, $number, $ns) = $calls[$name];
        if ($number === null) {
            continue;
        }
        $read = reader($name);
        $values = array_fill(0, BLOCK, 0);
        for ($blocks = 0, $end = hrtime(true) + 30000000; $blocks < 10 || hrtime(true) < $end; $blocks++) { // the warm-up
            $read($values);
        }
        $found = [];
        $reads = $repeats = 0;
        for ($begin = hrtime(true); count($found) < $most && hrtime(true) - $begin < $mostNS;) {
            $read($values);
            $reads += BLOCK - 1;
            // A block without a step takes no time here. Otherwise many ticks of time() fall between blocks.
            if ($number($values[0]) === $number($values[BLOCK - 1])) {
                $repeats += BLOCK - 1;
                continue;
            }
            $last = $number($values[0]);
            for ($i = 1; $i < BLOCK; $i++) {
                $value = $number($values[$i]);
                if ($value === $last) {
                    $repeats++;
                } elseif (count($found) < $most) {
                    $found[] = ($value - $last) * $ns;
                }
                $last = $value;
            }
        }
        foreach ($found as $step) {
            printf("step\t%s\t%s\n", $name, rtrim(rtrim(sprintf('%.9F', $step), '0'), '.'));
        }
        printf("seen\t%s\t%d\t%d\n", $name, $reads, $repeats);
    }
}

function mark($name) {
    file_exists('/timebench-mark/' . preg_replace('/[^A-Za-z0-9._-]/', '_', $name));
}

function marked($names, $times) {
    $runs = array_map('runner', $names);
    mark('start');
    foreach ($runs as $run) {
        $run(1);
    }
    foreach ($names as $i => $name) {
        for ($t = 0; $t < $times; $t++) {
            mark($name);
            $runs[$i](1);
        }
    }
    mark('end');
}

$mode = $argv[1] ?? '';
$many = ['cost' => 2, 'steps' => 2, 'mark' => 1][$mode] ?? -1;
$numbers = array_slice($argv, 2, max(0, $many));
$names = array_slice($argv, 2 + max(0, $many));
$valid = array_filter($numbers, function ($text) { return preg_match('/^[1-9][0-9]{0,17}$/D', $text); });
if ($many < 0 || count($valid) < $many || !$names) {
    fwrite(STDERR, "usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME...\n");
    exit(2);
}
$known = [];
foreach ($names as $name) {
    if (isset($calls[$name])) {
        $known[] = $name;
    } else {
        echo "missing\t$name\tno such call\n";
    }
}
if ($known) {
    ['cost' => 'cost', 'steps' => 'steps', 'mark' => 'marked'][$mode]($known, ...array_map('intval', $numbers));
}
echo "done\n";
