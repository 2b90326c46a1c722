# shellcheck shell=bash
# shellcheck disable=SC2154 # $scratch is the caller's
# Sourced by folder.sh: a few dozen small images made by the real tools, in every format that the
# program reads, and cheap copies of them.

# `put_at RAW SECTOR FILE`: copies what is not zero.
put_at() { dd if="$3" of="$1" bs=512 seek="$2" conv=notrunc,sparse status=none; }

# `make_fs KIND FILE`: a new, empty file system (or volume group) in a sparse file.
make_fs() {
    truncate -s 16M "$2"
    case $1 in
    ext4) mkfs.ext4 -q -F "$2" ;;
    vfat) mkfs.vfat "$2" >/dev/null ;;
    ntfs) mkfs.ntfs -Q -F -q "$2" >/dev/null 2>&1 ;;
    xfs) truncate -s 320M "$2" && mkfs.xfs -q "$2" ;;
    lvm) make_group "$2" ;;
    none) ;;
    esac
    # mkfs.xfs writes its empty log: those blocks are holes in an image of a real guest too.
    fallocate --dig-holes "$2"
}

# `make_group FILE`: a physical volume with two volumes. LVM wants a block device, so this needs root.
make_group() {
    local device code=0
    device=$(losetup --find --show "$1")
    group_on "$device" >"$scratch/lvm" 2>&1 || code=$?
    losetup --detach "$device"
    [ $code = 0 ] || { cat "$scratch/lvm" >&2 && return $code; }
}

group_on() {
    local config name
    config="devices{dir=\"/dev\" scan=[\"/dev\"] global_filter=[\"a|^$1\$|\",\"r|.*|\"]} backup{backup=0 archive=0}"
    local common=(--devicesfile '' --config "$config")
    pvcreate "${common[@]}" -y "$1" && vgcreate "${common[@]}" "bench$$" "$1" &&
        for name in root home; do
            lvcreate "${common[@]}" --driverloaded n -an -Wn -Zn -l 1 -n $name "bench$$" || return
        done
}

# `make_kinds FOLDER`: the images that the others are copies of.
make_kinds() {
    local kinds=$1 contents=(none ext4 vfat ntfs xfs) fs table start raw format
    if [ "$(id -u)" = 0 ]; then contents+=(lvm); else echo "no LVM inside: that needs root"; fi
    for fs in "${contents[@]}"; do
        make_fs "$fs" "$scratch/fs"
        for table in dos:34 dos:63 dos:2048 gpt:2048; do
            start=${table#*:}
            raw=$kinds/${table%:*}-$start-$fs.raw
            truncate -s "$(($(stat -c %s "$scratch/fs") + (2 << 20)))" "$raw"
            printf 'label: %s\n%s\n' "${table%:*}" "$start" | sfdisk -q --force "$raw" 2>/dev/null
            put_at "$raw" "$start" "$scratch/fs"
        done
        rm "$scratch/fs"
        for raw in "$kinds"/*-"$fs".raw; do
            for format in qcow2 vmdk vpc vhdx vdi; do
                qemu-img convert -q -f raw -O $format "$raw" "${raw%.raw}.$format"
            done
            fallocate --dig-holes "${raw%.raw}.vdi"
        done
        # One of each that is raw inside: a flat VMDK with its descriptor, a fixed VHD.
        raw=$kinds/dos-63-$fs.raw
        qemu-img convert -q -f raw -O vmdk -o subformat=monolithicFlat "$raw" "$kinds/flat-$fs.vmdk"
        qemu-img convert -q -f raw -O vpc -o subformat=fixed "$raw" "$kinds/fixed-$fs.vpc"
    done
    for raw in "$kinds"/*; do fallocate --dig-holes "$raw"; done
}

# `copy_kinds KINDS FOLDER COUNT`: at least COUNT files, each a file of its own with its own cache, holes
# kept. Whole folders are copied, because a flat VMDK names the file beside it.
copy_kinds() {
    local kinds=$1 folder=$2 count=$3 each i
    each=$(find "$kinds" -type f | wc -l)
    for ((i = 0; i * each < count; i++)); do printf '%s\0%s\0' "$kinds" "$folder/$i"; done |
        xargs -0 -n 2 -P 2 cp -r --sparse=auto --reflink=auto
}

# `make_many_volumes FILE COUNT`: a group of COUNT volumes of one extent, each with an ext4 in it. One is made
# by lvcreate, the others as copies of its text by vgcfgrestore: lvcreate would take minutes.
make_many_volumes() {
    local device code=0 i
    truncate -s 4M "$scratch/volume" && mkfs.ext4 -q -F "$scratch/volume"
    truncate -s $((($2 + 16) * 4 << 20)) "$1"
    device=$(losetup --find --show "$1")
    volumes_on "$device" "$2" >"$scratch/lvm" 2>&1 || code=$?
    losetup --detach "$device"
    [ $code = 0 ] || { cat "$scratch/lvm" >&2 && return $code; }
    # The first extent lies behind 16 MiB of metadata.
    for ((i = 0; i < $2; i++)); do
        dd if="$scratch/volume" of="$1" bs=64K count=1 seek=$(((16 + 4 * i) * 16)) conv=notrunc,sparse status=none
    done
}

volumes_on() {
    local text=$scratch/group.text config
    config="devices{dir=\"/dev\" scan=[\"/dev\"] global_filter=[\"a|^$1\$|\",\"r|.*|\"]} backup{backup=0 archive=0}"
    local common=(--devicesfile '' --config "$config")
    pvcreate "${common[@]}" -y --metadatasize 15m --dataalignment 16m "$1"
    vgcreate "${common[@]}" "bench$$" "$1"
    lvcreate "${common[@]}" --driverloaded n -an -Wn -Zn -l 1 -n volume0 "bench$$"
    vgcfgbackup "${common[@]}" -f "$text" "bench$$"
    awk -v count="$2" '
        /^\t\tvolume0 \{/ {inside = 1}
        {if (inside) body = body $0 "\n"; else print}
        inside && /^\t\t}/ {
            inside = 0
            for (i = 0; i < count; i++) {
                one = body
                sub(/volume0/, "volume" i, one)
                sub(/id = "....../, sprintf("id = \"%06d", i), one)
                sub(/"pv0", 0/, "\"pv0\", " i, one)
                printf "%s", one
            }
        }' "$text" >"$text.many"
    vgcfgrestore "${common[@]}" -f "$text.many" "bench$$"
}
