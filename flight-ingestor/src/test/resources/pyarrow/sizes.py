"""Batches of every size, up to what Flight itself can carry.

Called with the server's address. Prints a line for each: its name, then `stored` or why not.
"""
import json
import sys

import pyarrow as pa
import pyarrow.flight as fl

client = fl.connect(sys.argv[1])
descriptor = fl.FlightDescriptor.for_path("py", "sizes")
schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("v", pa.large_binary())])


def action(name, **body):
    request = fl.Action(name, json.dumps(body).encode())
    return json.loads(next(iter(client.do_action(request))).body.to_pybytes())


def put(name, rows, bytes_each):
    value = bytes(bytes_each)
    batch = pa.record_batch([pa.array(range(rows), pa.int64()),
                             pa.array([value] * rows, pa.large_binary())], schema)
    try:
        writer, answers = client.do_put(descriptor, schema)
        with writer:
            writer.write_batch(batch)
            writer.done_writing()
            answer = json.loads(answers.read().to_pybytes())
        if answer["status"] == "ok":
            print(name, "stored")
        else:
            print(name, "refused:", answer["verdicts"][0]["message"])
    except (pa.ArrowException, fl.FlightError) as error:
        print(name, "refused:", " ".join(str(error).split())[:300])


action("icewal.create_table", table=["py", "sizes"], columns="id bigint not null, v binary",
       key=["id"])
put("5MB", 5, 1_000_000)
put("100MB", 100, 1_000_000)
put("300MB", 300, 1_000_000)
put("one-value-of-600MB", 1, 600_000_000)
put("1.9GB", 1_900, 1_000_000)
put("2.2GB", 2_200, 1_000_000)
put("afterwards", 3, 10)
ticket = fl.Ticket(json.dumps({"table": ["py", "sizes"], "columns": ["id"]}).encode())
print("rows", client.do_get(ticket).read_all().num_rows)
