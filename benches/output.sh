#!/bin/bash
# A new image by `fix --output` (everything flushed and read back) against `qemu-img convert` (written and flushed,
# not read back), by turns: MiB of the disk a second, and the ratio of the peer's time to ours. Above 1 is faster.
#
#   SIZE_MIB (512) of data in a disk of four times that; ROUNDS (5); FOLDER ($TMPDIR); PAIRS ("raw:qcow2 …")
IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need qemu-img qemu-utils

size=${SIZE_MIB:-512} rounds=${ROUNDS:-5}
output=${OUTPUT:-}
if [ -z "$output" ]; then
    (cd "$here" && cargo build --release --quiet --package ioalign-repair --example output)
    output=${CARGO_TARGET_DIR:-$here/target}/release/examples/output
fi
folder=$(mktemp -d "${FOLDER:-${TMPDIR:-/tmp}}/ioalign-output.XXXXXX")
trap 'rm -rf "$scratch" "$folder"' EXIT

truncate -s $((size * 4))M "$folder/old.raw"
for piece in 0 1 2 3; do
    head -c $((size / 4))M /dev/urandom |
        dd of="$folder/old.raw" bs=1M seek=$((piece * size)) conv=notrunc iflag=fullblock status=none
done
sync "$folder/old.raw"

theirs() { # FROM-FORMAT TO-FORMAT
    qemu-img convert -f "$1" -O "$2" "$folder/old.$1" "$folder/theirs" && sync "$folder/theirs"
}
ours() {
    "$output" "$folder/old.$1" "$folder/ours" "${2/vpc/vhd}"
}
median() { sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }

echo "$size MiB of data in $((size * 4)) MiB, median of $rounds     qemu-img   ours   ratio (MiB/s of data, times as fast)"
for pair in ${PAIRS:-raw:raw raw:qcow2 raw:vpc raw:vmdk raw:vdi raw:vhdx qcow2:qcow2}; do
    from=${pair%:*} to=${pair#*:}
    [ -e "$folder/old.$from" ] || qemu-img convert -f raw -O "$from" "$folder/old.raw" "$folder/old.$from"
    : >"$scratch/theirs" && : >"$scratch/ours"
    for _ in $(seq "$rounds"); do
        for who in theirs ours; do
            rm -f "$folder/$who"
            micros "$who" "$from" "$to" >>"$scratch/$who"
        done
    done
    awk -v n="$from to $to" -v p="$(median <"$scratch/theirs")" -v o="$(median <"$scratch/ours")" -v m="$size" \
        'BEGIN {printf "  %-42s %9.0f %7.0f  %6.2f\n", n, m / p * 1e6, m / o * 1e6, p / o}'
    rm -f "$folder/theirs" "$folder/ours"
done
