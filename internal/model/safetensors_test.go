package model_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// raw returns a container with any header and body.
func raw(header string, body string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+body...)
}

func TestContainerIsRead(t *testing.T) {
	file := raw(`{"b":{"dtype":"I8","shape":[2],"data_offsets":[8,10],"note":[{"deep":[1.5,null,true]}]},`+
		`"a":{"data_offsets":[0,8],"dtype":"F32","shape":[1,2]},`+
		`"none":{"dtype":"F64","shape":[3,0],"data_offsets":[8,8]},`+
		`"one":{"dtype":"U8","shape":[],"data_offsets":[10,11]},`+
		`"__metadata__":{"k":"v","é":"\u00e9\n"}}   `, "abcdefghijk")
	container, err := model.ReadContainer(file)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"k": "v", "é": "é\n"}, container.Metadata)
	require.Equal(t, map[string]model.Tensor{
		"a":    {Name: "a", DType: model.F32, Shape: []int{1, 2}, Data: []byte("abcdefgh")},
		"b":    {Name: "b", DType: model.I8, Shape: []int{2}, Data: []byte("ij")},
		"none": {Name: "none", DType: model.F64, Shape: []int{3, 0}, Data: []byte{}},
		"one":  {Name: "one", DType: model.U8, Data: []byte("k")},
	}, container.Tensors)
	require.Same(t, &file[len(file)-11], &container.Tensors["a"].Data[0], "nothing is copied")
}

func TestContainerOfNothing(t *testing.T) {
	container, err := model.ReadContainer(raw("{}", ""))
	require.NoError(t, err)
	require.Empty(t, container.Tensors)
	require.Empty(t, container.Metadata)
}

func TestEveryDTypeHasItsSize(t *testing.T) {
	for dtype, size := range map[string]int{
		"F32": 4, "BF16": 2, "I8": 1, "U8": 1, "F16": 2, "F64": 8, "I16": 2, "I32": 4, "I64": 8, "U16": 2, "U32": 4, "U64": 8, "BOOL": 1,
	} {
		header := fmt.Sprintf(`{"x":{"dtype":%q,"shape":[3],"data_offsets":[0,%d]}}`, dtype, 3*size)
		_, err := model.ReadContainer(raw(header, strings.Repeat("x", 3*size)))
		require.NoError(t, err, dtype)
		_, err = model.ReadContainer(raw(header, strings.Repeat("x", 3*size-1)))
		require.ErrorIs(t, err, errors.ErrMalformed, dtype)
	}
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// manyTensors returns count empty tensors.
func manyTensors(count int) string {
	var header strings.Builder
	for i := range count {
		fmt.Fprintf(&header, `,"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	return "{" + header.String()[1:] + "}"
}

func TestContainerRefusals(t *testing.T) {
	one := func(dtype, shape, offsets string) string {
		return fmt.Sprintf(`{"weight":{"dtype":%q,"shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
	}
	two := func(first, second string) string {
		return fmt.Sprintf(`{"a":{"dtype":"U8","shape":[4],"data_offsets":%s},"b":{"dtype":"U8","shape":[4],"data_offsets":%s}}`, first, second)
	}
	valid := one("U8", "[4]", "[0,4]")
	for _, refusal := range []struct {
		name     string
		file     []byte
		mentions string
	}{
		{"nothing at all", nil, "0 bytes"},
		{"seven bytes", []byte("\x02\x00\x00\x00\x00\x00\x00"), "7 bytes"},
		{"a header above 16 MiB", raw(valid+strings.Repeat(" ", 16<<20), "data"), "exceeds"},
		{"a header past the end", raw(valid, "data")[:20], "past"},
		{"a header length of 2⁶⁴−1", append(bytes.Repeat([]byte{0xFF}, 8), "{}"...), "exceeds"},
		{"an empty header", raw("", ""), "not JSON"},
		{"an array", raw("[]", ""), "an array instead of an object"},
		{"a string", raw(`"x"`, ""), "a string instead of an object"},
		{"null", raw("null", ""), "null instead of an object"},
		{"two objects", raw("{}{}", ""), "not JSON"},
		{"a trailing comma", raw(`{"__metadata__":{},}`, ""), "not JSON"},
		{"bytes that are not UTF-8", raw("{\"\xFF\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", ""), "UTF-8"},
		{"a NUL as padding", raw("{}\x00", ""), "not JSON"},
		{"a tensor twice", raw(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}`, "datadata"), `"a" occurs twice`},
		{"a tensor twice, once escaped", raw(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"\u0061":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}`, "datadata"), "twice"},
		{"metadata twice", raw(`{"__metadata__":{},"__metadata__":{}}`, ""), "twice"},
		{"a metadata key twice", raw(`{"__metadata__":{"k":"1","k":"2"}}`, ""), `"k" occurs twice`},
		{"a member of a tensor twice", raw(`{"weight":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, "data"), `"dtype" occurs twice`},
		{"a member of what is ignored twice", raw(`{"weight":{"x":{"y":1,"y":2},"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, "data"), `"y" occurs twice`},
		{"seventeen levels", raw(`{"weight":{"x":`+nested(15)+`,"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, "data"), "deeper than 16"},
		{"twenty thousand levels", raw(nested(20000), ""), "not JSON"},
		{"metadata that is no object", raw(`{"__metadata__":[]}`, ""), "__metadata__"},
		{"metadata of numbers", raw(`{"__metadata__":{"k":1}}`, ""), `"k": a number instead of a string`},
		{"a tensor that is no object", raw(`{"weight":4}`, ""), `"weight": a number instead of an object`},
		{"an unknown dtype", raw(one("F8_E4M3", "[4]", "[0,4]"), "data"), "weight"},
		{"a dtype in lower case", raw(one("u8", "[4]", "[0,4]"), "data"), "weight"},
		{"a dtype that is a number", raw(`{"weight":{"dtype":8,"shape":[4],"data_offsets":[0,4]}}`, "data"), "dtype"},
		{"no dtype", raw(`{"weight":{"shape":[4],"data_offsets":[0,4]}}`, "data"), "weight"},
		{"no shape", raw(`{"weight":{"dtype":"U8","data_offsets":[0,1]}}`, "d"), "no shape"},
		{"no offsets", raw(`{"weight":{"dtype":"U8","shape":[0]}}`, ""), "no data_offsets"},
		{"nine dimensions", raw(one("U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), "d"), "more than 8"},
		{"a negative dimension", raw(one("U8", "[-1]", "[0,4]"), "data"), "shape: -1"},
		{"a dimension of minus zero", raw(one("U8", "[-0]", "[0,0]"), ""), "shape: -0"},
		{"a fraction of a dimension", raw(one("U8", "[4.5]", "[0,4]"), "data"), "shape: 4.5"},
		{"a dimension in quotes", raw(one("U8", `["4"]`, "[0,4]"), "data"), "a string instead of a number"},
		{"a dimension past 63 bits", raw(one("U8", "[9223372036854775808]", "[0,4]"), "data"), "shape"},
		{"a size past 63 bits", raw(one("F32", "[2305843009213693952]", "[0,4]"), "data"), "too large"},
		{"a size that wraps to 4", raw(one("U8", "[4294967296,4294967296,4]", "[0,4]"), "data"), "too large"},
		{"a shape that is no array", raw(one("U8", "4", "[0,4]"), "data"), "shape"},
		{"one offset", raw(one("U8", "[0]", "[0]"), ""), "1 offsets"},
		{"three offsets", raw(one("U8", "[4]", "[0,4,8]"), "data"), "two offsets"},
		{"a negative offset", raw(one("U8", "[4]", "[-4,0]"), "data"), "-4"},
		{"offsets that end before they begin", raw(one("U8", "[0]", "[4,0]"), "data"), "data_offsets"},
		{"fewer bytes than the shape", raw(one("F32", "[2]", "[0,4]"), "data"), "takes 8 bytes"},
		{"more bytes than the shape", raw(one("U8", "[3]", "[0,4]"), "data"), "takes 3 bytes"},
		{"a body that is too short", raw(valid, "dat"), "weight"},
		{"a body that is too long", raw(valid, "data!"), "1 bytes follow"},
		{"a body without tensors", raw("{}", "x"), "1 bytes follow"},
		{"a gap at the start", raw(one("U8", "[4]", "[1,5]"), "-data"), "weight"},
		{"a gap", raw(two("[0,4]", "[5,9]"), "data-data"), `"b" begins at 5`},
		{"an overlap", raw(two("[0,4]", "[3,7]"), "datadat"), `"b" begins at 3`},
		{"the same place twice", raw(two("[0,4]", "[0,4]"), "data"), "begins at 0"},
		{"an empty tensor inside another", raw(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}}`, "data"), `"b" begins at 2`},
		{"65,537 tensors", raw(manyTensors(65537), ""), "more than 65536"},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			_, err := model.ReadContainer(refusal.file)
			require.ErrorIs(t, err, errors.ErrMalformed)
			require.ErrorContains(t, err, refusal.mentions)
		})
	}
}

func TestContainerLimitsAreAllowed(t *testing.T) {
	for name, file := range map[string][]byte{
		"sixteen levels":          raw(`{"weight":{"x":`+nested(14)+`,"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, "data"),
		"eight dimensions":        raw(`{"weight":{"dtype":"U8","shape":[1,1,1,1,1,1,1,4],"data_offsets":[0,4]}}`, "data"),
		"65,536 tensors":          raw(manyTensors(65536), ""),
		"16 MiB of header":        raw("{}"+strings.Repeat(" ", 16<<20-2), ""),
		"a huge shape of nothing": raw(`{"weight":{"dtype":"F64","shape":[1073741824,1073741824,0],"data_offsets":[0,0]}}`, ""),
	} {
		_, err := model.ReadContainer(file)
		require.NoError(t, err, name)
	}
}
