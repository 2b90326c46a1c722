# shellcheck shell=dash
# What experiments are made of. The script of a guest is this file, then calls, a line each:
#
#   disks KIND ARGUMENT…       what the I/O is counted on
#   layer KIND ARGUMENT…       on top of what is there
#   checked NAME [TARGET]      what `ioalign check` says now
#   cell KEY LOAD ARGUMENT…    one load, watched and counted
#
# Results are lines on the console: `@@json KEY NAME DOCUMENT`, `@@disk KEY …`, and `@@done KEY` behind them.

# The shell of busybox prefers its own applets; these have options that only the real ones know.
blockdev() { /bin/blockdev "$@"; }
dd() { /bin/dd "$@"; }
modprobe() { /bin/modprobe "$@"; }
export DM_DISABLE_UDEV=1

counted= # the disks
array=   # the device that is watched and checked
top=     # what the next layer, or the load, lies on
grid=    # a boundary for watch
model=   # the same array for simulate
service= # its disks

failed() {
    echo "@@failed $*"
    exit 1
}

# A command that says something only where it fails.
quietly() {
    "$@" >/tmp/said 2>&1 && return
    sed 's/^/  /' /tmp/said
    failed "$*"
}

# Waits up to ten seconds for a device.
appears() {
    n=0
    until [ -b "$1" ]; do
        n=$((n + 1))
        [ $n -le 100 ] || failed "there is no $1"
        usleep 100000
        mdev -s
    done
}

disks() {
    kind=$1
    shift
    "disks_$kind" "$@"
    # shellcheck disable=SC2086 # several
    set -- $counted
    array=$1
    top=$1
}

layer() {
    kind=$1
    shift
    "layer_$kind" "$@"
}

# spindles COUNT SERVICE_US [GIB]: memory that takes one request at a time, and this long for it.
disks_spindles() {
    modprobe null_blk nr_devices="$1" gb="${3:-1}" bs=512 queue_mode=2 irqmode=2 completion_nsec=$(($2 * 1000)) \
        hw_queue_depth=1 submit_queues=1 memory_backed=1 no_sched=0
    service=${2}us
    mdev -s
    n=0
    while [ $n -lt "$1" ]; do
        counted="$counted /dev/nullb$n"
        # Otherwise the scheduler, and not the disk, holds writes back.
        queue=/sys/block/nullb$n/queue
        echo mq-deadline >$queue/scheduler
        echo 64 >$queue/nr_requests
        echo 64 >$queue/iosched/async_depth
        echo 1 >$queue/rotational
        echo 0 >$queue/wbt_lat_usec 2>/dev/null || :
        n=$((n + 1))
    done
}

# scsi OPTION…: one disk that says of itself what the options of scsi_debug say.
disks_scsi() {
    modprobe sd_mod
    modprobe scsi_debug "$@"
    appears /dev/sda
    counted=/dev/sda
}

# nvme OPTION…: the same behind an NVMe target of this kernel.
disks_nvme() {
    disks_scsi "$@"
    modprobe -a configfs nvmet-tcp nvme-tcp
    mount -t configfs none /sys/kernel/config
    ifconfig lo 127.0.0.1 up
    home=/sys/kernel/config/nvmet
    mkdir $home/subsystems/lab $home/subsystems/lab/namespaces/1 $home/ports/1
    echo 1 >$home/subsystems/lab/attr_allow_any_host
    printf /dev/sda >$home/subsystems/lab/namespaces/1/device_path
    echo 1 >$home/subsystems/lab/namespaces/1/enable
    echo tcp >$home/ports/1/addr_trtype
    echo ipv4 >$home/ports/1/addr_adrfam
    echo 127.0.0.1 >$home/ports/1/addr_traddr
    echo 4420 >$home/ports/1/addr_trsvcid
    ln -s $home/subsystems/lab $home/ports/1/subsystems/lab
    mdev -s
    uuid=11111111-2222-3333-4444-555555555555
    echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=lab,hostid=$uuid,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$uuid" \
        >/dev/nvme-fabrics
    appears /dev/nvme0n1
    counted=/dev/nvme0n1
}

# md LEVEL CHUNK_KIB: an array of all disks.
layer_md() {
    modprobe -a raid0 raid10 raid456
    # shellcheck disable=SC2086 # several disks
    set -- "$1" "$2" $counted
    level=$1 chunk=$2
    shift 2
    clean='--assume-clean --bitmap=none'
    [ "$level" != 0 ] || clean=
    # shellcheck disable=SC2086 # several options
    quietly mdadm --create /dev/md0 --run $clean --metadata=1.2 --chunk="$chunk" --level="$level" --raid-devices=$# "$@"
    mdev -s
    # The superblock is written when the first write comes, and not again while the array runs.
    [ "$level" = 0 ] || echo 0 >/sys/block/md0/md/safe_mode_delay
    array=/dev/md0
    top=/dev/md0
}

# The first partition of a device.
first_of() {
    case $1 in *[0-9]) echo "$1p1" ;; *) echo "${1}1" ;; esac
}

# partition START [SECTORS]: of an MBR.
layer_partition() {
    quietly dd if=/dev/zero of="$top" bs=1M count=2 conv=notrunc
    echo "$1,${2:-},83" >/tmp/table
    quietly sfdisk -q --force --wipe never "$top" </tmp/table
    blockdev --rereadpt "$top" 2>/dev/null || :
    appears "$(first_of "$top")"
    top=$(first_of "$top")
}

# gpt START: an EFI label, its first slice of Solaris at this sector.
layer_gpt() {
    quietly dd if=/dev/zero of="$top" bs=1M count=2 conv=notrunc
    printf 'label: gpt\nfirst-lba: 34\nstart=%s, type=6A898CC3-1DD2-11B2-99A6-080020736631\n' "$1" >/tmp/table
    quietly sfdisk -q --force --wipe never "$top" </tmp/table
    blockdev --rereadpt "$top" 2>/dev/null || :
    appears "$(first_of "$top")"
    top=$(first_of "$top")
}

# No udev in the guest, and no device file.
LVM='activation { udev_sync=0 udev_rules=0 monitoring=0 } devices { use_devicesfile=0 obtain_device_list_from_udev=0 md_component_detection=1 } global { locking_dir="/run/lock/lvm" } backup { backup=0 archive=0 }'
lvm_() {
    verb=$1
    shift
    quietly lvm "$verb" --config "$LVM" -y "$@"
    mdev -s
}

# lvm [SIZE] [SIZE_OF_ANOTHER_BEFORE]: a volume in extents of 4 MiB.
layer_lvm() {
    modprobe dm-mod
    lvm_ pvcreate "$top"
    lvm_ vgcreate --physicalextentsize 4M vg "$top"
    [ -z "${2:-}" ] || lvm_ lvcreate -Zn -Wn -L "$2" -n before vg
    lvm_ lvcreate -Zn -Wn -L "${1:-512M}" -n data vg
    top=/dev/mapper/vg-data
}

# luks1 [OPTION…]: encrypted; the password is of no use to anybody.
layer_luks1() {
    modprobe -a aesni-intel dm-crypt xts ecb af_alg algif_skcipher algif_hash
    echo secret >/tmp/key
    quietly cryptsetup luksFormat -q --type luks1 --pbkdf-force-iterations 1000 "$@" "$top" /tmp/key
    quietly cryptsetup open --key-file /tmp/key "$top" secret
    mdev -s
    top=/dev/mapper/secret
}

# xfs DATA [mkfs OPTION…]: mounted, with a file of written data.
layer_xfs() {
    modprobe xfs
    size=$1
    shift
    quietly mkfs.xfs -f -q "$@" "$top"
    mkdir -p /mnt/data
    # Nothing of its own is written meanwhile, however long that takes.
    echo 0 >/proc/sys/vm/dirty_writeback_centisecs
    echo 720000 >/proc/sys/fs/xfs/xfssyncd_centisecs
    quietly mount -t xfs -o noatime,inode64 "$top" /mnt/data
    top=/mnt/data/file
    quietly dd if=/dev/zero of=$top bs=1M count="$size" conv=fsync
}

# guest START MIB: a guest's disk in a qcow2 file on the file system, as a block device; its partition is the top.
layer_guest() {
    modprobe nbd nbds_max=1 max_part=4
    image=/mnt/data/guest.qcow2
    truncate -s "$2M" /tmp/guest.raw
    echo "$1,,83" >/tmp/table
    quietly sfdisk -q /tmp/guest.raw </tmp/table
    # Every cluster is written, so that all have a place.
    quietly qemu-img convert -S 0 -f raw -O qcow2 /tmp/guest.raw "$image"
    rm /tmp/guest.raw
    sync
}

# The image as a device, once it was checked.
layer_attached() {
    ifconfig lo 127.0.0.1 up
    quietly qemu-nbd --connect=/dev/nbd0 --format=qcow2 --cache=none --aio=threads "$image"
    appears /dev/nbd0p1
    top=/dev/nbd0p1
}

# `document KEY NAME FILE`: a JSON document in one line.
document() {
    [ -s "$3" ] || failed "$2: nothing in it"
    printf '@@json %s %s ' "$1" "$2"
    sed 's/^ *//' "$3" | tr -d '\n'
    echo
}

checked() {
    status=0
    ioalign check --no-policy --json "${2:-$array}" ${3:-} ${4:-} >/tmp/check.json 2>/tmp/check.txt || status=$?
    [ $status -lt 64 ] || { cat /tmp/check.txt; failed "ioalign check ended with $status"; }
    document "$1" check /tmp/check.json
    echo "@@done $1"
}

# Name, reads, sectors read, writes, sectors written of each disk.
disk_counts() {
    for disk in $counted; do
        name=${disk##*/}
        # shellcheck disable=SC2046 # several words
        set -- $(cat "/sys/block/$name/stat")
        echo "$name $1 $3 $5 $7"
    done
}

cell() {
    key=$1
    kind=$2
    shift 2
    [ -z "$grid" ] || watched_grid="--grid $grid"
    rm -f /tmp/watch.txt
    # shellcheck disable=SC2086 # an option or nothing
    ioalign watch "${array##*/}" --json ${watched_grid:-} --record /tmp/trace.blktrace --force \
        >/tmp/watch.json 2>/tmp/watch.txt &
    watch=$!
    until grep -qs '^ioalign: watching' /tmp/watch.txt; do
        kill -0 $watch || { cat /tmp/watch.txt; failed "ioalign watch"; }
        usleep 100000
    done
    before=$(disk_counts)
    "load_$kind" "$@"
    after=$(disk_counts)
    kill -INT $watch
    wait $watch || { cat /tmp/watch.txt; failed "ioalign watch"; }
    document "$key" load /tmp/load.json
    document "$key" watch /tmp/watch.json
    echo "$before" | sed "s/^/@@disk $key before /"
    echo "$after" | sed "s/^/@@disk $key after /"
    if [ -n "$model" ]; then
        # shellcheck disable=SC2086 # an option or nothing
        ioalign simulate run "$model" ${service:+--service "$service"} --replay /tmp/trace.blktrace --depth "${depth:-8}" --ios 100000000 \
            --json >/tmp/model.json 2>/tmp/model.txt || { cat /tmp/model.txt; failed "ioalign simulate"; }
        document "$key" model /tmp/model.json
    fi
    echo "@@done $key"
}

# measure OP PATTERN SIZE DEPTH SECONDS SEED [REGION]
load_measure() {
    depth=$4
    write=
    [ "$1" = read ] || write="--write --destroy-data $top --no-refill"
    # shellcheck disable=SC2086 # several options
    ioalign measure run "$top" --json --op "$1" --pattern "$2" --sizes "$3" --depth "$4" --time "$5s" --seed "$6" \
        ${7:+--size $7} $write >/tmp/load.json 2>/tmp/load.txt || { cat /tmp/load.txt; failed "ioalign measure"; }
}

# fio RW SIZE DEPTH JOBS SECONDS SEED [OPTION…]
load_fio() {
    depth=$(($3 * $4))
    rw=$1 size=$2 deep=$3 jobs=$4 seconds=$5 seed=$6
    shift 6
    fio --name=lab --filename="$top" --rw="$rw" --bs="$size" --ioengine=libaio --direct=1 --iodepth="$deep" --numjobs="$jobs" \
        --runtime="$seconds" --time_based --randseed="$seed" --group_reporting --output-format=json "$@" \
        >/tmp/load.json 2>/tmp/load.txt || { cat /tmp/load.txt; failed "fio"; }
}
