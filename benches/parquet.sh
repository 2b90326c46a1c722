#!/bin/bash
# A profile of a Parquet trace of IOS I/Os (default 5,000,000), and the same counters by DuckDB, by turns, each on one
# processor (CORE, default 0), median of RUNS (default 5) in seconds of processor time. Fails where the counters differ.
# DuckDB is taken from PyPI into a virtual environment of this run; PYTHON names another Python that has it.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2154 # of lib.sh
need taskset util-linux
ios=${IOS:-5000000}
runs=${RUNS:-5}
pin=(taskset -c "${CORE:-0}")
python=${PYTHON:-$scratch/venv/bin/python}
if [ ! -x "$python" ]; then
    python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet duckdb
fi
trace=$scratch/t.parquet
"$ioalign" trace generate --format parquet -o "$trace" --ios "$ios" --misaligned 17% --sizes "4k:50,8k:30,64k:20" --processes 8 2>/dev/null

# `spent OUTPUT COMMAND…`: seconds of processor time.
spent() {
    local output=$1 TIMEFORMAT='%3U %3S'
    shift
    { time "${pin[@]}" "$@" >"$output" 2>"$scratch/stderr"; } 2>&1 | awk '{ print $1 + $2 }'
}
for ((i = 0; i < runs; i++)); do
    a=$(spent "$scratch/own.json" "$ioalign" trace summarize "$trace" --json)
    b=$(spent "$scratch/duckdb.json" "$python" "$here/benches/parquet_duckdb.py" "$trace")
    echo "$a $b"
done | awk -v ios="$ios" '
    { own[NR] = $1; peer[NR] = $2; ratio[NR] = $2 / $1 }
    END {
        m = int((NR + 1) / 2)
        asort_(own, NR); asort_(peer, NR); asort_(ratio, NR)
        printf "ioalign %.3f s (%.1f M rows/s), DuckDB %.3f s (%.1f M rows/s), ratio %.2f (%.2f to %.2f)\n",
            own[m], ios / own[m] / 1e6, peer[m], ios / peer[m] / 1e6, ratio[m], ratio[1], ratio[NR]
    }
    function asort_(all, n, i, j, one) {
        for (i = 2; i <= n; i++) {
            one = all[i]
            for (j = i - 1; j > 0 && all[j] > one; j--) all[j + 1] = all[j]
            all[j + 1] = one
        }
    }'
python3 - "$scratch/own.json" "$scratch/duckdb.json" <<'PY'
import json, sys
own, peer = (json.load(open(path)) for path in sys.argv[1:])
device = own["devices"][0]
for op, ios, length, *_ in peer["ops"]:
    mine = device["by_op"][op]
    assert (mine["ios"], mine["bytes"]) == (ios, length), op
    starts = {power: count for o, power, count in peer["starts"] if o == op}
    for k, count in enumerate(mine["start_pow2_histogram"][:63]):
        assert starts.get(1 << k, 0) == count, (op, k)
    straddling = [0] * 64
    for o, fits, crossed, count in peer["straddling"]:
        for k in range(int(fits), int(crossed) + 1):
            straddling[k] += count if o == op else 0
    assert straddling[9:40] == mine["straddling_pow2"][9:40], op
for op, off, odd, touched, least in peer["grid"]:
    grid = next(grid for grid in device["grids"] if grid["op"] == op)
    found = (grid["start_off_grid"], grid["length_not_multiple"], grid["cells_touched"], grid["cells_minimum"])
    assert found == (off, odd, touched, least), op
print("the counters are equal")
PY
