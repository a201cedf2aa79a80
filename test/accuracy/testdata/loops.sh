#!/bin/sh
# The cost of a clock call in loops of Python, Perl, Ruby, Node and PHP, in ns: the lowest decile of 999 slices of 0.2 ms.
python3 -m timeit -n 4500 -r 999 -s 'from time import time as f' 'f()'
perl -MTime::HiRes=time,clock_gettime -e '
for (1..999) {
	$a = clock_gettime(1);
	for my $i (1..3500) { $x = time() }
	printf "%.2f\n", (clock_gettime(1) - $a) / 3500e-9
}' | sort -n | sed -n 100p
ruby -e '
def now = Process.clock_gettime(1)
999.times { a = now; i = 0; (x = Process.clock_gettime(1); i += 1) while i < 4000; puts (now - a) / 4e-6 }
' | sort -n | sed -n 100p
node -e '
const now = process.hrtime.bigint;
function run() {
	const a = now();
	let s = 0;
	for (let i = 0; i < 5000; i++) s += Date.now();
	return Number(now() - a) / 5000;
}
for (let i = 0; i < 1999; i++) { const t = run(); if (i > 999) console.log(t); }
' | sort -n | sed -n 100p
php -n -r '
function run() {
	$a = hrtime(true);
	for ($i = 0; $i < 6000; $i++) { $x = microtime(true); }
	return (hrtime(true) - $a) / 6000;
}
for ($k = 0; $k < 999; $k++) echo run(), "\n";
' | sort -n | sed -n 100p
