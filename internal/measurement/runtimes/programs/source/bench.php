<?php
// The benchmark of PHP's calls, for PHP 7.3 and later. timebench runs it as php -n -f bench.php. The protocol is in
// ../programs.go.
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

function run($name, $n, $slices) {
    static $runners = [];
    $run = $runners[$name] = $runners[$name] ?? runner($name);
    $elapsed = [];
    for ($i = 0; $i < $slices; $i++) {
        $elapsed[] = timed($run, $n);
    }
    return $elapsed;
}

function steps($name, $blocks, $most) {
    global $calls;
    static $readers = [];
    list(, $number, $ns) = $calls[$name];
    if ($number === null) {
        return ['missing its value is not a time'];
    }
    $read = $readers[$name] = $readers[$name] ?? reader($name);
    $values = array_fill(0, BLOCK, 0);
    $found = [];
    $repeats = 0;
    for ($k = 0; $k < $blocks; $k++) {
        $read($values);
        // A block without a step takes no time here. Otherwise many ticks of time() fall between blocks.
        $last = $number($values[0]);
        if ($last === $number($values[BLOCK - 1])) {
            $repeats += BLOCK - 1;
            continue;
        }
        for ($i = 1; $i < BLOCK; $i++) {
            $value = $number($values[$i]);
            if ($value === $last) {
                $repeats++;
            } elseif (count($found) < $most) {
                $found[] = sprintf('%.9F', ($value - $last) * $ns);
            }
            $last = $value;
        }
    }
    $found[] = $repeats;
    return $found;
}

function mark($name, $times, $number) {
    $run = runner($name);
    for ($i = 0; $i < $times; $i++) {
        file_exists("/timebench-mark/$number");
        $run(1);
    }
    file_exists('/timebench-mark/end');
    return [];
}

function sleeps($name, $count, $span) {
    $late = [];
    while (count($late) < $count) {
        $begin = hrtime(true);
        usleep(intdiv($span, 1000));
        $late[] = hrtime(true) - $begin - $span;
    }
    return $late;
}

while (($line = fgets(STDIN)) !== false) {
    $fields = explode("\t", rtrim($line));
    $known = isset($calls[$fields[1]]) || $fields[1] === 'usleep';
    $verb = $fields[0] === 'sleep' ? 'sleeps' : $fields[0]; // PHP has a function sleep
    echo implode(' ', $known ? $verb($fields[1], ...array_map('intval', array_slice($fields, 2))) : ['missing no such call']), "\n";
}
