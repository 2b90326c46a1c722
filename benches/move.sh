#!/bin/bash
# The mover against the tools that people have, on a loop device, by turns: bytes moved a second, and the ratio
# of the peer's time to ours. Above 1 is faster than the peer. Needs root.
#
#   SIZE_MIB (256) moved; ROUNDS (5); FOLDERS ("/dev/shm $TMPDIR"): where the disk and its journal lie
IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need losetup mount
need sfdisk fdisk

size=${SIZE_MIB:-256} rounds=${ROUNDS:-5}
mover=${MOVER:-}
if [ -z "$mover" ]; then
    (cd "$here" && cargo build --release --quiet --package ioalign-repair --example mover)
    mover=${CARGO_TARGET_DIR:-$here/target}/release/examples/mover
fi
bytes=$((size << 20)) mib=1048576

# A device over a file of random bytes, room for a second copy behind the first.
open_disk() { # FOLDER
    disk=$(mktemp "$1/ioalign-move.XXXXXX")
    journal=$disk.journal
    head -c $((2 * bytes + 256 * mib)) /dev/urandom >"$disk"
    sync "$disk"
    device=$(losetup --find --show "$disk")
}
close_disk() {
    [ -z "${device:-}" ] || losetup --detach "$device"
    rm -f "${disk:-}" "${journal:-}"
    device=
}
trap 'close_disk; rm -rf "$scratch"' EXIT

# The same work for both: the device's cache is empty, the file's is not.
timed() {
    blockdev --flushbufs "$device"
    micros "$@"
}
copy() { dd if="$device" of="$device" bs=1M skip=1 seek=$((size + 64)) count="$size" conv=fsync,notrunc; }
ours() { # FROM TO [OPTION]
    "$mover" apply "$device" "$journal" "$1" "$2" $((amount << 20)) "${@:3}"
}
table() { # a partition at sector 2048
    printf 'label: dos\n2048,%s,83\n' $((amount << 11)) | sfdisk --quiet --no-reread --no-tell-kernel --force "$device"
}
sfdisk_moves() { # SECTORS [OPTION]
    echo "+$1," | sfdisk --quiet --no-reread --no-tell-kernel --force --move-data "${@:2}" -N 1 "$device"
}

median() { sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }

# `race NAME PEER… -- OURS…`: medians by turns.
race() {
    local name=$1 peer=() own=()
    shift
    while [ "$1" != -- ]; do peer+=("$1") && shift; done
    shift
    own=("$@")
    : >"$scratch/peer" && : >"$scratch/own"
    for _ in $(seq "$rounds"); do
        [ "${peer[0]}" != sfdisk_moves ] || table
        timed "${peer[@]}" >>"$scratch/peer"
        timed "${own[@]}" >>"$scratch/own"
    done
    local theirs mine
    theirs=$(median <"$scratch/peer")
    mine=$(median <"$scratch/own")
    awk -v n="$name" -v p="$theirs" -v o="$mine" -v m="$amount" \
        'BEGIN {printf "  %-50s %7.0f %7.0f  %6.2f\n", n, m / p * 1e6, m / o * 1e6, p / o}'
}

for folder in ${FOLDERS:-/dev/shm "${TMPDIR:-/tmp}"}; do
    open_disk "$folder"
    amount=$size
    echo "$size MiB on $(stat -f -c %T "$folder"), median of $rounds              peer    ours   ratio (MiB/s, times as fast)"
    far=$((bytes + 65 * mib)) start=$((100 * mib))
    race "no overlap, all read back: dd" copy -- ours $mib $far
    race "no overlap, samples read back: dd" copy -- ours $mib $far --sampled
    race "2 sectors to the right, all read back: dd" copy -- ours $start $((start + 1024))
    race "2 sectors to the right, samples read back: dd" copy -- ours $start $((start + 1024)) --sampled
    race "1 MiB to the right, all read back: dd" copy -- ours $start $((start + mib))
    race "64 MiB to the left, all read back: dd" copy -- ours $start $((start - 64 * mib))
    race "2 sectors: sfdisk --move-data, nothing flushed" sfdisk_moves 2 -- ours $mib $((mib + 1024))
    # It flushes each step of 1 KiB: a small partition is enough.
    amount=4
    race "2 sectors, 4 MiB: the same, --move-use-fsync" sfdisk_moves 2 --move-use-fsync -- ours $mib $((mib + 1024))
    close_disk
done
