use strict;
use Time::HiRes;

my $n = shift;
Time::HiRes::time();
for (1 .. $n) { stat '/timebench-mark/time'; my $t = time; }
for (1 .. $n) { stat '/timebench-mark/Time::HiRes::time'; my $t = Time::HiRes::time(); }
for (1 .. $n) {
    stat '/timebench-mark/Time::HiRes::clock_gettime';
    my $t = Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC());
}
stat '/timebench-mark/end';
