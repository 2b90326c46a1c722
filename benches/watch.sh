#!/bin/bash
# What `ioalign watch` costs: nanoseconds an I/O by the kernel's own BPF statistics, and processor time
# of a fio thread beside a bpftrace histogram, by turns. And whether it counts every one of 500,000 I/Os.
# Needs root. Knobs: ROUNDS (7), IOS (500000), SECONDS_EACH (4).
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need fio fio
need jq jq
need bpftrace bpftrace
need losetup mount
rounds=${ROUNDS:-7} ios=${IOS:-500000} seconds=${SECONDS_EACH:-4}
stats=$(sysctl -n kernel.bpf_stats_enabled)
file=/dev/shm/ioalign-bench.$$
truncate -s 512M "$file"
disk=$(losetup --find --show "$file")
name=${disk#/dev/}
watcher=
finish() {
    [ -z "$watcher" ] || kill -INT "$watcher" 2>/dev/null || true
    losetup -d "$disk"
    rm -rf "$file" "$scratch"
    sysctl -q -w kernel.bpf_stats_enabled="$stats"
}
trap finish EXIT

job() { # FIO ARGUMENTS…: the known job; JSON
    fio --name=job --filename="$disk" --rw=randrw --rwmixread=70 --direct=1 \
        --bssplit=4k/45:8k/45:12k/10 --blockalign=512 --norandommap --ioengine=io_uring --iodepth=32 \
        --size=500M --output-format=json "$@" 2>/dev/null | sed -n '/^{/,$p'
}

# A watcher in the background, once it has attached.
attached() { # PATTERN COMMAND…
    local pattern=$1
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" &
    watcher=$!
    for _ in $(seq 300); do
        grep -q "$pattern" "$scratch/err" "$scratch/out" && return
        sleep 0.1
    done
    echo "it did not start: $*" >&2
    exit 1
}
ended() {
    kill -INT "$watcher"
    wait "$watcher" || true
    watcher=
}

echo "== every I/O of $ios"
sysctl -q -w kernel.bpf_stats_enabled=0
attached '^ioalign: watching' "$ioalign" watch "$name" --json --unit 8k
job --number_ios="$ios" --io_size=1t >"$scratch/fio.json"
ended
for op in read write; do
    echo "$op: fio $(jq -c "[.jobs[0].$op.total_ios,.jobs[0].$op.io_bytes]" "$scratch/fio.json")" \
        "watch $(jq -c "[.devices[0].by_op.$op.ios,.devices[0].by_op.$op.bytes]" "$scratch/out")" \
        "dropped $(jq .dropped "$scratch/out")"
done

echo "== nanoseconds an I/O, less those of empty programs"
sysctl -q -w kernel.bpf_stats_enabled=1
for arguments in "--unit 4k" "--unit 4k --burst-gap off" "--unit 8k --grid 192k@64k" "--unit 4k --top 5" "--unit 4k --record $scratch/record"; do
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # several arguments
        attached '^ioalign: watching' "$ioalign" watch "$name" --json --cost $arguments
        job --runtime="$seconds" --time_based >/dev/null
        ended
        echo "${arguments%% /*}: $(grep -o 'cost .*' "$scratch/err")"
    done
done
sysctl -q -w kernel.bpf_stats_enabled=0

echo "== microseconds of the fio thread an I/O, by turns"
one_liner='tracepoint:block:block_rq_issue { @s[args->dev, args->sector] = nsecs; @sizes = hist(args->bytes); }
tracepoint:block:block_rq_complete /@s[args->dev, args->sector]/ {
    @us = hist((nsecs - @s[args->dev, args->sector]) / 1000); delete(@s[args->dev, args->sector]); }'
spent() { # processor time an I/O, from fio's own figures
    job --runtime="$seconds" --time_based |
        jq '.jobs[0] | (.usr_cpu + .sys_cpu) / 100 * .job_runtime * 1000 / (.read.total_ios + .write.total_ios)'
}
for round in $(seq "$rounds"); do
    none=$(spent)
    attached '^ioalign: watching' "$ioalign" watch "$name" --json
    watched=$(spent)
    ended
    attached 'Attaching' bpftrace -e "$one_liner"
    sleep 1
    traced=$(spent)
    ended
    echo "$round $none $watched $traced"
done | tee "$scratch/rounds"
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
none=$(awk '{ print $2 }' "$scratch/rounds" | median)
watched=$(awk '{ print $3 - $2 }' "$scratch/rounds" | median)
traced=$(awk '{ print $4 - $2 }' "$scratch/rounds" | median)
awk -v n="$none" -v w="$watched" -v t="$traced" 'BEGIN {
    printf "median: none %.2f us; watch adds %.2f us, bpftrace %.2f us; ratio %.2f\n", n, w, t, t ? w / t : 0 }'
