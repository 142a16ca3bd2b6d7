package hostile_test

import (
	"encoding/binary"
	"os"
	"strings"
	"time"
)

// longTime returns the duration of the long form: UFORM_LONG is a duration such as 5m, or anything
// else for ten minutes. 0 is the short form.
func longTime() time.Duration {
	asked := os.Getenv("UFORM_LONG")
	if asked == "" {
		return 0
	}
	if duration, err := time.ParseDuration(asked); err == nil {
		return duration
	}
	return 10 * time.Minute
}

// craftedCheckpoints are files whose headers cost a reader as much as the format allows. In the
// short form they have a sixteenth of that length.
func craftedCheckpoints() (crafted [][]byte) {
	size := 1 << 20
	if longTime() > 0 {
		size = 16 << 20
	}
	of := func(begin, middle, end string) {
		header := begin + strings.Repeat(middle, (size-len(begin)-len(end))/len(middle)) + end
		crafted = append(crafted, append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...))
	}
	numbered := func(begin, before, after, end string) {
		var header strings.Builder
		header.WriteString(begin)
		for i := 0; header.Len() < size-len(before)-len(after)-len(end)-8; i++ {
			header.WriteString(before)
			for n := i; ; n /= 64 {
				header.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[n%64])
				if n < 64 {
					break
				}
			}
			header.WriteString(after)
		}
		header.WriteString(end)
		crafted = append(crafted, append(binary.LittleEndian.AppendUint64(nil, uint64(header.Len())), header.String()...))
	}
	of("", "[", "")
	of("", ",", "")
	of(`{"a":`, `{"a":`, "1}")
	of(`{"a":[0`, ",0", "]}")
	of(`{"__metadata__":{"uform":"`, `[`, `"}}`)
	of(`{"__metadata__":{"uform":"[0`, `,0`, `]"}}`)
	of(`{"__metadata__":{"uform":"`, `\u0041`, `"}}`)
	of(`{"a":1`, `0`, `}`)
	numbered(`{"__metadata__":{"a":""`, `,"`, `":""`, `}}`)
	numbered(`{"__metadata__":{}`, `,"`, `":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, `}`)
	numbered(`{"__metadata__":{"uform":"{\"a\":1`, `,\"`, `\":1`, `}"}}`)
	return crafted
}
