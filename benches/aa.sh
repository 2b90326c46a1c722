#!/bin/bash
# Experiments whose truth is known, on real targets: how often a difference is seen where there is none, how soon one of
# 1 % and of 5 % is found, and what the tests that others use say of the same batches. Needs root for the loop device.
# Knobs: RUNS (400), EFFECT_RUNS (200), SERIAL_RUNS (100).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(cd "$here" && cargo build --release --quiet --package ioalign-measure --example aa)
aa=${CARGO_TARGET_DIR:-$here/target}/release/examples/aa

scratch=$(mktemp -d /dev/shm/ioalign-aa.XXXXXX)
disk=$(mktemp -d "${TMPDIR:-/var/tmp}/ioalign-aa.XXXXXX")
loop=
release() {
    # A ring that is torn down keeps the device busy for a while.
    for _ in 1 2 3 4 5; do
        [ -z "$loop" ] || losetup -d "$loop" || { sleep 1 && continue; }
        break
    done
    rm -rf "$scratch" "$disk"
}
trap release EXIT

# Random bytes: zeros may be stored as nothing.
head -c 256M /dev/urandom >"$scratch/backing"
head -c 256M /dev/urandom >"$disk/file" && sync "$disk/file"
loop=$(losetup -f --show "$scratch/backing")

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $(uname -r)"
for target in "$loop" "$disk/file"; do
    for depth in 1 16; do
        export DEPTH=$depth
        printf '\n== %s, random reads of 4 KiB, %d at a time\n' \
            "$([ "$target" = "$loop" ] && echo "loop device over tmpfs" || echo "file, O_DIRECT")" "$depth"
        "$aa" null "$target" "${RUNS:-400}"
        "$aa" runs "$target" "${SERIAL_RUNS:-100}"
        "$aa" effect 1 "$target" "${EFFECT_RUNS:-200}"
        "$aa" effect 5 "$target" "${EFFECT_RUNS:-200}"
    done
done
echo
"$aa" cost
