#!/bin/bash
# Time and memory of `ioalign check --sysroot` on made machines: one with DISKS (default 500) disks of
# four partitions, each with a file system, and one a quarter of that size, to see that nothing grows
# with the square; and a volume group of VOLUMES (default 2000) volumes in one image (root only).
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=benches/images.sh
. "$(dirname "$0")/images.sh"
disks=${DISKS:-500}
volumes=${VOLUMES:-2000}
runs=${RUNS:-5}

# `attrs FOLDER NAME=VALUE…`: attributes of sysfs.
attrs() {
    local folder=$1 pair
    shift
    for pair in "$@"; do echo "${pair#*=}" >"$folder/${pair%%=*}"; done
}

# `make_host ROOT DISKS`: sysfs, mounts and the first bytes of every partition.
make_host() {
    local root=$1 count=$2 disk part dir name
    mkdir -p "$root/sys/block" "$root/proc/self" "$root/dev"
    for ((disk = 0; disk < count; disk++)); do
        name=nvme${disk}n1
        dir=$root/sys/devices/pci0000:00/0000:00:02.0/nvme/nvme$disk/$name
        mkdir -p "$dir/queue" "$dir"/holders "$dir"/slaves
        ln -s "../devices/pci0000:00/0000:00:02.0/nvme/nvme$disk/$name" "$root/sys/block/$name"
        attrs "$dir" dev=259:$((disk * 8)) size=33554432 alignment_offset=0 discard_alignment=0 hidden=0
        attrs "$dir/queue" logical_block_size=512 physical_block_size=4096 minimum_io_size=4096 \
            optimal_io_size=0 rotational=0 zoned=none chunk_sectors=0 scheduler='[none]' write_cache='write back'
        for part in 1 2 3 4; do
            mkdir "$dir/${name}p$part"
            # The third of each disk is off: findings are part of the work.
            attrs "$dir/${name}p$part" dev=259:$((disk * 8 + part)) partition=$part size=2097152 \
                start=$((part * 4194304 + (part == 3 ? 63 : 0))) alignment_offset=0
            ln "$scratch/fs" "$root/dev/${name}p$part"
            echo "$((disk * 8 + part)) 1 259:$((disk * 8 + part)) / /srv/$disk/$part rw - ext4 /dev/${name}p$part rw" >>"$root/proc/self/mountinfo"
        done
    done
}

# `time_of NAME COMMAND…`: median wall and processor time, peak memory.
time_of() {
    local name=$1 i code=0
    shift
    for ((i = 0; i < runs; i++)); do
        /usr/bin/time -f '%e %U %S %M' -o "$scratch/time" "$@" >/dev/null 2>&1 || code=$?
        [ $code -le 3 ] || { echo "failed with $code: $*" >&2 && exit 1; }
        tail -n 1 "$scratch/time"
    done | sort -n | awk -v name="$name" '{wall[NR] = $1; cpu[NR] = $2 + $3; kib = $4}
        END {m = int((NR + 1) / 2); printf "%-40s %6.2f s wall  %6.2f s processor  %7d KiB\n", name, wall[m], cpu[m], kib}'
}

need /usr/bin/time time
# The extents of a file system are no part of this: one small one serves all, by hard links.
make_fs ext4 "$scratch/fs"
for count in $((disks / 4)) "$disks"; do
    make_host "$scratch/host$count" "$count"
    time_of "$count disks of 4 partitions, text" "$ioalign" check --sysroot "$scratch/host$count"
    time_of "$count disks of 4 partitions, json" "$ioalign" check --sysroot "$scratch/host$count" --json
done

[ "$(id -u)" = 0 ] || { echo "no volume group: that needs root" && exit 0; }
for count in $((volumes / 4)) "$volumes"; do
    make_many_volumes "$scratch/group$count" "$count"
    time_of "$count volumes in one group, text" "$ioalign" check "$scratch/group$count"
    time_of "$count volumes in one group, json" "$ioalign" check "$scratch/group$count" --json
done
