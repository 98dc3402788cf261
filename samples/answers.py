#!/usr/bin/env python3
"""Computes what the samples must give, apart from icewal: `python3 answers.py > answers.json`.

With a folder as argument, the same for other files of these names.
"""
import gzip
import json
import pathlib
import sys

FILES = ["packages-base", "packages-updates", "packages-security"]
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent


def summary(rows):
    rows = list(rows)
    return {
        "rows": len(rows),
        "sum_size_bytes": sum(r["size_bytes"] for r in rows),
        "sum_installed_kib": sum(r["installed_kib"] or 0 for r in rows),
        "null_homepages": sum(r["homepage"] is None for r in rows),
        "essential": sum(r["essential"] for r in rows),
        "depends": sum(len(r["depends"]) for r in rows),
        "tags": sum(len(r["tags"]) for r in rows),
        "description_bytes": sum(len((r["description"] or "").encode()) for r in rows),
    }


sent, table, answers = [], {}, {"sent": {}, "after": {}}
for name in FILES:
    with gzip.open(folder / f"{name}.ndjson.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    sent += rows
    table |= {(r["package"], r["architecture"]): r for r in rows}  # the last one wins
    answers["sent"][name] = len(rows)
    answers["after"][name] = summary(table.values())
answers["keyed"] = summary(table.values())
answers["append_only"] = summary(sent)
print(json.dumps(answers, indent=2))
