#!/bin/bash
# Traces: `trace summarize` against blkparse and btt on the same blktrace of IOS I/Os (default 1,000,000: five
# million records), then blkparse text, perf script text, CSV and Parquet of the same I/Os; and peak memory on
# many devices and a generated stream of STREAM_GB (default 1) through a pipe, which must stay below LIMIT_KIB.
#
# Speeds are per second of processor time (user and system, all threads) on one processor (CORE, default 0), median
# of RUNS (default 3; of blkparse and btt PEER_RUNS, as many): threads that run side by side slow each other down, and their sum says nothing of one core. The same
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

# `cpu COMMAND…`: seconds of processor time, median of the runs, then the wall time and peak KiB of the same run. By the
# shell's clock, to a millisecond: GNU time has steps of ten.
cpu() {
    local i TIMEFORMAT='%3U %3S %3R'
    for ((i = 0; i < runs; i++)); do
        { time "${pin[@]}" "$(type -P time)" -f %M -o "$scratch/peak" "$@" >/dev/null 2>"$scratch/stderr"; } 2>"$scratch/time" || {
            cat "$scratch/stderr" >&2
            exit 1
        }
        awk '{ getline kib < "'"$scratch/peak"'"; print $1 + $2, $3, kib }' "$scratch/time"
    done | sort -n | awk '{ all[NR] = $0 } END { print all[int((NR + 1) / 2)] }'
}

# `show NAME UNITS UNIT SECONDS WALL KIB`.
show() {
    awk -v name="$1" -v units="$2" -v unit="$3" -v cpu="$4" -v wall="$5" -v kib="$6" 'BEGIN {
        cpu = cpu > 0.001 ? cpu : 0.001
        printf "%-34s %7.3f s processor  %7.3f s wall  %8.1f %s a core  %6d KiB\n", name, cpu, wall, units / cpu / 1e6, unit, kib
    }'
}

records=$(($(stat -c %s "$folder/t.blktrace.0") / 48))
echo "$ios I/Os, $records blktrace records"
btt_pair() { (cd "$folder" && blkparse -i t -d merged -O >/dev/null && btt -i merged -o btt >/dev/null); }
export -f btt_pair
export folder
read -r peer wall kib <<<"$(runs=${PEER_RUNS:-$runs} cpu bash -c btt_pair)"
show "blkparse -d and btt" "$records" "M records/s" "$peer" "$wall" "$kib"
read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/t.blktrace.0" --json)"
show "ioalign, the same file" "$records" "M records/s" "$own" "$wall" "$kib"
read -r clock wall kib <<<"$(cpu md5sum "$folder/t.blktrace.0")"
show "md5sum, the same file" "$(stat -c %s "$folder/t.blktrace.0")" "MB/s" "$clock" "$wall" "$kib"
awk -v a="$peer" -v b="$own" -v c="$clock" 'BEGIN { printf "ratio %.1f; %.2f of md5sum\n", a / b, b / c }'
for format in blkparse perf csv; do
    read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/$format" --json)"
    show "ioalign, $format text" "$(stat -c %s "$folder/$format")" "MB/s" "$own" "$wall" "$kib"
done
read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/parquet" --json)"
show "ioalign, Parquet" "$ios" "M rows/s" "$own" "$wall" "$kib"
read -r own wall kib <<<"$(cpu "$ioalign" trace convert "$folder/t.blktrace.0" -q --force -o "$folder/again.parquet")"
show "blktrace to Parquet" "$records" "M records/s" "$own" "$wall" "$kib"
stat -c 'Parquet: %s bytes' "$folder/again.parquet"

pin=()
for file in "t.blktrace.0 $records records" "parquet $ios rows"; do
    read -r file units unit <<<"$file"
    read -r own wall kib <<<"$(cpu "$ioalign" trace summarize "$folder/$file" --json)"
    show "$file, all processors" "$units" "M $unit/s" "$own" "$wall" "$kib"
done

# Memory: a hundred processes on each of 4,100 devices, then a million devices.
devices() { # DEVICES PROCESSES ROUNDS
    awk -v devices="$1" -v processes="$2" -v rounds="$3" 'BEGIN {
        srand(1); print "time_ns,op,offset_bytes,length_bytes,latency_ns,device,pid,process"
        for (r = 0; r < rounds; r++) for (p = 0; p < processes; p++) for (d = 0; d < devices; d++)
            printf "%d,%s,%d,%d,%d,dm-%d,%d,p%d\n", t += 1000, rand() < 0.5 ? "read" : "write", int(rand() * 2 ^ 30) * 512,
                (1 + int(rand() * 255)) * 512, rand() * 2 ^ 24, d, p + 100 * d, p
    }' >"$folder/devices"
    kib=$(peak_kib "$ioalign" trace summarize "$folder/devices" --json)
    echo "$1 devices, $2 processes on each: peak $kib KiB"
    [ "$kib" -le "$limit" ] || { echo "more than $limit KiB" >&2 && exit 1; }
}
devices 4100 100 3
devices 1000000 1 1

# Memory: a stream that is never stored.
stream=$((${STREAM_GB:-1} * 1000000000 / 240))
"$ioalign" trace generate --ios $stream "${workload[@]:2}" | command time -f '%U %S %e %M' -o "$scratch/time" "$ioalign" trace summarize - --json >/dev/null
read -r user system wall kib <"$scratch/time"
awk -v gb="${STREAM_GB:-1}" -v cpu="$user" -v sys="$system" -v wall="$wall" -v kib="$kib" 'BEGIN {
    printf "a stream of %d GB through a pipe: %.1f s processor, %.1f s wall, peak %d KiB\n", gb, cpu + sys, wall, kib }'
[ "$kib" -le "$limit" ] || { echo "more than $limit KiB" >&2 && exit 1; }
