package measure

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseThreads(t *testing.T) {
	for list, want := range map[string][]int{
		"1": {1}, "1,2,4": {1, 2, 4}, "4,2,1,2": {1, 2, 4}, "1..4": {1, 2, 3, 4}, "3..3": {3},
		"1..24/4": {1, 5, 9, 13, 17, 21}, "1..3,8,16..24/8": {1, 2, 3, 8, 16, 24}, "1..1024/1023": {1, 1024},
	} {
		got, err := ParseThreads(list)
		require.NoError(t, err, list)
		require.Equal(t, want, got, list)
	}
}

func TestParseThreadsRefuses(t *testing.T) {
	for list, want := range map[string]string{
		"":                         `"" is not a number of threads`,
		"0":                        `"0" has 0 threads; the fewest is 1`,
		"-1":                       `"-1" has -1 threads; the fewest is 1`,
		"24..1":                    `"24..1" runs backwards; write 1..24`,
		"1..":                      `"1.." is not a number of threads; write 4, 1,2,4, 1..24 or 1..24/4`,
		"..4":                      `"..4" is not`,
		"1..99999999":              `"1..99999999" has 99999999 threads; the most is 1024`,
		"1025":                     "the most is 1024",
		"a..b":                     `"a..b" is not`,
		"1,,2":                     `"" is not`,
		"1..4/0":                   `"1..4/0" is not`,
		"1..4/x":                   `"1..4/x" is not`,
		"1..4/9223372036854775807": "is not a number of threads",
		"4/2":                      `"4/2" is not`,
		"1...4":                    `"1...4" is not`,
		"99999999999999999999":     "is not a number of threads",
	} {
		_, err := ParseThreads(list)
		require.ErrorContains(t, err, want, "%q", list)
	}
}

func TestDefaultThreads(t *testing.T) {
	for cpus, want := range map[int][]int{1: {1}, 2: {1, 2}, 6: {1, 2, 4, 6}, 8: {1, 2, 4, 8}} {
		require.Equal(t, want, DefaultThreads(cpus))
	}
	require.Equal(t, MostThreads, slices.Max(DefaultThreads(5000)))
}

func FuzzParseThreads(f *testing.F) {
	f.Add("1..24/4")
	f.Add("1,2,4")
	f.Add("1..1024/1")
	f.Fuzz(func(t *testing.T, list string) {
		numbers, err := ParseThreads(list)
		if (err == nil) != (len(numbers) > 0) {
			t.Fatalf("%d numbers and error %v", len(numbers), err)
		}
		for i, n := range numbers {
			if n < 1 || n > MostThreads || i > 0 && n <= numbers[i-1] {
				t.Fatalf("%v of %q", numbers, list)
			}
		}
	})
}
