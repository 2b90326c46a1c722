"""The counters of a profile that do not depend on the order of I/Os, by DuckDB: called by parquet.sh.

Prints one JSON object. What depends on order (streams, bursts, queue depth, read before write) is left out, which is to
DuckDB's favour."""

import json
import sys

import duckdb

db = duckdb.connect()
db.execute("SET threads = 1")
path = sys.argv[1]
last = "(offset_bytes + length_bytes - 1)"
QUERIES = {
    "ops": "SELECT op, count(*), sum(length_bytes), max(latency_ns), avg(latency_ns) FROM t GROUP BY op",
    "sizes": "SELECT op, length_bytes, count(*), count(*) FILTER (offset_bytes % 4096 <> 0) FROM t GROUP BY ALL",
    "starts": "SELECT op, offset_bytes & -offset_bytes AS p, count(*) FROM t GROUP BY ALL",
    "lengths": "SELECT op, length_bytes & -length_bytes AS p, count(*) FROM t GROUP BY ALL",
    "sectors": "SELECT op, (offset_bytes >> 9) & 7 AS s, count(*), count(*) FILTER (length_bytes % 4096 = 0) FROM t GROUP BY ALL",
    # An I/O straddles cells of 2^k from the power that it fits into up to the highest bit that it changes.
    "straddling": f"SELECT op, ceil(log2(length_bytes)) AS fits, floor(log2(greatest(xor(offset_bytes, {last}), 1))) AS crossed, count(*) FROM t GROUP BY ALL",
    "grid": f"SELECT op, count(*) FILTER (offset_bytes % 4096 <> 0), count(*) FILTER (length_bytes % 4096 <> 0), sum({last} // 4096 - offset_bytes // 4096 + 1), sum((length_bytes + 4095) // 4096) FROM t GROUP BY op",
    "latencies": "SELECT op, floor(log2(latency_ns + 1) * 32) AS class, count(*) FROM t GROUP BY ALL",
    "processes": "SELECT pid, process, op, count(*), sum(length_bytes), offset_bytes & -offset_bytes AS p FROM t GROUP BY ALL",
}
db.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{path}')")
out = {name: [list(row) for row in db.execute(query).fetchall()] for name, query in QUERIES.items()}
json.dump(out, sys.stdout, default=float)
