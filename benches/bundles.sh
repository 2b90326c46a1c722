#!/bin/bash
# BUNDLES (default 1000) sosreports of about 200 KB, half tar.gz and half tar.xz, in one folder: time to
# one summary table, and peak memory with a tenth of them and with all. Fails above LIMIT_S (20 s).
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need xz xz-utils
need /usr/bin/time time
count=${BUNDLES:-1000}
runs=${RUNS:-3}
kinds=20

# `tree FOLDER START`: a host with 8 disks of 3 partitions; most bytes are logs, as in real bundles.
tree() {
    local top=$1 disk part attr
    mkdir -p "$top"/sos_commands/{block,logs,networking} "$top"/{sos_logs,proc,etc,var/log}
    for disk in sd{a..h}; do
        mkdir -p "$top/sys/block/$disk/queue"
        for attr in logical:512 physical:4096 hw_sector:512; do
            echo "${attr#*:}" >"$top/sys/block/$disk/queue/${attr%:*}_block_size"
        done
        echo 4096 >"$top/sys/block/$disk/queue/minimum_io_size"
        echo 0 >"$top/sys/block/$disk/queue/optimal_io_size"
        for attr in add_random iostats nomerges nr_requests read_ahead_kb rq_affinity wbt_lat_usec; do
            echo 1 >"$top/sys/block/$disk/queue/$attr"
        done
        echo "NAME=\"$disk\" KNAME=\"$disk\" TYPE=\"disk\" MIN-IO=\"4096\" OPT-IO=\"0\" PHY-SEC=\"4096\" LOG-SEC=\"512\" PKNAME=\"\"" >>"$top/sos_commands/block/lsblk_-O_-P"
        for part in 1 2 3; do
            echo "NAME=\"$disk$part\" KNAME=\"$disk$part\" TYPE=\"part\" FSTYPE=\"xfs\" MIN-IO=\"4096\" OPT-IO=\"0\" PHY-SEC=\"4096\" LOG-SEC=\"512\" PKNAME=\"$disk\"" >>"$top/sos_commands/block/lsblk_-O_-P"
        done
    done
    echo "RO    RA   SSZ   BSZ   StartSec            Size   Device" >"$top/sos_commands/block/blockdev_--report"
    for disk in sd{a..h}; do
        echo "rw   256   512  4096          0   1000204886016   /dev/$disk"
        for part in 0 1 2; do
            echo "rw   256   512  4096 $(($2 + part * 104857600)) 53687091200 /dev/$disk$((part + 1))"
        done
    done >>"$top/sos_commands/block/blockdev_--report"
    for ((part = 0; part < 60; part++)); do
        seq 1 200 | sed "s/^/command $part: line /" >"$top/sos_commands/networking/command_$part"
    done
    # Words that pack to a third, as logs do.
    head -c 130000 /dev/urandom | base64 | sed 's/^/Nov 21 host kernel: /' >"$top/var/log/messages"
    cp "$top/sos_commands/block/lsblk_-O_-P" "$top/sos_commands/logs/lsblk_copy"
}

mkdir "$scratch/kinds" "$scratch/tenth" "$scratch/all"
for ((kind = 0; kind < kinds; kind++)); do
    start=2048
    ((kind % 4)) || start=63
    tree "$scratch/tree/sosreport-host$kind" $start
    packing=gz
    ((kind % 2)) || packing=xz
    tar -C "$scratch/tree" -caf "$scratch/kinds/$kind.tar.$packing" .
    rm -r "$scratch/tree"
done
for ((number = 0; number < count; number++)); do
    kind=("$scratch"/kinds/$((number % kinds)).tar.*)
    cp "${kind[0]}" "$scratch/all/host$number.tar.${kind[0]##*.}"
    ((number % 10)) || cp "${kind[0]}" "$scratch/tenth/host$number.tar.${kind[0]##*.}"
done
files=$(find "$scratch/all" -type f | wc -l)
echo "$files bundles, $(du -sh "$scratch/all" | cut -f1), $(nproc) processors"
find "$scratch/all" -type f | sed 's/.*\.//' | sort | uniq -c | awk '{printf "%s %s  ", $1, $2} END {print ""}'

for ((run = 0; run < runs; run++)); do
    /usr/bin/time -f '%e %U %S' -o "$scratch/time" "$ioalign" check "$scratch/all" --quiet >/dev/null || true
    tail -n 1 "$scratch/time"
done | sort -n | awk '{wall[NR] = $1; cpu[NR] = $2 + $3} END {
    m = int((NR + 1) / 2); printf "%.2f s wall, %.2f s processor (medians of %d)\n", wall[m], cpu[m], NR; print wall[m] > "'"$scratch"'/wall"}'
echo "peak memory, $(find "$scratch/tenth" -type f | wc -l) bundles: $(peak_kib "$ioalign" check "$scratch/tenth") KiB"
echo "peak memory, $files bundles: $(peak_kib "$ioalign" check "$scratch/all") KiB"
"$ioalign" check "$scratch/all" --rows 3 --no-color | tail -n 12 || true

# A million entries in one tarball, all of them of the kind that is kept.
mkdir -p "$scratch/many/sys/block/sda"
(cd "$scratch/many/sys/block/sda" && seq 1 100000 | xargs touch)
for part in {0..9}; do
    tar -C "$scratch/many" -b1 --transform "s,sda/,sda/$part/," -cf - sys | head -c -1024 >>"$scratch/many.tar"
done
head -c 1024 /dev/zero >>"$scratch/many.tar"
/usr/bin/time -f '%e s, %M KiB' -o "$scratch/time" "$ioalign" check "$scratch/many.tar" --json >/dev/null || true
echo "10^6 entries, $(du -h "$scratch/many.tar" | cut -f1): $(tail -n 1 "$scratch/time")"
awk -v limit="${LIMIT_S:-20}" '{exit $1 > limit}' "$scratch/wall"
