# shellcheck shell=bash
# Sourced by the measurements of moves: a loop device over random bytes, and races of whole processes by turns.
#
#   SIZE_MIB (256) moved; ROUNDS (5); FOLDERS ("/dev/shm $TMPDIR"): where the disk and its journal lie
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need losetup mount
need sfdisk fdisk

size=${SIZE_MIB:-256} rounds=${ROUNDS:-5}
amount=$size # MiB that move in the races to come
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
table() { # START: one partition, and nothing before it that could be a boot loader
    dd if=/dev/zero of="$device" bs=512 count="$1" conv=notrunc,fsync 2>/dev/null
    printf 'label: dos\n%s,%s,83\n' "$1" $((amount << 11)) |
        sfdisk --quiet --wipe never --no-reread --no-tell-kernel --force "$device"
}
sfdisk_moves() { # SECTORS [OPTION]
    echo "$1," | sfdisk --quiet --no-reread --no-tell-kernel --force --move-data "${@:2}" -N 1 "$device"
}

median() { sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }

# `race NAME PEER… -- OURS…`: medians by turns. Where `sector` is set, a partition is put there before each.
race() {
    local name=$1 peer=() own=()
    shift
    while [ "$1" != -- ]; do peer+=("$1") && shift; done
    shift
    own=("$@")
    : >"$scratch/peer" && : >"$scratch/own"
    for _ in $(seq "$rounds"); do
        [ -z "${sector:-}" ] || table "$sector"
        timed "${peer[@]}" >>"$scratch/peer"
        [ -z "${sector:-}" ] || table "$sector"
        timed "${own[@]}" >>"$scratch/own"
    done
    local theirs mine
    theirs=$(median <"$scratch/peer")
    mine=$(median <"$scratch/own")
    awk -v n="$name" -v p="$theirs" -v o="$mine" -v m="$amount" \
        'BEGIN {printf "  %-50s %7.0f %7.0f  %6.2f\n", n, m / p * 1e6, m / o * 1e6, p / o}'
}
headline() {
    echo "$size MiB on $(stat -f -c %T "$1"), median of $rounds              peer    ours   ratio (MiB/s, times as fast)"
}
