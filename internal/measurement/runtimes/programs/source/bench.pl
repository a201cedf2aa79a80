# The benchmark of Perl's calls. timebench runs it as perl bench.pl MODE ARGS... It prints lines of
# fields with tabs between them.
#
#   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
#   steps MOST MOST_NS NAME...        the differences between consecutive values
#   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
use strict;
use warnings;
use Time::HiRes ();

sub call { return 1 }

# The number of the clock, read once: its name is a subroutine, which is not part of the call.
my $monotonic = Time::HiRes::CLOCK_MONOTONIC();

# For each name: the statement, and the nanoseconds of a difference of 1, or 0
# if the value is not a time. A variable takes the value, because Perl warns of a value that nobody uses.
my %calls = (
    'loop' => ['', 0],
    'call' => ['$x = call()', 0],
    'time' => ['$x = time', 1e9],
    'Time::HiRes::time' => ['$x = Time::HiRes::time()', 1e9],
    'Time::HiRes::clock_gettime(CLOCK_MONOTONIC)' => ['$x = Time::HiRes::clock_gettime($monotonic)', 1e9],
    'localtime' => ['@x = localtime', 0],
);

# The reads of a block of steps.
my $block = 1000;

# foreach over a range is the fastest loop of Perl. It makes no list.
sub runner {
    my ($name) = @_;
    return eval "sub { my (\$x, \@x); for my \$i (1 .. \$_[0]) { $calls{$name}[0] } return \$x || \@x }" || die $@;
}

# The same for a block of values: $x is each element in turn. It keeps the values as they are, so that
# the reads follow each other as fast as the call allows.
sub reader {
    my ($name) = @_;
    return eval "sub { for my \$x (\@_) { $calls{$name}[0] } }" || die $@;
}

sub stopwatch { return int(Time::HiRes::clock_gettime($monotonic) * 1e9) }

my $sink = 0;

sub timed {
    my ($run, $n) = @_;
    my $begin = stopwatch();
    $sink = $run->($n);
    return stopwatch() - $begin;
}

# Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
sub first {
    my ($run) = @_;
    my ($n, $begin) = (0, stopwatch());
    while (1) {
        $sink = $run->(100);
        $n += 100;
        my $elapsed = stopwatch() - $begin;
        return $elapsed / $n if $elapsed > 0;
    }
}

# Returns the calls that take a span, after a warm-up of one span.
sub calibrated {
    my ($run, $span) = @_;
    my $n = 1;
    my $elapsed;
    while (1) {
        $elapsed = timed($run, $n);
        if ($elapsed >= $span / 2) { # twice again: another program may have had the CPU
            for (1, 2) {
                my $again = timed($run, $n);
                $elapsed = $again if $again < $elapsed;
            }
            last if $elapsed >= $span / 2;
        }
        $n *= 2;
    }
    $n = int($n * $span / $elapsed) || 1;
    $run->($n);
    return $n;
}

sub cost {
    my ($rounds, $span, @names) = @_;
    my @runs = map { runner($_) } @names;
    printf "warm\t%s\t%.9f\n", $names[$_], first($runs[$_]) for 0 .. $#names;
    my @counts = map { calibrated($_, $span) } @runs;
    for my $r (0 .. $rounds - 1) {
        for my $i (0 .. $#names) {
            my $k = ($r + $i) % @names;
            printf "cost\t%s\t%d\t%d\n", $names[$k], $counts[$k], timed($runs[$k], $counts[$k]);
        }
    }
    printf "sink\t%d\n", $sink;
}

sub steps {
    my ($most, $most_ns, @names) = @_;
    for my $name (@names) {
        my $ns = $calls{$name}[1];
        next unless $ns;
        my $read = reader($name);
        my ($reads, $repeats, @found) = (0, 0);
        my @values = (0) x $block;
        $read->(@values); # the warm-up
        my $begin = stopwatch();
        while (@found < $most && stopwatch() - $begin < $most_ns) {
            $read->(@values);
            $reads += $block - 1;
            # A block without a step takes no time here. Otherwise many ticks of time() fall between blocks.
            if ($values[0] == $values[-1]) {
                $repeats += $block - 1;
                next;
            }
            for my $i (1 .. $block - 1) {
                my $step = $values[$i] - $values[$i - 1];
                if ($step == 0) { $repeats++ }
                elsif (@found < $most) { push @found, $step * $ns }
            }
        }
        for my $step (@found) {
            my $text = sprintf '%.9f', $step;
            $text =~ s/\.?0+$//;
            print "step\t$name\t$text\n";
        }
        print "seen\t$name\t$reads\t$repeats\n";
    }
}

sub mark {
    my ($name) = @_;
    $name =~ s/[^A-Za-z0-9._-]/_/g;
    return -e "/timebench-mark/$name";
}

sub marked {
    my ($times, @names) = @_;
    my @runs = map { runner($_) } @names;
    mark('start');
    $_->(1) for @runs;
    for my $k (0 .. $#names) {
        for (1 .. $times) {
            mark($names[$k]);
            $runs[$k]->(1);
        }
    }
    mark('end');
}

my %modes = (cost => [2, \&cost], steps => [2, \&steps], mark => [1, \&marked]);
my $mode = shift(@ARGV) // '';
my ($many, $run) = @{$modes{$mode} || [-1]};
my @numbers = splice @ARGV, 0, $many > 0 ? $many : 0;
if ($many < 0 || @numbers < $many || !@ARGV || grep({ !/^[1-9][0-9]*\z/ } @numbers) ) {
    print STDERR "usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME...\n";
    exit 2;
}
my @known = grep { exists $calls{$_} } @ARGV;
print "missing\t$_\tno such call\n" for grep { !exists $calls{$_} } @ARGV;
$run->(@numbers, @known) if @known;
print "done\n";
