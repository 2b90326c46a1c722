#!/bin/bash
# Whole-process time of `ioalign check IMG --json` against `sfdisk -J IMG`, by turns.
# RUNS (default 300, at least 200) is the number of runs of each.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need sfdisk fdisk
runs=${RUNS:-300}

image=$scratch/one.img
truncate -s 200M "$image"
printf '63,204800,83\n208896,,83\n' | sfdisk -q "$image"

a() { micros "$ioalign" check "$image" --json; }
b() { micros sfdisk -J "$image"; }
interleaved "$runs" "ioalign check --json" "sfdisk -J"

if [ "${COLD:-}" = 1 ]; then
    # As root, the page cache of both is dropped before each run.
    drop() { sync && echo 3 >/proc/sys/vm/drop_caches; }
    a() { drop && micros "$ioalign" check "$image" --json; }
    b() { drop && micros sfdisk -J "$image"; }
    echo "cold cache:"
    interleaved 20 "ioalign check --json" "sfdisk -J"
fi
