#!/bin/bash
# Where completions go that no BPF program sees: ftrace and a BPF program (bpftrace) count the completions of one
# loop device, each by the thread on top of which they happen. Prints the threads for which they differ: a thread
# with many by ftrace and none by BPF is one in whose context this kernel runs no BPF program, whatever it does.
# Needs root. Knobs: ROUNDS (10), BUSY (4) loops that keep the processors from being idle.
IOALIGN=${IOALIGN:-none} # it is not run
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need fio fio
need bpftrace bpftrace
need losetup mount
rounds=${ROUNDS:-10} busy=${BUSY:-4}
file=/dev/shm/ioalign-missing.$$
trace=/sys/kernel/tracing/instances/ioalign-missing.$$
truncate -s 256M "$file"
disk=$(losetup --find --show "$file")
device=$(((7 << 20) | ${disk#/dev/loop}))
started=()
finish() {
    kill "${started[@]}" 2>/dev/null || true
    losetup -d "$disk"
    rmdir "$trace" 2>/dev/null || true
    rm -rf "$file" "$scratch"
}
trap finish EXIT

for _ in $(seq "$busy"); do
    while :; do :; done &
    started+=($!)
done
mkdir "$trace"
echo 24576 >"$trace/buffer_size_kb"
echo "dev == $device" >"$trace/events/block/block_rq_complete/filter"

# Lines of `thread count`.
by_bpf() { sed -n 's/^@\[\([0-9]*\)\]: \([0-9]*\)$/\1 \2/p' "$scratch/bpf" | sort; }
by_ftrace() {
    sed -n 's/^.\{16\}-\([0-9]*\) .*block_rq_complete.*/\1/p' "$scratch/ftrace" |
        sort | uniq -c | awk '{ print $2, $1 }' | sort
}
name_of() { sed -n "s/^ *\(.*\)-$1 .*/\1/p" "$scratch/ftrace" | head -n 1; }

for round in $(seq "$rounds"); do
    echo >"$trace/trace"
    bpftrace -e "tracepoint:block:block_rq_complete /args->dev == $device/ { @[tid] = count(); }" \
        >"$scratch/bpf" 2>&1 &
    watcher=$!
    started+=("$watcher")
    for _ in $(seq 100); do
        grep -q Attaching "$scratch/bpf" && break
        sleep 0.1
    done
    sleep 1
    echo 1 >"$trace/events/block/block_rq_complete/enable"
    fio --name=job --filename="$disk" --rw=randrw --direct=1 --bs=8k --norandommap --ioengine=io_uring \
        --iodepth=8 --size=200M --runtime=1 --time_based >/dev/null 2>&1
    sleep 0.3
    echo 0 >"$trace/events/block/block_rq_complete/enable"
    cat "$trace/trace" >"$scratch/ftrace"
    kill -INT "$watcher"
    wait "$watcher" || true
    by_ftrace >"$scratch/a"
    by_bpf >"$scratch/b"
    awk '{ all += $2 } END { printf "round: ftrace %d", all }' "$scratch/a"
    awk '{ all += $2 } END { printf ", BPF %d\n", all }' "$scratch/b"
    join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$scratch/a" "$scratch/b" | awk '$2 != $3' |
        while read -r thread seen known; do
            echo "  $round: thread $thread $(name_of "$thread"): ftrace $seen, BPF $known"
        done
done
