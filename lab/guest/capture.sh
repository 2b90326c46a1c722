# shellcheck shell=dash
# Sourced by fixture scripts in the guest: `capture NAME [MIB]` freezes the machine's whole block
# stack as a folder that `ioalign check` reads like a host, `export_captures` sends all of them out.
#
#   NAME/sys, NAME/proc      as the kernel showed them, links kept
#   NAME/dev/DEVICE          sparse: the first MIB (4) and the last 1 MiB
#   NAME/ioalign/dm-table    dmsetup table
#   NAME/oracle/TOOL.txt     what the reference tools print

# The shell of busybox prefers its own applets; these have options that only the real ones know.
blockdev() { /bin/blockdev "$@"; }
dd() { /bin/dd "$@"; }
modprobe() { /bin/modprobe "$@"; }
tar() { /bin/tar "$@"; }

captures=/tmp/captures
tail_bytes=$((1 << 20))

capture() {
    root=$captures/$1
    head_bytes=$((${2:-4} << 20))
    mkdir -p "$root/sys/class" "$root/sys/dev" "$root/proc" "$root/dev" "$root/ioalign" "$root/oracle"
    sync
    capture_sys
    cat /proc/self/mountinfo >"$root/proc/self.mountinfo"
    mkdir -p "$root/proc/self"
    mv "$root/proc/self.mountinfo" "$root/proc/self/mountinfo"
    for file in partitions swaps mounts devices mdstat; do
        [ ! -e "/proc/$file" ] || cat "/proc/$file" >"$root/proc/$file"
    done
    dmsetup table >"$root/ioalign/dm-table" 2>/dev/null || :
    for link in /sys/class/block/*; do
        capture_bytes "${link##*/}"
    done
    capture_oracles
    echo "@@captured $1 $(cut -d' ' -f1 /proc/uptime)"
}

# The block directories with everything in them, and a few words about the device above.
capture_sys() {
    # busybox cp reads each file to its end: sysfs files claim 4096 bytes and hold fewer.
    cp -dR /sys/block "$root/sys/"
    cp -dR /sys/class/block "$root/sys/class/"
    cp -dR /sys/dev/block "$root/sys/dev/"
    for link in /sys/block/*; do
        dir=$(readlink -f "$link")
        mkdir -p "$root${dir%/*}"
        cp -dR "$dir" "$root${dir%/*}/" 2>/dev/null || :
        device=$(readlink -f "$dir/device") || continue
        [ -d "$device" ] || continue
        mkdir -p "$root$device"
        for file in model vendor rev type serial firmware_rev transport; do
            [ ! -f "$device/$file" ] || cat "$device/$file" >"$root$device/$file" 2>/dev/null || :
        done
    done
}

# Superblocks live at the front and at the end; the middle stays a hole.
capture_bytes() {
    node=$1
    file=$root/dev/$node
    bytes=$(($(cat "/sys/class/block/$node/size") * 512))
    [ "$bytes" -gt 0 ] || return 0
    [ -b "/dev/$node" ] || return 0
    truncate -s "$bytes" "$file"
    dd if="/dev/$node" of="$file" bs=64k count=$((head_bytes >> 16)) conv=notrunc,sparse 2>/dev/null
    [ "$bytes" -gt "$head_bytes" ] || return 0
    # In whole 4 KiB, which every logical sector size divides.
    from=$(((bytes - tail_bytes) / 4096))
    dd if="/dev/$node" of="$file" bs=4k skip=$from seek=$from conv=notrunc,sparse 2>/dev/null
}

# What the tools say, for the tests to compare with. A tool that a script does not use is not there.
capture_oracles() {
    oracle lsblk-t lsblk -t
    oracle lsblk-json lsblk --json --bytes -O
    oracle blockdev-report blockdev --report
    oracle dmsetup-table dmsetup table
    oracle pvs lvm pvs --config "$LVM" -o +pe_start --units s
    oracle lvs lvm lvs --config "$LVM" -a -o +seg_start,seg_pe_ranges,stripes,stripesize,chunksize --units b
    oracle vgcfg lvm vgcfgbackup --config "$LVM" -f "$root/oracle/vgcfg-%s"
    for md in /sys/block/md*; do
        [ -e "$md" ] || continue
        oracle "mdadm-D-${md##*/}" mdadm -D "/dev/${md##*/}"
        for member in "$md"/slaves/*; do
            oracle "mdadm-E-${member##*/}" mdadm -E "/dev/${member##*/}"
        done
    done
    for disk in /sys/block/*; do
        oracle "sfdisk-${disk##*/}" sfdisk -J "/dev/${disk##*/}"
    done
    for part in ${luks_parts:-}; do
        oracle "luksDump-${part##*/}" cryptsetup luksDump "$part"
    done
    while read -r device _ type _; do
        [ "$type" != xfs ] || oracle "xfs_info-${device##*/}" xfs_db -r -c info "$device"
    done </proc/mounts
}

# `oracle FILE COMMAND…`: keeps what it printed, if it is there and succeeded.
oracle() {
    into=$root/oracle/$1.txt
    shift
    command -v "$1" >/dev/null || return 0
    "$@" >"$into" 2>/tmp/oracle.err || rm -f "$into"
}

export_captures() {
    # GNU tar keeps the holes.
    tar --create --sparse --format=gnu --directory="$captures" . >/dev/out
}

# No udev in the guest, and no device file.
LVM='activation { udev_sync=0 udev_rules=0 monitoring=0 } devices { use_devicesfile=0 obtain_device_list_from_udev=0 md_component_detection=1 } global { locking_dir="/run/lock/lvm" } backup { backup=0 archive=0 }'
lvm_() {
    verb=$1
    shift
    lvm "$verb" --config "$LVM" -y "$@" >/tmp/lvm.log 2>&1 || { cat /tmp/lvm.log; return 1; }
    mdev -s
}

# `partition DISK START [SIZE]` in sectors, MBR type 83.
partition() {
    dd if=/dev/zero of="$1" bs=1M count=4 conv=notrunc 2>/dev/null
    echo "$2,${3:-},83" | sfdisk -q --force --wipe never "$1" >/dev/null
    mdev -s
}
