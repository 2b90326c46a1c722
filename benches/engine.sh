#!/bin/bash
# What the load engine costs an I/O, beside fio and fio's own t/io_uring, by turns and in random order, on a
# loop device over tmpfs: all with registered files and fixed buffers, 4 KiB random reads past the page
# cache. Needs root. T_IO_URING names t/io_uring, built from fio's sources (make t/io_uring); without it
# that column is left out. minimal.c is the bound: a program that sends and takes, and does nothing else.
# All of it runs on processor 0, the threads of the loop device as well: on a virtual machine waking another
# processor takes longer than the I/O, and which tool has to is chance. PIN=0 leaves the scheduler free.
# The engine is driven by a command of tools/ that does nothing else, not by the program.
export IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need fio fio
need python3 python3
need cc gcc
need losetup mount

load=${LOAD:-$(tool load)}
cc -O2 -o "$scratch/minimal" "$here/benches/minimal.c"
memory=$(mktemp -d "${MEMORY:-/dev/shm}/ioalign-bench.XXXXXX")
device=
cpumask=/sys/devices/virtual/workqueue/cpumask
free=$(cat $cpumask)
tidy() {
    echo "$free" >$cpumask
    # A ring of a process that has just ended may hold the device for a moment.
    for _ in 1 2 3 4 5; do
        [ -z "$device" ] || losetup --detach "$device" && break
        sleep 0.2
    done
    rm -rf "$memory" "$scratch"
}
trap tidy EXIT
head -c "${MIB:-512}M" /dev/urandom >"$memory/disk"
device=$(losetup --find --show "$memory/disk")
if [ "${PIN:-1}" = 1 ]; then
    echo 1 >$cpumask
    taskset --pid --cpu-list 0 $$ >/dev/null
fi
python3 "$here/benches/engine.py" "$device" "$load" "$scratch/minimal" \
    "${T_IO_URING:-}" "${ROUNDS:-9}" "${MILLISECONDS:-1000}" "${DEPTHS-1 16 64}" "${WORKERS-1 2 4 8 16}"
