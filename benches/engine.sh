#!/bin/bash
# What the load engine costs an I/O, beside fio and fio's own t/io_uring, by turns and in random order, on a
# loop device over tmpfs: all with registered files and fixed buffers, 4 KiB random reads past the page
# cache. Needs root. T_IO_URING names t/io_uring, built from fio's sources (make t/io_uring); without it
# that column is left out.
# Every processor is kept awake by a loop of the idle class: on a virtual machine waking one that sleeps
# takes longer than the I/O, and which tool has to is chance. AWAKE=0 leaves that out.
# The engine is driven by an example that does nothing else, not by the program.
export IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need fio fio
need python3 python3
need losetup mount

load=${LOAD:-}
if [ -z "$load" ]; then
    (cd "$here" && cargo build --release --quiet --package ioalign-measure --example load)
    load=${CARGO_TARGET_DIR:-$here/target}/release/examples/load
fi
memory=$(mktemp -d "${MEMORY:-/dev/shm}/ioalign-bench.XXXXXX")
device=
spinners=()
tidy() {
    [ ${#spinners[@]} -eq 0 ] || kill "${spinners[@]}"
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
if [ "${AWAKE:-1}" = 1 ]; then
    for _ in $(seq "$(nproc)"); do
        chrt --idle 0 bash -c 'while :; do :; done' &
        spinners+=($!)
    done
fi
python3 "$here/benches/engine.py" "$device" "$load" "${T_IO_URING:-}" \
    "${ROUNDS:-15}" "${MILLISECONDS:-400}" "${DEPTHS:-1 16 64}" "${WORKERS-1 2 4 8 16}"
