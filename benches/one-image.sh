#!/bin/bash
# Whole-process time of `ioalign check IMG` against `sfdisk -J IMG`, by turns, for an MBR and a GPT image.
# RUNS (default 300, at least 200) is the number of runs of each. COLD=1, as root, drops the page cache
# before every run.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need sfdisk fdisk
runs=${RUNS:-300}

cd "$scratch"
truncate -s 200M mbr.img gpt.img
printf '63,204800,83\n208896,,83\n' | sfdisk -q mbr.img
printf 'label: gpt\nstart=2048,size=204800\nstart=208896\n' | sfdisk -q gpt.img
for image in mbr.img gpt.img; do
    by_turns "$runs" "$ioalign" check --json $image -- sfdisk -J $image
    by_turns "$runs" "$ioalign" check $image -- sfdisk -J $image
done

if [ "${COLD:-}" = 1 ]; then
    echo "cold cache:"
    for program in "$ioalign check" "sfdisk -J"; do
        for image in mbr.img gpt.img; do
            for _ in 1 2 3 4 5 6 7 8 9; do
                sync && echo 3 >/proc/sys/vm/drop_caches
                # shellcheck disable=SC2086 # a command and its arguments
                micros $program $image
            done | sort -n | awk -v what="$program $image" 'NR == 5 {print what ": median " $1 " us"}'
        done
    done
fi
