package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// pyarrow reads the Parquet of embed: items, texts, and the floats that the JSON lines have. The
// variable names a Python that has pyarrow.
func TestPyarrowReadsTheParquet(t *testing.T) {
	python := os.Getenv("UFORM_PYARROW")
	if python == "" {
		t.Skip("UFORM_PYARROW does not name a Python with pyarrow: run ci/arrow.sh")
	}
	folder := t.TempDir()
	write(t, folder, "in.txt", "a cat\na dog with \"quotes\"\n日本語\n")
	done(t, folder, "", "embed", "in.txt", "--text", "-o", "out.parquet")
	done(t, folder, "", "embed", "in.txt", "--text", "-o", "out.jsonl")
	read := exec.CommandContext(t.Context(), python, "-c", `
import json, pyarrow.parquet, numpy
table = pyarrow.parquet.read_table("out.parquet")
assert table.schema.field("embedding").type.value_type == "float", table.schema
lines = [json.loads(line) for line in open("out.jsonl", encoding="utf-8")]
assert table.num_rows == len(lines) == 3, table.num_rows
for row, line in zip(table.to_pylist(), lines):
    assert row["item"] == line["item"] and row["text"] == line["text"], (row, line)
    assert numpy.array_equal(numpy.float32(row["embedding"]), numpy.float32(line["embedding"])), line["item"]
print(json.dumps([row["text"] for row in table.to_pylist()]))
`)
	read.Dir = folder
	said, err := read.CombinedOutput()
	require.NoError(t, err, string(said))
	var texts []string
	require.NoError(t, json.Unmarshal(said, &texts))
	require.Equal(t, []string{"a cat", `a dog with "quotes"`, "日本語"}, texts)
}
