# The benchmark of Perl's calls. timebench runs it as perl bench.pl. The protocol is in ../programs.go.
use strict;
use warnings;
use IO::Handle ();
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
my %runners = map { $_ => eval "sub { my (\$x, \@x); for my \$i (1 .. \$_[0]) { $calls{$_}[0] } return \$x || \@x }" || die $@ } keys %calls;

# The same for a block of values: $x is each element in turn. It keeps the values as they are, so that
# the reads follow each other as fast as the call allows.
my %readers = map { $_ => eval "sub { for my \$x (\@_) { $calls{$_}[0] } }" || die $@ } grep { $calls{$_}[1] } keys %calls;

sub stopwatch { return int(Time::HiRes::clock_gettime($monotonic) * 1e9) }

my $sink = 0;

sub timed {
    my ($run, $n) = @_;
    my $begin = stopwatch();
    $sink = $run->($n);
    return stopwatch() - $begin;
}

sub run {
    my ($name, $n, $slices) = @_;
    print timed($runners{$name}, $n), ' ' for 1 .. $slices;
}

sub steps {
    my ($name, $blocks, $most) = @_;
    my $read = $readers{$name};
    if (!$read) {
        print 'missing its value is not a time';
        return;
    }
    my ($ns, $repeats, @values) = ($calls{$name}[1], 0, (0) x $block);
    for (1 .. $blocks) {
        $read->(@values);
        # A block without a step takes no time here. Otherwise many ticks of time() fall between blocks.
        if ($values[0] == $values[-1]) {
            $repeats += $block - 1;
            next;
        }
        for my $i (1 .. $block - 1) {
            my $step = $values[$i] - $values[$i - 1];
            if ($step == 0) { $repeats++ }
            elsif ($most-- > 0) { printf '%.9f ', $step * $ns }
        }
    }
    print $repeats;
}

sub mark {
    my ($name, $times, $number) = @_;
    my $found;
    for (1 .. $times) {
        $found = -e "/timebench-mark/$number";
        $runners{$name}->(1);
    }
    $found = -e '/timebench-mark/end';
}

sub sleeps {
    my (undef, $count, $span) = @_;
    for (1 .. $count) {
        my $begin = stopwatch();
        Time::HiRes::usleep($span / 1e3);
        print stopwatch() - $begin - $span, ' ';
    }
}

my %verbs = (run => \&run, steps => \&steps, mark => \&mark, sleep => \&sleeps);
while (my $line = <STDIN>) {
    chomp $line;
    my ($verb, $name, @numbers) = split /\t/, $line;
    if ($calls{$name} || $name eq 'Time::HiRes::usleep') { $verbs{$verb}->($name, @numbers) }
    else { print 'missing no such call' }
    print "\n";
    STDOUT->flush();
}
