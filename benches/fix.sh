#!/bin/bash
# `ioalign fix` as a whole (survey, plan, journal, move, reading back, tables) against `dd bs=1M conv=fsync` of the same
# bytes and `sfdisk --move-data` of the same partition, on a loop device, by turns. Needs root.
#
#   SIZE_MIB (256) moved; ROUNDS (5); FOLDERS ("/dev/shm $TMPDIR"): where the disk and its journal lie
# shellcheck source=benches/movers.sh
. "$(dirname "$0")/movers.sh"

# The bytes of the partition at `sector`, to where `fix` brings them.
copy() { # SECTOR
    dd if="$device" of="$device" bs=1M iflag=skip_bytes oflag=seek_bytes skip=$((sector << 9)) \
        seek=$(($1 << 9)) count="$amount" conv=fsync,notrunc
}
fixed() { # [OPTION]
    "$ioalign" fix "$device" --apply --quiet --journal "$journal" --align "$grid" "$@"
}
# `fix` ends where this says.
must_end_at() { # SECTOR [OPTION]
    table "$sector"
    fixed "${@:2}" >/dev/null
    local found
    found=$(sfdisk --dump "$device" | sed -n 's/.*start= *\([0-9]*\),.*/\1/p')
    [ "$found" = "$1" ] || { echo "from $sector it went to $found, not to $1" >&2 && exit 1; }
}

for folder in ${FOLDERS:-/dev/shm "${TMPDIR:-/tmp}"}; do
    open_disk "$folder"
    amount=$size grid=1M
    headline "$folder"
    sector=2050
    must_end_at 2048
    race "2 sectors to the left: dd" copy 2048 -- fixed
    race "the same: sfdisk --move-data, nothing flushed" sfdisk_moves -2 -- fixed
    sector=63
    must_end_at 2048
    race "from sector 63 to 1 MiB: dd" copy 2048 -- fixed
    race "the same: sfdisk --move-data, nothing flushed" sfdisk_moves +1985 -- fixed
    # Further than it is long: old and new place share nothing.
    far=$((amount << 11))
    grid=${amount}M
    must_end_at $far
    race "apart: dd" copy $far -- fixed
    race "apart, samples read back: dd" copy $far -- fixed --verify sampled
    # It flushes each step of 1 KiB: a small partition is enough.
    amount=4 grid=1M sector=2050
    race "2 sectors, 4 MiB: sfdisk, --move-use-fsync" sfdisk_moves -2 --move-use-fsync -- fixed
    close_disk
done
