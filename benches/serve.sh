#!/bin/bash
# shellcheck disable=SC2154 # variables of lib.sh
# A served array: its rates under fio beside those of the model in the same run, and the most that the way through the
# kernel takes. Needs root. Server and fio have real-time priority (chrt), the loop device has not: an idle machine is
# needed all the same. Loops of idle priority keep the processors awake: one of a virtual machine that sleeps takes some 0.1 ms
# to wake, three times an I/O.
#
#   benches/serve.sh [PART...]
#
#   rates   4 disks of 5 ms, RAID 10 and 5, from sectors 63 and 2048, reads and writes, depths 1, 8, 32; fails
#           where fio finds more than TOLERANCE % less or more than the model
#   most    no service time: random reads of 4 KiB, by the block device, by NBD, and of a loop device over a file in memory as
#           peer; fails below LEAST
#
# SECONDS_EACH (12) of a run, TOLERANCE (3), LEAST (50000), DEPTHS (1 8 32)
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need fio fio
need jq jq
need chrt util-linux
parts=${*:-rates most}
seconds=${SECONDS_EACH:-12} failures=0 server='' loop='' awake=()
for _ in $(seq "$(nproc)"); do
    chrt -i 0 sh -c 'while :; do :; done' &
    awake+=($!)
done

release() {
    kill "${awake[@]}"
    [ -z "$server" ] || { kill "$server" && wait "$server"; } || true
    [ -z "$loop" ] || losetup -d "$loop"
    rm -rf "$scratch"
}
trap release EXIT

# `serve ARGUMENT…` sets device, socket and server.
serve() {
    local line
    TMPDIR=$scratch chrt -f 1 "$ioalign" simulate serve "$@" --json >"$scratch/ready" &
    server=$!
    until [ -s "$scratch/ready" ]; do
        kill -0 "$server" && sleep 0.05
    done
    line=$(cat "$scratch/ready")
    device=$(jq -r .device <<<"$line") socket=$(jq -r .nbd_socket <<<"$line")
    rm "$scratch/ready"
}

stop() {
    kill "$server" && wait "$server"
    server=''
}

# `iops RW SIZE DEPTH ARGUMENT…` by fio.
iops() {
    local rw=$1 size=$2 depth=$3
    shift 3
    chrt -f 1 fio --name=a --rw="$rw" --bs="$size" --iodepth="$depth" --time_based --runtime="$seconds" --ramp_time=1 \
        --randrepeat=1 --output-format=json --output="$scratch/fio.json" "$@" >/dev/null
    jq '.jobs[0] | .read.iops + .write.iops' "$scratch/fio.json"
}

rates() {
    echo "array           start  workload        fio     model   ratio"
    for array in raid10:4x64k raid5:4x64k raid5:4x64k:md; do
        for start in 63s 2048s; do
            serve "$array" --start "$start" --size 1G
            for rw in randread randwrite; do
                for depth in ${DEPTHS:-1 8 32}; do
                    found=$(iops $rw 16k "$depth" --filename="$device" --direct=1 --ioengine=libaio)
                    model=$("$ioalign" simulate run "$array" "$rw:16k:qd$depth" --start "$start" --json | jq '.arms[0].iops')
                    awk -v a="$array" -v s="$start" -v w="$rw qd$depth" -v f="$found" -v m="$model" -v t="${TOLERANCE:-3}" 'BEGIN {
                        off = (f / m - 1) * 100
                        printf "%-15s %-6s %-15s %6.1f  %6.1f  %+5.1f %%\n", a, s, w, f, m, off
                        exit off > t || off < -t
                    }' || failures=$((failures + 1))
                done
            done
            stop
        done
    done
}

most() {
    fallocate -l 256M "$scratch/memory" || truncate -s 256M "$scratch/memory"
    loop=$(losetup -f --show "$scratch/memory")
    serve raid0:4x64k --service 0ms --size 256M
    for depth in 1 32; do
        peer=$(iops randread 4k $depth --filename="$loop" --direct=1 --ioengine=libaio)
        block=$(iops randread 4k $depth --filename="$device" --direct=1 --ioengine=libaio)
        nbd=$(iops randread 4k $depth --ioengine=nbd --uri="nbd+unix:///?socket=$socket")
        awk -v d=$depth -v p="$peer" -v b="$block" -v n="$nbd" -v least="${LEAST:-50000}" 'BEGIN {
            printf "randread 4k qd%d: block device %.0f, NBD %.0f, loop over memory %.0f I/Os a second\n", d, b, n, p
            exit d > 1 && b < least && n < least
        }' || failures=$((failures + 1))
    done
    stop
}

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $(uname -r)"
for part in $parts; do
    case $part in
    rates | most) "$part" ;;
    *) echo "$part: no such part" >&2 && exit 64 ;;
    esac
done
[ $failures -eq 0 ] || { echo "$failures outside of the limits" >&2 && exit 1; }
