#!/bin/bash
# A new image by `fix --output`, flushed and read back in whole or in samples, against `qemu-img convert` and a sync,
# which reads nothing back, and against that with a `qemu-img compare` of what is then on the disk. By turns: MiB of data
# a second, and the ratio of the peer's time to ours. Above 1 is faster.
#
#   SIZE_MIB (512) of data in a disk of four times that; ROUNDS (5); FOLDER ($TMPDIR); PAIRS ("raw:qcow2 …")
IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need qemu-img qemu-utils

size=${SIZE_MIB:-512} rounds=${ROUNDS:-5}
output=${OUTPUT:-$(tool output)}
folder=$(mktemp -d "${FOLDER:-${TMPDIR:-/tmp}}/ioalign-output.XXXXXX")
trap 'rm -rf "$scratch" "$folder"' EXIT

truncate -s $((size * 4))M "$folder/old.raw"
for piece in 0 1 2 3; do
    head -c $((size / 4))M /dev/urandom |
        dd of="$folder/old.raw" bs=1M seek=$((piece * size)) conv=notrunc iflag=fullblock status=none
done
sync "$folder/old.raw"

convert() { # FROM-FORMAT TO-FORMAT
    qemu-img convert -f "$1" -O "$2" "$folder/old.$1" "$folder/theirs" && sync "$folder/theirs"
}
# What was written is read from the disk, not from memory.
compared() {
    convert "$@" && dd of="$folder/theirs" oflag=nocache conv=notrunc count=0 &&
        qemu-img compare -f "$1" -F "$2" "$folder/old.$1" "$folder/theirs"
}
sampled() { "$output" "$folder/old.$1" "$folder/ours.${2/vpc/vhd}" --sampled; }
whole() { "$output" "$folder/old.$1" "$folder/ours.${2/vpc/vhd}"; }
median() { sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }

echo "$size MiB of data in $((size * 4)) MiB, median of $rounds (MiB/s of data, times as fast)"
echo "                        convert sampled   ratio    +compare   whole   ratio"
for pair in ${PAIRS:-raw:raw raw:qcow2 raw:vpc raw:vmdk raw:vdi raw:vhdx qcow2:qcow2}; do
    from=${pair%:*} to=${pair#*:}
    [ -e "$folder/old.$from" ] || qemu-img convert -f raw -O "$from" "$folder/old.raw" "$folder/old.$from"
    rm -f "$scratch"/took.*
    for _ in $(seq "$rounds"); do
        for who in convert sampled compared whole; do
            rm -f "$folder"/theirs "$folder"/ours.*
            micros "$who" "$from" "$to" >>"$scratch/took.$who"
        done
    done
    took() { median <"$scratch/took.$1"; }
    awk -v n="$from to $to" -v m="$size" \
        -v c="$(took convert)" -v s="$(took sampled)" -v d="$(took compared)" -v w="$(took whole)" \
        'BEGIN {m *= 1e6; printf "  %-20s %8.0f %8.0f %7.2f %10.0f %8.0f %7.2f\n", n, m/c, m/s, c/s, m/d, m/w, d/w}'
    rm -f "$folder"/theirs "$folder"/ours.*
done
