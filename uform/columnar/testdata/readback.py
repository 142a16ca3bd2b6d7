"""Reads a file of vectors with pyarrow: readback.py FILE.parquet|FILE.arrow TYPE COLUMNS BYTES ID...

It exits with an error unless the column "vector" is a fixed-size list of COLUMNS elements of TYPE
without nulls, whose memory is byte for byte the file BYTES, and the column "id" is ID.... The
expected bytes were written by Go from the arena, so nothing of Arrow's Go implementation stands
between the two.
"""

import sys

import numpy
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

path, element, columns, raw, ids = *sys.argv[1:5], sys.argv[5:]
if path.endswith(".parquet"):
    table = pyarrow.parquet.read_table(path)
else:
    table = pyarrow.ipc.open_stream(path).read_all()
table.validate(full=True)

kind = table.schema.field("vector").type
assert pyarrow.types.is_fixed_size_list(kind), kind
assert kind.list_size == int(columns), kind
assert str(kind.value_type) == element, kind

vectors = table.column("vector").combine_chunks()
values = vectors.flatten()
assert vectors.null_count == 0 and values.null_count == 0
expected = numpy.fromfile(raw, dtype=kind.value_type.to_pandas_dtype())
got = values.to_numpy(zero_copy_only=True)
assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
assert got.tobytes() == expected.tobytes(), "the vectors differ"
assert table.column("id").to_pylist() == ids, table.column("id")
print(len(vectors), kind)
