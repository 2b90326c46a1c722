#!/bin/bash
# The mover against the tools that people have, on a loop device, by turns: bytes moved a second, and the ratio
# of the peer's time to ours. Above 1 is faster than the peer. Needs root.
#
#   SIZE_MIB (256) moved; ROUNDS (5); FOLDERS ("/dev/shm $TMPDIR"): where the disk and its journal lie
export IOALIGN=none
# shellcheck source=benches/movers.sh
. "$(dirname "$0")/movers.sh"

mover=${MOVER:-$(tool mover)}
copy() { dd if="$device" of="$device" bs=1M skip=1 seek=$((size + 64)) count="$size" conv=fsync,notrunc; }
ours() { # FROM TO [OPTION]
    "$mover" apply "$device" "$journal" "$1" "$2" $((amount << 20)) "${@:3}"
}

for folder in ${FOLDERS:-/dev/shm "${TMPDIR:-/tmp}"}; do
    open_disk "$folder"
    amount=$size sector=
    headline "$folder"
    far=$((bytes + 65 * mib)) here_at=$((100 * mib))
    race "no overlap, all read back: dd" copy -- ours $mib $far
    race "no overlap, samples read back: dd" copy -- ours $mib $far --sampled
    race "2 sectors to the right, all read back: dd" copy -- ours $here_at $((here_at + 1024))
    race "2 sectors to the right, samples read back: dd" copy -- ours $here_at $((here_at + 1024)) --sampled
    race "1 MiB to the right, all read back: dd" copy -- ours $here_at $((here_at + mib))
    race "64 MiB to the left, all read back: dd" copy -- ours $here_at $((here_at - 64 * mib))
    sector=2048
    race "2 sectors: sfdisk --move-data, nothing flushed" sfdisk_moves +2 -- ours $mib $((mib + 1024))
    # It flushes each step of 1 KiB: a small partition is enough.
    amount=4
    race "2 sectors, 4 MiB: the same, --move-use-fsync" sfdisk_moves +2 --move-use-fsync -- ours $mib $((mib + 1024))
    close_disk
done
