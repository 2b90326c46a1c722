#!/bin/sh
# What it costs `ioalign watch` to give up its rights: the time inside the system calls from `PR_SET_NO_NEW_PRIVS` to
# `capset`, by strace, which makes each of them longer than it is. Needs root, strace, and a block device to watch.
#
#   benches/confine.sh PROGRAM DEVICE [RUNS]
set -eu
program=$1 device=$2 runs=${3:-20}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for _ in $(seq "$runs"); do
    strace -o "$log" -T "$program" watch "$device" --line --interval 100ms --count 1 >/dev/null 2>&1
    awk -F'[<>]' '
        /PR_SET_NO_NEW_PRIVS/ { on = 1 }
        on { sum += $(NF - 1); calls++ }
        /^capset\(/ { printf "%.0f %d\n", sum * 1e6, calls; found = 1; exit }
        END { exit !found }
    ' "$log"
done | sort -n | awk '
    { us[NR] = $1; calls = $2 }
    END { printf "median %d us, largest %d us in %d calls, %d runs\n", us[int((NR + 1) / 2)], us[NR], calls, NR }
'
