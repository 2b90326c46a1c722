#!/bin/bash
# Simulated I/Os for each second of processor time: levels, reads and writes, aligned and not, a pool of 60 SSDs;
# whether time grows with the number of I/Os and memory does not. IOS (default 10,000,000) of each run; the floors are
# 10 million for RAID 0 and 10, 5 million for parity, 2 million for the pool. CHECK=1 fails below them.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
ios=${IOS:-10000000}
TIMEFORMAT=%U
missed=0

# `rate FLOOR IOS NAME ARGUMENTS…`: millions of I/Os a second of processor time, the best of RUNS (3).
rate() {
    local floor=$1 count=$2 name=$3 best=0 seconds
    shift 3
    for _ in $(seq "${RUNS:-3}"); do
        seconds=$({ time "$ioalign" simulate "$@" --ios "$count" >/dev/null 2>&1; } 2>&1)
        best=$(awk -v n="$count" -v s="$seconds" -v b="$best" 'BEGIN {r = n / s / 1e6; print (r > b ? r : b)}')
    done
    awk -v b="$best" -v f="$floor" -v n="$name" \
        'BEGIN {printf "%-52s %6.2f million a second, floor %s%s\n", n, b, f, (b < f ? ": below" : "")}'
    awk -v b="$best" -v f="$floor" 'BEGIN {exit !(b < f)}' && missed=1
    return 0
}

for array in raid0:4x64k raid10:4x64k; do
    rate 10 "$ios" "$array read 2048" run $array randread:16k:qd32 --start 2048s
    rate 10 "$ios" "$array write 2048" run $array randwrite:16k:qd32 --start 2048s
done
for array in raid5:4x64k raid5:4x64k:md raid6:6x64k; do
    rate 5 "$ios" "$array read 2048" run $array randread:16k:qd32 --start 2048s
    rate 5 "$ios" "$array write 2048" run $array randwrite:16k:qd32 --start 2048s
done
# One row of tiles and one of a single load, each on groups and in the pool, with a tenth of warm-up: 4.4 runs of
# which the pool is one half.
rate 0.45 "$((ios / 5))" "60 SSDs, groups and pool (4.4 runs: floor 2 / 4.4)" \
    provision --tiles 13 --disk ssd-group --filled 50

echo
echo "growth: a tenth, all"
for count in $((ios / 10)) "$ios"; do
    seconds=$({ time "$ioalign" simulate run raid10:4x64k randread:16k:qd32 --ios "$count" >/dev/null; } 2>&1)
    kib=$(peak_kib "$ioalign" simulate run raid10:4x64k randread:16k:qd32 --ios "$count")
    echo "$count I/Os: $seconds s, $kib KiB"
done
[ "${CHECK:-}" != 1 ] || exit $missed
