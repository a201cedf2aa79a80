// The benchmark of C++'s clocks. timebench compiles it with c++ -std=c++11 -O2 -pthread and runs it
// as bench MODE ARGS... It prints lines of fields with tabs between them.
//
//   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
//   steps MOST MOST_NS NAME...        the differences between consecutive values
//   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
//   threads COUNT SPAN_NS NAME...     calls of several threads in one span of time
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using std::int64_t;
typedef long long number; // for printf

// The compiler must assume that this changes x. So it neither removes the calls whose values are in
// the sum, nor the empty loop. It compiles to nothing.
static inline void keep(int64_t &x) { __asm__ volatile("" : "+r"(x)); }

// Not inlined, as the functions of the library are not.
__attribute__((noinline)) static int64_t one()
{
	int64_t x = 1;
	keep(x);
	return x;
}

template <typename Clock> static int64_t ns(typename Clock::time_point t)
{
	return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
}

static int64_t run_loop(int64_t n)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += 1;
		keep(sum);
	}
	return sum;
}

static int64_t run_call(int64_t n)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += one();
		keep(sum);
	}
	return sum;
}

// The template makes one function for each clock, with the call written out in its loop.
template <typename Clock> static int64_t run(int64_t n)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += Clock::now().time_since_epoch().count();
		keep(sum);
	}
	return sum;
}

// The reads of a block of steps.
static const size_t block = 1000;

// It keeps the values as they are, so that the reads follow each other as fast as the call allows, and
// converts them to nanoseconds afterwards.
template <typename Clock> static void read(std::vector<int64_t> &values)
{
	static std::vector<typename Clock::time_point> raw(block);
	for (typename Clock::time_point &value : raw)
		value = Clock::now();
	for (size_t i = 0; i < block; i++)
		values[i] = ns<Clock>(raw[i]);
}

struct call {
	const char *name;
	int64_t (*run)(int64_t n);
	void (*read)(std::vector<int64_t> &values); // a block in nanoseconds; null if the value is not a time
};

static const call calls[] = {
	{"loop", run_loop, nullptr},
	{"call", run_call, nullptr},
	{"std::chrono::system_clock::now", run<std::chrono::system_clock>, read<std::chrono::system_clock>},
	{"std::chrono::steady_clock::now", run<std::chrono::steady_clock>, read<std::chrono::steady_clock>},
	{"std::chrono::high_resolution_clock::now", run<std::chrono::high_resolution_clock>, read<std::chrono::high_resolution_clock>},
};

typedef std::vector<const call *> list;

static volatile int64_t sink;

static int64_t stopwatch() { return ns<std::chrono::steady_clock>(std::chrono::steady_clock::now()); }

static int64_t timed(const call *c, int64_t n)
{
	int64_t begin = stopwatch();
	sink = c->run(n);
	return stopwatch() - begin;
}

// Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.
static double first(const call *c)
{
	int64_t begin = stopwatch(), n = 0, elapsed;
	do {
		sink = c->run(100);
		n += 100;
		elapsed = stopwatch() - begin;
	} while (elapsed <= 0);
	return double(elapsed) / double(n);
}

// Returns the calls that take a span.
static int64_t calibrated(const call *c, int64_t span)
{
	int64_t n = 1, elapsed;
	for (;; n *= 2) {
		elapsed = timed(c, n);
		for (int i = 0; i < 2 && elapsed >= span / 2; i++) // another program may have had the CPU
			elapsed = std::min(elapsed, timed(c, n));
		if (elapsed >= span / 2)
			break;
	}
	return std::max<int64_t>(1, int64_t(double(n) * double(span) / double(std::max<int64_t>(1, elapsed))));
}

static void cost(const list &named, int64_t rounds, int64_t span)
{
	for (const call *c : named)
		std::printf("warm\t%s\t%.9f\n", c->name, first(c));
	std::vector<int64_t> n;
	for (const call *c : named) {
		n.push_back(calibrated(c, span));
		sink = c->run(n.back()); // the warm-up
	}
	for (int64_t r = 0; r < rounds; r++)
		for (size_t i = 0; i < named.size(); i++) {
			size_t k = (size_t(r) + i) % named.size();
			std::printf("cost\t%s\t%lld\t%lld\n", named[k]->name, number(n[k]), number(timed(named[k], n[k])));
		}
	std::printf("sink\t%lld\n", number(sink));
}

static void steps(const list &named, int64_t most, int64_t most_ns)
{
	std::vector<int64_t> values(block);
	for (const call *c : named) {
		if (c->read == nullptr)
			continue;
		std::vector<int64_t> found;
		int64_t reads = 0, repeats = 0;
		c->read(values); // the warm-up
		for (int64_t begin = stopwatch(); int64_t(found.size()) < most && stopwatch() - begin < most_ns;) {
			c->read(values);
			for (size_t i = 1; i < block; i++) {
				int64_t step = values[i] - values[i - 1];
				reads++;
				if (step == 0)
					repeats++;
				else if (int64_t(found.size()) < most)
					found.push_back(step);
			}
		}
		for (int64_t step : found)
			std::printf("step\t%s\t%lld\n", c->name, number(step));
		std::printf("seen\t%s\t%lld\t%lld\n", c->name, number(reads), number(repeats));
	}
}

static void mark(std::string name)
{
	for (char &c : name)
		if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !std::strchr("._-", c))
			c = '_';
	struct stat s;
	if (stat(("/timebench-mark/" + name).c_str(), &s) == 0)
		sink = 1;
}

static void marked(const list &named, int64_t times, int64_t)
{
	mark("start");
	for (const call *c : named)
		sink = c->run(1);
	for (const call *c : named)
		for (int64_t t = 0; t < times; t++) {
			mark(c->name);
			sink = c->run(1);
		}
	mark("end");
}

// What one thread counted, on cache lines of its own.
struct counted {
	int64_t calls, ended, sum;
	char apart[104];
};

static void threads(const list &named, int64_t count, int64_t span)
{
	for (const call *c : named) {
		int64_t chunk = calibrated(c, 50000); // the stopwatch is read every 50 us
		// The barrier: how many threads wait, and the common deadline, which is 0 until the release. Each
		// thread polls it: threads that sleep wake one after the other, and the last ones late.
		std::atomic<int64_t> waiting(0), deadline(0);
		std::vector<counted> results(static_cast<size_t>(count));
		std::vector<std::thread> workers;
		for (counted &result : results)
			workers.emplace_back([&waiting, &deadline, &result, c, chunk] {
				int64_t end, now, made = 0, sum = 0;
				waiting++;
				while ((end = deadline) == 0)
					std::this_thread::yield();
				while ((now = stopwatch()) < end) {
					sum += c->run(chunk);
					made += chunk;
				}
				result.calls = made;
				result.ended = now;
				result.sum = sum;
			});
		while (waiting < count)
			std::this_thread::yield();
		int64_t release = stopwatch(), last = release;
		deadline = release + span;
		for (size_t i = 0; i < results.size(); i++) {
			workers[i].join();
			std::printf("thread\t%s\t%lld\t%lld\n", c->name, number(i), number(results[i].calls));
			sink = results[i].sum;
			last = std::max(last, results[i].ended);
		}
		std::printf("passed\t%s\t%lld\n", c->name, number(last - release));
	}
}

static const struct mode {
	const char *name;
	int numbers;
	void (*run)(const list &named, int64_t first, int64_t second);
} modes[] = {{"cost", 2, cost}, {"steps", 2, steps}, {"mark", 1, marked}, {"threads", 2, threads}};

static int usage()
{
	std::fputs("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME... | threads COUNT SPAN_NS NAME...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const mode *chosen = nullptr;
	for (const mode &m : modes)
		if (argc > 1 && std::strcmp(argv[1], m.name) == 0)
			chosen = &m;
	if (chosen == nullptr || argc <= 2 + chosen->numbers)
		return usage();
	int64_t numbers[2] = {0, 0};
	for (int i = 0; i < chosen->numbers; i++) {
		char *end;
		numbers[i] = std::strtoll(argv[2 + i], &end, 10);
		if (*end != '\0' || numbers[i] < 1)
			return usage();
	}
	list named;
	for (int i = 2 + chosen->numbers; i < argc; i++) {
		auto found = std::find_if(std::begin(calls), std::end(calls), [&](const call &c) { return std::strcmp(argv[i], c.name) == 0; });
		if (found == std::end(calls))
			std::printf("missing\t%s\tno such call\n", argv[i]);
		else if (std::is_same<std::chrono::high_resolution_clock, std::chrono::steady_clock>::value && std::strstr(argv[i], "high_resolution_clock"))
			std::printf("missing\t%s\tit is std::chrono::steady_clock here\n", argv[i]); // in libc++
		else
			named.push_back(found);
	}
	try {
		if (!named.empty())
			chosen->run(named, numbers[0], numbers[1]);
	} catch (const std::exception &failed) { // too many threads: those that wait end with the process
		std::fprintf(stderr, "%s\n", failed.what());
		std::fflush(stdout);
		std::_Exit(1);
	}
	std::puts("done");
}
