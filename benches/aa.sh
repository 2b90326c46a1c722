#!/bin/bash
# Experiments whose truth is known, on real targets: how often a difference is seen where there is none, how soon one of
# 1 % and of 5 % is found, and what the tests that others use say of the same batches. Needs root for the loop device.
#
#   benches/aa.sh [PART...]      all of them take about 40 minutes
#
#   null      equal arms, looked at after every round         14 min   RUNS (400)
#   runs      equal arms one after the other                   7 min   SERIAL_RUNS (100)
#   effect    an arm that is slower by 1 %, and by 5 %         8 min   EFFECT_RUNS (200)
#   walk      equal arms and one slower by 2 %, cold walks     10 min   WALK_RUNS (20)
#   cost      what an experiment takes for each batch          5 s
#
# TARGETS (loop file) and DEPTHS (1 16) choose among the targets of the first three.
export IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
parts=${*:-null runs effect walk cost}
aa=$(tool aa)

memory=$(mktemp -d /dev/shm/ioalign-aa.XXXXXX)
disk=$(mktemp -d "${TMPDIR:-/var/tmp}/ioalign-aa.XXXXXX")
loops=()
release() {
    for loop in "${loops[@]}"; do
        # A ring that is torn down keeps the device busy for a while.
        for _ in 1 2 3 4 5; do
            losetup -d "$loop" && break
            sleep 1
        done
    done
    rm -rf "$scratch" "$memory" "$disk"
}
trap release EXIT

# A loop device over a new file of random bytes: zeros may be stored as nothing.
loop_over() {
    head -c 256M /dev/urandom >"$1" && sync "$1"
    loop=$(losetup -f --show "$1")
    loops+=("$loop")
}

# One part on one target.
measure() {
    case $1 in
    null) "$aa" null "$2" "${RUNS:-400}" ;;
    runs) "$aa" runs "$2" "${SERIAL_RUNS:-100}" ;;
    effect)
        "$aa" effect 1 "$2" "${EFFECT_RUNS:-200}"
        "$aa" effect 5 "$2" "${EFFECT_RUNS:-200}"
        ;;
    esac
}

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $(uname -r)"
loop_over "$memory/backing"
over_memory=$loop
head -c 256M /dev/urandom >"$disk/file" && sync "$disk/file"
for target in ${TARGETS:-loop file}; do
    for depth in ${DEPTHS:-1 16}; do
        export DEPTH=$depth
        for part in $parts; do
            case $part in walk | cost) continue ;; esac
            if [ "$target" = loop ]; then
                printf '\n== loop device over tmpfs, random reads of 4 KiB, %d at a time\n' "$depth"
                measure "$part" "$over_memory"
            else
                printf '\n== file, O_DIRECT, random reads of 4 KiB, %d at a time\n' "$depth"
                measure "$part" "$disk/file"
            fi
        done
    done
done
case " $parts " in *" walk "*)
    loop_over "$disk/backing"
    export DEPTH=1 PATTERN=sequential COLD=1 SECONDS_EACH=15
    for BLOCK in 4096 65536; do
        export BLOCK
        printf '\n== loop device over a file that is not cached, walks of %d bytes\n' "$BLOCK"
        "$aa" effect 0 "$loop" "${WALK_RUNS:-20}"
        "$aa" effect 2 "$loop" "${WALK_RUNS:-20}"
    done
    unset PATTERN COLD SECONDS_EACH BLOCK
    ;;
esac
case " $parts " in *" cost "*) echo && "$aa" cost ;; esac
