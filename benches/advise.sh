#!/bin/bash
# shellcheck disable=SC2154 # variables of lib.sh
# Does the range that `advise` states hold what a workload really loses? On a file that is served by FUSE with known service
# times: a check, a matrix, a profile of each workload, the advice, and the workload itself on the grid and off it, by turns.
# Needs root for the mounts; about 25 minutes.
#
#   WORKLOADS (12) of each of three devices, SECONDS_EACH (1.5) of a run, ROUNDS (6) of runs, POINT (6s) a cell of the matrix
#
# Fails where fewer than nine ranges of ten hold the median of the runs.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"

need python3 python3
need sfdisk fdisk
served=$(tool served)

mount=$scratch/mount
mkdir "$mount"
release() {
    mountpoint -q "$mount/disk" && umount "$mount/disk"
    rm -rf "$scratch"
}
trap release EXIT

echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors, $(uname -r)"
python3 "$here/benches/advise.py" "$ioalign" "$served" "$mount" "$scratch"
