"""Arrow forms that pyarrow sends and Java does not, checked value by value.

Called with the server's address.
"""
import json
import sys

import pyarrow as pa
import pyarrow.flight as fl

client = fl.connect(sys.argv[1])


def action(name, **body):
    request = fl.Action(name, json.dumps(body).encode())
    return json.loads(next(iter(client.do_action(request))).body.to_pybytes())


def create(table, columns, key=("id",)):
    action("icewal.create_table", table=["py", table], columns=columns, key=list(key))


def put(table, batches, schema=None, ipc=None, **options):
    descriptor = fl.FlightDescriptor.for_command(json.dumps({"table": ["py", table], **options}))
    writer, answers = client.do_put(
        descriptor, schema or batches[0].schema,
        fl.FlightCallOptions(write_options=ipc) if ipc else None)
    got = []
    with writer:
        for batch in batches:
            writer.write_batch(batch)
        writer.done_writing()
        while (answer := answers.read()) is not None:
            got.append(json.loads(answer.to_pybytes()))
    return got


def read(table, **options):
    ticket = fl.Ticket(json.dumps({"table": ["py", table], **options}).encode())
    return client.do_get(ticket).read_all()


def by_id(table):
    return {row["id"]: row for row in read(table).to_pylist()}


def all_ok(answers, count):
    assert [a["status"] for a in answers] == ["ok"] * count, answers


def dictionaries(deltas):
    """b116: a dictionary is replaced, then extended, with nulls in index and dictionary, nested."""
    table = "dict_delta" if deltas else "dict"
    create(table, "id bigint, s string, l list<string>, st struct<x string>")
    kind = pa.dictionary(pa.int8(), pa.string())
    schema = pa.schema([("id", pa.int64()), ("s", kind), ("l", pa.list_(kind)),
                        ("st", pa.struct([("x", kind)]))])

    def batch(first, words, indices):
        index = pa.array(indices, pa.int8())
        coded = pa.DictionaryArray.from_arrays(index, pa.array(words))
        size = len(indices)
        lists = pa.ListArray.from_arrays(pa.array(range(size + 1), pa.int32()), coded)
        struct = pa.StructArray.from_arrays([coded], ["x"])
        return pa.record_batch(
            [pa.array(range(first, first + size), pa.int64()), coded, lists, struct], schema=schema)

    batches = [
        batch(0, ["a", "b"], [0, 1, None]),
        batch(10, ["c", "d"], [1, 0]),
        batch(20, ["c", "d", "e"], [2, 0, 1]),
        batch(30, ["c", "d", "e"], []),
        batch(40, ["c", "d", "e", None], [3, 2]),
    ]
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)
    all_ok(put(table, batches, schema, options), 5)
    words = {0: "a", 1: "b", 2: None, 10: "d", 11: "c", 20: "e", 21: "c", 22: "d", 40: None, 41: "e"}
    rows = by_id(table)
    assert {i: r["s"] for i, r in rows.items()} == words, rows
    assert {i: r["l"] for i, r in rows.items()} == {i: [w] for i, w in words.items()}, rows
    assert {i: r["st"]["x"] for i, r in rows.items()} == words, rows


def slices():
    """b121: slices that begin anywhere, and lists that are empty at all levels."""
    create("slices", "id bigint, b boolean, s string, l list<int>, m map<string,int>, "
                     "ll list<list<string>>")
    size = 40
    whole = pa.record_batch({
        "id": pa.array(range(size), pa.int64()),
        "b": pa.array([i % 3 == 0 for i in range(size)]),
        "s": pa.array([None if i % 5 == 0 else "s" * (i % 7) for i in range(size)]),
        "l": pa.array([list(range(i % 4)) for i in range(size)], pa.list_(pa.int32())),
        "m": pa.array([[(f"k{j}", j) for j in range(i % 3)] for i in range(size)],
                      pa.map_(pa.string(), pa.int32())),
        "ll": pa.array([[["x"] * j for j in range(i % 3)] for i in range(size)],
                       pa.list_(pa.list_(pa.string()))),
    })
    parts = [whole.slice(0, 1), whole.slice(1, 6), whole.slice(7, 20), whole.slice(27)]
    all_ok(put("slices", parts), 4)
    expected = {row["id"]: row for row in whole.to_pylist()}
    rows = by_id("slices")
    for row in list(rows.values()) + list(expected.values()):
        row["m"] = dict(row["m"])
    assert rows == expected, (rows, expected)
    empty = pa.record_batch({
        "id": pa.array([100, 101], pa.int64()),
        "l": pa.array([[], []], pa.list_(pa.int32())),
        "ll": pa.array([[], []], pa.list_(pa.list_(pa.string()))),
        "m": pa.array([[], []], pa.map_(pa.string(), pa.int32())),
    })
    all_ok(put("slices", [empty]), 1)
    assert by_id("slices")[100]["ll"] == []


def empties():
    """b122: batches without rows, and a stream without batches."""
    create("empties", "id bigint, s string")
    none = pa.record_batch({"id": pa.array([], pa.int64()), "s": pa.array([], pa.string())})
    one = pa.record_batch({"id": pa.array([1], pa.int64()), "s": ["x"]})
    all_ok(put("empties", [none, one, none]), 3)
    assert put("empties", [], one.schema) == []
    assert by_id("empties") == {1: {"id": 1, "s": "x"}}


def other_forms():
    """Wider and narrower forms of the same values, without loss."""
    create("forms", "id bigint, s string, b binary, i int, t timestamptz, d decimal(12,2), u uuid")
    batch = pa.record_batch({
        "id": pa.array([1, 2], pa.int8()),
        "s": pa.array(["é" * 30, None], pa.large_string()),
        "b": pa.array([b"\0\1", b""], pa.large_binary()),
        "i": pa.array([7, None], pa.uint16()),
        "t": pa.array([1, 2], pa.timestamp("s", "UTC")),
        "d": pa.array([1, None], pa.decimal128(5, 2)),
        "u": pa.array([b"0123456789abcdef", None], pa.binary(16)),
    })
    all_ok(put("forms", [batch]), 1)
    row = by_id("forms")[1]
    assert row["s"] == "é" * 30 and row["i"] == 7 and row["b"] == b"\0\1", row
    assert row["t"].timestamp() == 1, row


def compressed():
    """Compressed buffers are refused before anything is stored, and the server lives."""
    create("compressed", "id bigint")
    batch = pa.record_batch({"id": pa.array(range(1000), pa.int64())})
    try:
        put("compressed", [batch], ipc=pa.ipc.IpcWriteOptions(compression="zstd"))
        raise SystemExit("compressed batch was taken")
    except (fl.FlightError, pa.ArrowInvalid) as e:
        assert "compress" in str(e), e
    assert read("compressed").num_rows == 0


def errors():
    """A whole stream's error is a status with JSON in its details."""
    create("errors", "id bigint, name string")
    batch = pa.record_batch({"id": pa.array([1], pa.int64()), "nam": ["x"]})
    try:
        put("errors", [batch])
        raise SystemExit("unknown column was taken")
    except (fl.FlightError, pa.ArrowInvalid) as e:
        assert "nam" in str(e), e
    for command in (b'{"table": ["py", "errors"], "mod": "reject"}', b"{", b'{"table": "errors"}'):
        try:
            writer, answers = client.do_put(fl.FlightDescriptor.for_command(command), batch.schema)
            with writer:
                writer.write_batch(batch)
                answers.read()
            raise SystemExit(f"{command} was taken")
        except (fl.FlightError, pa.ArrowInvalid) as e:
            pass
    try:
        client.do_get(fl.Ticket(b'{"table": ["py", "nothing"]}')).read_all()
        raise SystemExit("read of no table")
    except (fl.FlightError, pa.ArrowKeyError) as e:
        assert "nothing" in str(e), e
    try:
        client.do_get(fl.Ticket(b"\x0a\x03abc")).read_all()
        raise SystemExit("Flight SQL ticket was taken")
    except (fl.FlightError, pa.ArrowException):
        pass


def info():
    """Flight info by path and by command, and the schema of a read."""
    create("info", "id bigint, at timestamptz, tags list<string>")
    by_path = client.get_flight_info(fl.FlightDescriptor.for_path("py", "info"))
    assert by_path.schema.names == ["id", "at", "tags"], by_path.schema
    command = json.dumps({"table": ["py", "info"], "columns": ["tags", "id"]})
    by_command = client.get_flight_info(fl.FlightDescriptor.for_command(command))
    assert by_command.schema.names == ["tags", "id"], by_command.schema
    assert client.do_get(by_command.endpoints[0].ticket).read_all().num_rows == 0
    assert client.get_schema(fl.FlightDescriptor.for_command(command)).schema.names == ["tags", "id"]
    names = [a.type for a in client.list_actions()]
    assert "icewal.flush_table" in names, names


for run in (lambda: dictionaries(False), lambda: dictionaries(True), slices, empties, other_forms,
            compressed, errors, info):
    run()
print("ok")
