#!/bin/bash
# shellcheck disable=SC2154 # variables of lib.sh
# How often is `probe` right, wrong, and without an answer? On arrays that are served with known geometry (`simulate serve`), on btrfs
# RAID 0 of the kernel over served disks, on devices without a geometry, and on planted units of writes. Needs root, FUSE and loop devices.
#
#   benches/probe.sh [arrays|btrfs|none|writes]…     default: all
#
#   COUNT (120) arrays, FROM (0) the number of the first one, so that a campaign can be run in parts; SERVICE (2ms) of a disk,
#   SERVER ($IOALIGN) the program that serves the arrays
#
# Prints a line a case and the sums. Fails below 95 % of arrays exact, above 1 % wrong, and at any geometry where there is none.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"

need python3 python3
server=${SERVER:-$ioalign}
"$server" simulate serve --help >/dev/null 2>&1 || { echo "$server has no \`simulate serve\`" >&2 && exit 1; }
export SERVER=$server
need mkfs.btrfs btrfs-progs
need mkfs.ext4 e2fsprogs
served=$(tool served)
echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $(uname -r)"
python3 "$here/benches/probe.py" "$ioalign" "$served" "$scratch" "$@"
