package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/unum-cloud/uform-go/uform"
)

// moodRow is a load on two threads: for each waiting mode (parked, spinning) the median seconds of
// a call, on the clock and of the processor.
type moodRow struct {
	load        load
	pause       time.Duration // between calls
	wall, spent [2]float64
}

var moodsCompared = [2]uform.Mood{uform.Parked, uform.Spinning}

// moods calls executors of two threads in turn, back to back and with pauses in which their threads
// may go to sleep.
func moods(rounds int) ([]moodRow, error) {
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	if err != nil {
		return nil, err
	}
	_, file, err := shapes[0].checkpoint()
	if err != nil {
		return nil, err
	}
	model, err := library.LoadBytes(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	var executors [2]*uform.Executor
	var arenas [2]*uform.Arena
	for i, mood := range moodsCompared {
		if executors[i], err = library.NewExecutor(&uform.ExecutorOptions{Threads: 2, Mood: mood}); err != nil {
			return nil, err
		}
		defer executors[i].Close()
		if arenas[i], err = library.NewArena(executors[i]); err != nil {
			return nil, err
		}
		defer arenas[i].Close()
	}
	var rows []moodRow
	for _, row := range []moodRow{{load: load{1, 16, false}}, {load: load{1, 16, false}, pause: time.Millisecond}, {load: load{1, 256, false}}, {load: load{16, 128, false}}} {
		fmt.Fprintf(os.Stderr, "moods, %v, pause %v\n", row.load, row.pause)
		tape := uform.Strings(batch(row.load.count, row.load.length, false))
		var wall, spent [2][]float64
		// A round is several calls in one mode, since the threads of the other may still spin for a
		// while.
		for range rounds {
			for i := range moodsCompared {
				for range 8 {
					time.Sleep(row.pause)
					begin, work := seconds(2), seconds(1)
					if _, err := model.On(executors[i]).TextEncode(ctx, tape, arenas[i], nil); err != nil {
						return nil, err
					}
					wall[i], spent[i] = append(wall[i], seconds(2)-begin), append(spent[i], seconds(1)-work)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		for i := range moodsCompared {
			slices.Sort(wall[i])
			slices.Sort(spent[i])
			row.wall[i], row.spent[i] = wall[i][len(wall[i])/2], spent[i][len(spent[i])/2]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func writeMoods(out io.Writer, rows []moodRow) {
	fmt.Fprintf(out, "| %v, two threads | between calls | parked: clock · processor | spinning: clock · processor | spinning, times as fast |\n| --- | --: | --: | --: | --: |\n", shapes[0])
	for _, r := range rows {
		fmt.Fprintf(out, "| %v | %v | %.1f ms · %.1f ms | %.1f ms · %.1f ms | %.2f× |\n", r.load, r.pause,
			1e3*r.wall[0], 1e3*r.spent[0], 1e3*r.wall[1], 1e3*r.spent[1], r.wall[0]/r.wall[1])
	}
}
