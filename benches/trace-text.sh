#!/bin/bash
# How fast text traces are parsed on one core: MB per second of processor time (user and system) of
# blkparse, perf, ftrace and CSV text of IOS made-up I/Os (default a million), reading included,
# pairing and counting not.
# shellcheck source=benches/lib.sh
IOALIGN=${IOALIGN:-none} . "$(dirname "$0")/lib.sh"
need time time
runs=${RUNS:-3}
parse=$(tool traces)

awk -v ios="${IOS:-1000000}" -v out="$scratch" 'BEGIN {
    srand(4)
    print "time_us,op,offset_bytes,size_bytes,latency_us,device,pid" > (out "/csv")
    for (i = 0; i < ios; i++) {
        t = i * 0.00002; s = int(rand() * 1e9); n = int(rand() * 4 + 1) * 8
        op = rand() < 0.5 ? "R" : "W"; p = 5800 + int(rand() * 8); u = 14512 + t
        printf "  8,16   %d %8d %14.9f %5d  D  %2s %d + %d [fio job %d]\n", i % 2, i * 2 + 1, t, p, op, s, n, p > (out "/blkparse")
        printf "  8,16   %d %8d %14.9f %5d  C  %2s %d + %d [0]\n", i % 2, i * 2 + 2, t + 0.00001, 0, op, s, n > (out "/blkparse")
        printf "%16s %5d [%03d] %.6f:    block:block_rq_issue: 8,16 %s %d () %d + %d 0x2,0,4 [fio job %d]\n", "fio job " p, p, i % 2, u, op, n * 512, s, n, p > (out "/perf")
        printf "%16s %5d [%03d] %.6f: block:block_rq_complete: 8,16 %s () %d + %d 0x2,0,4 [0]\n", "swapper", 0, i % 2, u + 0.00001, op, s, n > (out "/perf")
        printf "%16s-%-7d [%03d] d..1. %.6f: block_rq_issue: 8,16 %s %d () %d + %d be,0,4 [fio job %d]\n", "fio job " p, p, i % 2, u, op, n * 512, s, n, p > (out "/ftrace")
        printf "%16s-%-7d [%03d] d..1. %.6f: block_rq_complete: 8,16 %s () %d + %d be,0,4 [0]\n", "<idle>", 0, i % 2, u + 0.00001, op, s, n > (out "/ftrace")
        printf "%d,%s,%d,%d,%d\n", int(rand() * 1000), op, s * 512, n * 512, 1577808000000626 + i * 20 > (out "/alibaba")
        printf "%d,%s,%d,%d,%d,sd%d,%d\n", i * 20, op, s * 512, n * 512, int(rand() * 9000), int(rand() * 8), p > (out "/csv")
    }
}'

for format in blkparse perf ftrace csv alibaba; do
    file=$scratch/$format
    bytes=$(stat -c %s "$file")
    for ((i = 0; i < runs; i++)); do
        command time -f '%U %S' -o "$scratch/time" "$parse" parse "$file" >/dev/null
        awk -v bytes="$bytes" '{ printf "%.0f\n", bytes / 1e6 / ($1 + $2) }' "$scratch/time"
    done | sort -n | awk -v name="$format" '{ all[NR] = $1 } END { print name ": " all[int((NR + 1) / 2)] " MB/s of processor time" }'
done
