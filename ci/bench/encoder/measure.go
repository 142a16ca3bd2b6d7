package main

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// seconds returns a clock: that of the process's work where one thread works, so that what else a
// machine does stays out, else the one on the wall.
func seconds(threads int) float64 {
	if threads > 1 {
		return float64(time.Now().UnixNano()) * 1e-9
	}
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &spent); err != nil {
		panic(err) // every Linux has it
	}
	return float64(spent.Sec) + float64(spent.Nsec)*1e-9
}

// alternate runs what competes by turns, each at least as long as least in a round, and is the
// seconds of one run of each: the medians over the rounds. Each turn begins with a run that does
// not count, during which the threads of the one before cease to spin and the caches fill.
func alternate(threads, rounds int, least time.Duration, runs []func()) []float64 {
	spent := make([][]float64, len(runs))
	for range rounds {
		for i, run := range runs {
			run()
			begin, count := seconds(threads), 0
			for took := 0.0; took < least.Seconds(); took = seconds(threads) - begin {
				run()
				count++
			}
			spent[i] = append(spent[i], (seconds(threads)-begin)/float64(count))
		}
	}
	medians := make([]float64, len(runs))
	for i := range spent {
		slices.Sort(spent[i])
		medians[i] = spent[i][len(spent[i])/2]
	}
	return medians
}
