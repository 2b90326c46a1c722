#!/bin/bash
# Whole-process time and memory of `ioalign check` on this host, against `lsblk -J -O` which
# reads the same sysfs, by turns. RUNS (default 200) is the number of runs of each.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
runs=${RUNS:-200}
echo "block devices: $(find /sys/class/block -mindepth 1 -maxdepth 1 | wc -l)"

by_turns "$runs" "$ioalign" check --json -- lsblk -J -O
echo "peak memory: $(peak_kib "$ioalign" check --json) KiB"
