#!/bin/bash
# Traces: `trace summarize` against blkparse and btt on the same blktrace of IOS I/Os (default 1,000,000: five
# million records), then blkparse text, perf script text, CSV and Parquet of the same I/Os; and peak memory on
# a generated stream of STREAM_GB (default 1) through a pipe, which must stay below LIMIT_KIB.
#
# Speeds are per second of processor time (user and system, all threads) on one processor (CORE, default 0), median
# of RUNS (default 3): threads that run side by side slow each other down, and their sum says nothing of one core. The same
# on all processors follows, for the wall time.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2154 # of lib.sh
need blkparse blktrace
need btt blktrace
need /usr/bin/time time
need taskset util-linux
pin=(taskset -c "${CORE:-0}")
ios=${IOS:-1000000}
runs=${RUNS:-3}
limit=${LIMIT_KIB:-131072}
folder=${TRACES:-/dev/shm}/ioalign-bench.$$
mkdir "$folder"
trap 'rm -rf "$scratch" "$folder"' EXIT

workload=(--ios "$ios" --misaligned 17% --sizes "4k:50,8k:30,64k:20" --iops 100000 --processes 8)
for format in blktrace blkparse csv parquet; do
    "$ioalign" trace generate --format "$format" -o "$folder/$format" "${workload[@]}"
done
mv "$folder/blktrace" "$folder/t.blktrace.0"
awk '($6 == "D" || $6 == "C") && $9 == "+" {
    issue = $6 == "D"; comm = issue ? substr($11, 2, length($11) - 2) : "swapper"
    split($4, t, ".")
    printf "%16s %5d [000] %d.%s: block:block_rq_%s: %s %s ", comm, $5, t[1] + 1000, substr(t[2], 1, 6), issue ? "issue" : "complete", $1, $7
    if (issue) printf "%d ", $10 * 512
    printf "() %d + %d 0x2,0,4 [%s]\n", $8, $10, issue ? comm : "0"
}' "$folder/blkparse" >"$folder/perf"

# `cpu COMMAND…`: seconds of processor time, median of the runs, then the wall time and peak KiB of the last.
cpu() {
    local i
    for ((i = 0; i < runs; i++)); do
        command time -f '%U %S %e %M' -o "$scratch/time" "${pin[@]}" "$@" >/dev/null 2>"$scratch/stderr" || {
            cat "$scratch/stderr" >&2
            exit 1
        }
        awk '{ print $1 + $2, $3, $4 }' "$scratch/time"
    done | sort -n | awk '{ all[NR] = $0 } END { print all[int((NR + 1) / 2)] }'
}

# `show NAME UNITS UNIT SECONDS WALL KIB`.
show() {
    awk -v name="$1" -v units="$2" -v unit="$3" -v cpu="$4" -v wall="$5" -v kib="$6" 'BEGIN {
        cpu = cpu > 0.005 ? cpu : 0.005
        printf "%-34s %6.2f s processor  %6.2f s wall  %8.1f %s a core  %6d KiB\n", name, cpu, wall, units / cpu / 1e6, unit, kib
    }'
}

records=$(($(stat -c %s "$folder/t.blktrace.0") / 48))
echo "$ios I/Os, $records blktrace records"
btt_pair() { (cd "$folder" && blkparse -i t -d merged -O >/dev/null && btt -i merged -o btt >/dev/null); }
export -f btt_pair
export folder
read -r peer wall kib <<<"$(cpu bash -c btt_pair)"
show "blkparse -d and btt" "$records" "M records/s" "$peer" "$wall" "$kib"
read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/t.blktrace.0" --json)"
show "ioalign, the same file" "$records" "M records/s" "$own" "$wall" "$kib"
awk -v a="$peer" -v b="$own" 'BEGIN { printf "ratio %.1f\n", a / b }'
for format in blkparse perf csv; do
    read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/$format" --json)"
    show "ioalign, $format text" "$(stat -c %s "$folder/$format")" "MB/s" "$own" "$wall" "$kib"
done
read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/parquet" --json)"
show "ioalign, Parquet" "$ios" "M rows/s" "$own" "$wall" "$kib"
read -r own wall kib <<<"$(cpu "$ioalign" trace convert "$folder/t.blktrace.0" -q -o "$folder/again.parquet")"
show "blktrace to Parquet" "$records" "M records/s" "$own" "$wall" "$kib"
stat -c 'Parquet: %s bytes' "$folder/again.parquet"

pin=()
for file in "t.blktrace.0 $records records" "parquet $ios rows"; do
    read -r file units unit <<<"$file"
    read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/$file" --json)"
    show "$file, all processors" "$units" "M $unit/s" "$own" "$wall" "$kib"
done

# Memory: a stream that is never stored.
stream=$((${STREAM_GB:-1} * 1000000000 / 240))
"$ioalign" trace generate --ios $stream "${workload[@]:2}" | command time -f '%U %S %e %M' -o "$scratch/time" "$ioalign" trace summarize - --json >/dev/null
read -r user system wall kib <"$scratch/time"
awk -v gb="${STREAM_GB:-1}" -v cpu="$user" -v sys="$system" -v wall="$wall" -v kib="$kib" 'BEGIN {
    printf "a stream of %d GB through a pipe: %.1f s processor, %.1f s wall, peak %d KiB\n", gb, cpu + sys, wall, kib }'
[ "$kib" -le "$limit" ] || { echo "more than $limit KiB" >&2 && exit 1; }
