package rows

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// A number of a line is the shortest that reads back as the same float32.

func appendJSON(to []byte, row *Row, texts bool) []byte {
	to = append(to, `{"item":`...)
	to = appendString(to, row.Item)
	if texts {
		to = append(to, `,"text":`...)
		to = appendString(to, row.Text)
	}
	to = append(to, `,"embedding":[`...)
	for i, value := range row.Vector {
		if i > 0 {
			to = append(to, ',')
		}
		to = strconv.AppendFloat(to, float64(value), 'g', -1, 32)
	}
	return append(to, "]}\n"...)
}

func appendString(to []byte, text string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return append(to, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

// inTable escapes what would end a field or a line.
var inTable = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func appendTSV(to []byte, row *Row, texts bool) []byte {
	to = append(to, inTable.Replace(row.Item)...)
	if texts {
		to = append(to, '\t')
		to = append(to, inTable.Replace(row.Text)...)
	}
	for _, value := range row.Vector {
		to = append(to, '\t')
		to = strconv.AppendFloat(to, float64(value), 'g', -1, 32)
	}
	return append(to, '\n')
}
