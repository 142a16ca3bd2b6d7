package main

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// seconds returns a clock: the processor time if one thread works, which excludes other work of the
// machine, else the wall clock.
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

// settling is how long a turn of several threads goes on before it counts. ONNX Runtime's threads
// spin for tens of milliseconds after a run, and would take a processor from whoever comes next.
const settling = 0.1

// alternate runs the competitors in turn, each for at least least in a round, and returns the
// seconds of one run of each: the medians over the rounds. Each turn begins with at least one run
// that is not counted, during which the caches fill.
func alternate(threads, rounds int, least time.Duration, runs []func()) []float64 {
	spent := make([][]float64, len(runs))
	for range rounds {
		for i, run := range runs {
			begin := seconds(threads)
			for run(); threads > 1 && seconds(threads)-begin < settling; {
				run()
			}
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
