#!/bin/bash
# A folder of IMAGES (default 10000) small images of mixed formats, warm cache: images per second
# and processor with the plain text summary and with JSON, and peak memory of both.
# KEEP=FOLDER keeps the images there (some GiB), or takes those that are there.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=benches/images.sh
. "$(dirname "$0")/images.sh"
need qemu-img qemu-utils
need mkfs.xfs xfsprogs
need mkfs.ntfs ntfs-3g
runs=${RUNS:-5}
folder=${KEEP:-$scratch/folder}

if [ ! -d "$folder" ]; then
    mkdir -p "$folder" "$scratch/kinds"
    make_kinds "$scratch/kinds"
    copy_kinds "$scratch/kinds" "$folder" "${IMAGES:-10000}"
fi
images=$(find "$folder" -type f | wc -l)
echo "$images files, $(du -sh "$folder" | cut -f1), $(nproc) processors"
find "$folder" -type f | sed 's/.*\.//' | sort | uniq -c | awk '{printf "%s %s  ", $1, $2} END {print ""}'

# `rate NAME COMMAND…`: images a second of wall time, and a second of processor time, which the
# neighbours of this process disturb less.
rate() {
    local name=$1 i
    shift
    micros "$@" >/dev/null # warms the cache
    for ((i = 0; i < runs; i++)); do
        /usr/bin/time -f '%e %U %S' -o "$scratch/time" "$@" >/dev/null 2>&1 || true
        tail -n 1 "$scratch/time"
    done | awk '{print $1, $2 + $3}' >"$scratch/runs"
    local wall cpu
    wall=$(cut -d' ' -f1 "$scratch/runs" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}')
    cpu=$(cut -d' ' -f2 "$scratch/runs" | sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}')
    awk -v n="$images" -v wall="$wall" -v cpu="$cpu" -v name="$name" 'BEGIN {
        printf "%-24s %6.2f s wall, %6.2f s processor: %6.0f images/s, %6.0f a second of one processor\n",
            name, wall, cpu, n / wall, n / cpu
    }'
}
need /usr/bin/time time
rate "text, all processors" "$ioalign" check "$folder"
rate "text, one thread" "$ioalign" check "$folder" --jobs 1
rate "json, all processors" "$ioalign" check "$folder" --json
echo "peak memory, text: $(peak_kib "$ioalign" check "$folder") KiB"
echo "peak memory, json: $(peak_kib "$ioalign" check "$folder" --json) KiB, $("$ioalign" check "$folder" --json | wc -c) bytes of output"
