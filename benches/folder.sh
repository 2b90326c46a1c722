#!/bin/bash
# A folder of IMAGES (default 10000) small images of mixed formats, warm cache: images per second
# per processor, and peak memory.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need qemu-img qemu-utils
images=${IMAGES:-10000}
runs=${RUNS:-5}

kinds=$scratch/kinds
folder=$scratch/folder
mkdir -p "$kinds" "$folder"
for start in 34 63 2048; do
    for fs in none ext4 vfat; do
        raw=$kinds/$start-$fs.raw
        truncate -s 8M "$raw"
        echo "$start,,83" | sfdisk -q --force "$raw"
        truncate -s 4M "$scratch/fs"
        case $fs in
        ext4) mkfs.ext4 -q -F "$scratch/fs" && dd if="$scratch/fs" of="$raw" bs=512 seek=$start conv=notrunc,sparse status=none ;;
        vfat) mkfs.vfat "$scratch/fs" >/dev/null && dd if="$scratch/fs" of="$raw" bs=512 seek=$start conv=notrunc,sparse status=none ;;
        esac
        rm "$scratch/fs"
        for format in qcow2 vdi vpc vhdx vmdk; do
            qemu-img convert -q -f raw -O $format "$raw" "${raw%.raw}.$format"
        done
    done
done
kind=("$kinds"/*)
for ((i = 0; i < images; i++)); do
    from=${kind[i % ${#kind[@]}]}
    printf '%s\0%s\0' "$from" "$folder/$i.${from##*.}"
done | xargs -0 -n 2 -P 2 cp --sparse=always
echo "$images images of ${#kind[@]} kinds, $(du -sh "$folder" | cut -f1)"

check() { "$ioalign" check "$folder" --json; }
micros check >/dev/null # warms the cache
cpus=$(nproc)
for ((i = 0; i < runs; i++)); do micros check; done >"$scratch/us"
read -r median _ _ < <(percentiles <"$scratch/us")
awk -v n="$images" -v us="$median" -v cpus="$cpus" 'BEGIN {
    printf "median of runs: %.2f s, %.0f images/s, %.0f images/s per processor (%d)\n", us / 1e6, n / us * 1e6, n / us * 1e6 / cpus, cpus
}'
printf 'on one processor: '
taskset -c 0 true 2>/dev/null && {
    us=$(micros taskset -c 0 "$ioalign" check "$folder" --json)
    awk -v n="$images" -v us="$us" 'BEGIN {printf "%.0f images/s\n", n / us * 1e6}'
}
echo "peak memory: $(peak_kib "$ioalign" check "$folder" --json) KiB"
