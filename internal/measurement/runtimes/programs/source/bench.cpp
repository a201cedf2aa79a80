// The benchmark of C++'s clocks. timebench compiles it with c++ -std=c++11 -O2 -pthread. The protocol is
// in ../programs.go.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using std::int64_t;

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
	{"std::this_thread::sleep_for", nullptr, nullptr},
};

static volatile int64_t sink;

static int64_t stopwatch() { return ns<std::chrono::steady_clock>(std::chrono::steady_clock::now()); }

static int64_t timed(const call *c, int64_t n)
{
	int64_t begin = stopwatch();
	sink = c->run(n);
	return stopwatch() - begin;
}

typedef std::vector<int64_t> list;

static void run(const call *c, const list &numbers)
{
	for (int64_t i = 0; i < numbers[1]; i++)
		std::cout << timed(c, numbers[0]) << ' ';
}

static void steps(const call *c, const list &numbers)
{
	static list values(block);
	int64_t repeats = 0, most = numbers[1];
	if (c->read == nullptr) {
		std::cout << "missing its value is not a time";
		return;
	}
	for (int64_t blocks = 0; blocks < numbers[0]; blocks++) {
		c->read(values);
		for (size_t i = 1; i < block; i++) {
			int64_t step = values[i] - values[i - 1];
			if (step == 0)
				repeats++;
			else if (most-- > 0)
				std::cout << step << ' ';
		}
	}
	std::cout << repeats;
}

static void mark(const call *c, const list &numbers)
{
	std::string path = "/timebench-mark/" + std::to_string(numbers[1]);
	struct stat s;
	for (int64_t i = 0; i < numbers[0]; i++) {
		sink = stat(path.c_str(), &s);
		sink = c->run(1);
	}
	sink = stat("/timebench-mark/end", &s);
}

static void sleeps(const call *, const list &numbers)
{
	for (int64_t i = 0; i < numbers[0]; i++) {
		int64_t begin = stopwatch();
		std::this_thread::sleep_for(std::chrono::nanoseconds(numbers[1]));
		std::cout << stopwatch() - begin - numbers[1] << ' ';
	}
}

// What one thread counted, on cache lines of its own.
struct counted {
	int64_t calls, ended, sum;
	char apart[104];
};

static void threads(const call *c, const list &numbers)
{
	int64_t chunk = numbers[0], count = numbers[1];
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
	deadline = release + numbers[2];
	for (size_t i = 0; i < results.size(); i++) {
		workers[i].join();
		std::cout << results[i].calls << ' ';
		sink = results[i].sum;
		last = std::max(last, results[i].ended);
	}
	std::cout << last - release;
}

static const struct {
	const char *name;
	void (*obey)(const call *c, const list &numbers);
} verbs[] = {{"run", run}, {"steps", steps}, {"mark", mark}, {"threads", threads}, {"sleep", sleeps}};

// In libc++ the high-resolution clock is another name of the steady clock.
static const bool alias = std::is_same<std::chrono::high_resolution_clock, std::chrono::steady_clock>::value;

static void obey(const std::string &line)
{
	std::istringstream fields(line);
	std::string wanted, name;
	std::getline(fields, wanted, '\t');
	std::getline(fields, name, '\t');
	list numbers;
	for (int64_t number; fields >> number;)
		numbers.push_back(number);
	numbers.resize(3);
	for (const auto &verb : verbs)
		for (const call &c : calls)
			if (verb.name == wanted && c.name == name && !(alias && name.find("high_resolution_clock") != std::string::npos))
				return verb.obey(&c, numbers);
	std::cout << "missing no such call";
}

int main()
{
	std::ios::sync_with_stdio(false);
	try {
		for (std::string line; std::getline(std::cin, line); std::cout << std::endl)
			obey(line);
	} catch (const std::exception &failed) { // too many threads: the threads that wait end with the process
		std::cerr << failed.what() << std::endl;
		std::_Exit(1);
	}
}
