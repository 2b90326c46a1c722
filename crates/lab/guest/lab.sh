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
blkdiscard() { /bin/blkdiscard "$@"; }
export DM_DISABLE_UDEV=1

counted= # the disks
array=   # the device that is watched and checked
below=   # another device, of which what iostat says is shown
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

# served SIZE TOML…: a disk whose time for each I/O is that of a model (`simulate serve`), behind FUSE and a loop device.
disks_served() {
    modprobe fuse
    modprobe loop max_part=8
    size=$1
    shift
    printf '%s\n' "$@" >/tmp/served.toml
    ioalign simulate serve /tmp/served.toml --size "$size" --json >/tmp/served.json 2>/tmp/served.txt &
    until grep -qs device /tmp/served.json; do
        kill -0 $! || { cat /tmp/served.txt; failed "simulate serve"; }
        usleep 100000
    done
    counted=$(sed -n 's/.*"device": *"\([^"]*\)".*/\1/p' /tmp/served.json)
    [ -n "$counted" ] || { cat /tmp/served.json /tmp/served.txt; failed "simulate serve has no block device"; }
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

# gpt START [SECTORS]: an EFI label, its first slice of Solaris at this sector.
layer_gpt() {
    quietly dd if=/dev/zero of="$top" bs=1M count=2 conv=notrunc
    printf 'label: gpt\nfirst-lba: 34\nstart=%s, %stype=6A898CC3-1DD2-11B2-99A6-080020736631\n' \
        "$1" "${2:+size=$2, }" >/tmp/table
    quietly sfdisk -q --force --wipe never "$top" </tmp/table
    blockdev --rereadpt "$top" 2>/dev/null || :
    appears "$(first_of "$top")"
    top=$(first_of "$top")
}

# fixed [OPTION…]: `ioalign fix` moves the partition; no byte in it is another one afterwards.
layer_fixed() {
    dd if=/dev/urandom of="$top" bs=1M count=8 conv=notrunc 2>/dev/null
    sync
    sum=$(md5sum <"$top")
    quietly ioalign fix "$array" --apply --journal /tmp/journal "$@"
    blockdev --rereadpt "$array" 2>/dev/null || :
    top=$(first_of "$array")
    appears "$top"
    blockdev --flushbufs "$top"
    [ "$(md5sum <"$top")" = "$sum" ] || failed "ioalign fix: $top has other data than before"
}

# hosted: a virtual disk whose data QEMU keeps in the file on the file system, through the page cache of this kernel. A loop
# device would not do: it writes each page of a request by itself, so a request off the pages has all of them read.
layer_hosted() {
    modprobe nbd nbds_max=1 max_part=4
    ifconfig lo 127.0.0.1 up
    # No more waits to be written than a host lets wait.
    echo $((32 << 20)) >/proc/sys/vm/dirty_bytes
    echo $((8 << 20)) >/proc/sys/vm/dirty_background_bytes
    below=$array
    array=/dev/nbd0
    quietly qemu-nbd --connect="$array" --format=raw --cache=writeback --aio=threads "$top"
    appears "$array"
    top=$array
    # A write of 1 MiB is one request.
    echo 1024 >/sys/block/nbd0/queue/max_sectors_kb
}

# No udev in the guest, and no device file.
LVM='activation { udev_sync=0 udev_rules=0 monitoring=0 } devices { use_devicesfile=0 obtain_device_list_from_udev=0 md_component_detection=1 } global { locking_dir="/run/lock/lvm" thin_check_executable="" } backup { backup=0 archive=0 }'
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

# thin CHUNK_KIB MIB: a volume of a thin pool. Extents of 6 MiB are whole stripes of two, three, four and six disks.
layer_thin() {
    modprobe -a dm-mod dm-thin-pool
    lvm_ pvcreate "$top"
    lvm_ vgcreate --physicalextentsize 6M vg "$top"
    lvm_ lvcreate -Zn --type thin-pool --chunksize "$1k" -L "$2M" -n pool vg
    lvm_ lvcreate --type thin -V "$2M" --thinpool pool -n thin vg
    top=/dev/mapper/vg-thin
}

# filled SIZE: every piece of this size is written once, in random order.
layer_filled() {
    quietly fio --name=fill --filename="$top" --rw=randwrite --bs="$1" --ioengine=libaio --direct=1 --iodepth=16 --randseed=1
}

# writecache MIB: what is written is complete once it is on a disk in memory, and goes to the array later.
layer_writecache() {
    modprobe -a dm-mod dm-writecache
    modprobe brd rd_nr=1 rd_size=$(($1 * 1024))
    appears /dev/ram0
    # Its blocks are 4 KiB, and whole.
    quietly dmsetup create cache --table "0 $(($(blockdev --getsz "$top") / 8 * 8)) writecache s $top /dev/ram0 4096 0"
    mdev -s
    top=/dev/mapper/cache
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

# xfs_mounted_with OPTIONS DATA [mkfs OPTION…]
layer_xfs_mounted_with() {
    mount_options=,$1
    shift
    layer_xfs "$@"
}

# xfs MIB [mkfs OPTION…]: mounted, with a file of written data. The file has the name that sysbench gives it.
mount_options=
layer_xfs() {
    modprobe xfs
    size=$1
    shift
    quietly mkfs.xfs -f -q "$@" "$top"
    mkdir -p /mnt/data
    # Nothing of its own is written meanwhile, however long that takes.
    echo 0 >/proc/sys/vm/dirty_writeback_centisecs
    echo 720000 >/proc/sys/fs/xfs/xfssyncd_centisecs
    quietly mount -t xfs -o "noatime,inode64$mount_options" "$top" /mnt/data
    top=/mnt/data/test_file.0
    quietly dd if=/dev/zero of=$top bs=1M count="$size" conv=fsync
}

# mariadb ROWS MIB: a server on the file system, with a pool of this size for pages and a table of sysbench.
layer_mariadb() {
    ifconfig lo 127.0.0.1 up
    mkdir -p /mnt/data/db
    mariadbd --no-defaults --user=root --datadir=/mnt/data/db --socket=/tmp/db --pid-file=/tmp/db.pid --tmpdir=/tmp \
        --skip-networking --skip-grant-tables --skip-log-bin --performance-schema=off --innodb-flush-method=O_DIRECT \
        --innodb-buffer-pool-size="$2M" --innodb-flush-log-at-trx-commit=2 --innodb-log-file-size=64M \
        --skip-innodb-doublewrite --innodb-stats-persistent=0 --innodb-buffer-pool-dump-at-shutdown=0 >/tmp/db.txt 2>&1 &
    server=$!
    until [ -S /tmp/db ]; do
        kill -0 $server || { tail -20 /tmp/db.txt; failed "mariadbd"; }
        usleep 100000
    done
    rows=$1
    quietly sql "CREATE DATABASE sbtest"
    quietly oltp oltp_point_select prepare
    quietly sql "FLUSH TABLES sbtest.sbtest1 FOR EXPORT"
    sync
    top=/mnt/data/db/sbtest/sbtest1.ibd
}

sql() {
    mariadb --no-defaults --socket=/tmp/db --execute "$1"
}

# oltp TEST COMMAND [OPTION…]: sysbench on the table.
oltp() {
    test=$1 command=$2
    shift 2
    sysbench "/usr/share/sysbench/$test.lua" --db-driver=mysql --mysql-socket=/tmp/db --mysql-user=root --tables=1 \
        --table-size="$rows" --rand-type=uniform --db-ps-mode=disable --percentile=99 "$@" "$command"
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

# What `ioalign check` says, of the array without further words.
checked() {
    key=$1 status=0
    shift
    [ $# -gt 0 ] || set -- "$array"
    ioalign check --no-policy --json "$@" >/tmp/check.json 2>/tmp/check.txt || status=$?
    [ $status -lt 64 ] || { cat /tmp/check.txt; failed "ioalign check ended with $status"; }
    document "$key" check /tmp/check.json
    echo "@@done $key"
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

# Of the device below: reads, writes, and the milliseconds that both took, as iostat has them.
waits() {
    # shellcheck disable=SC2046 # several words
    set -- $(cat "/sys/block/${below##*/}/stat")
    echo "$1 $5 $4 $8"
}

cell() {
    key=$1
    kind=$2
    shift 2
    [ -z "$grid" ] || watched_grid="--grid $grid"
    rm -f /tmp/watch.txt
    # shellcheck disable=SC2086 # an option or nothing
    ioalign watch "${array##*/}" ${below:+"${below##*/}"} --json ${watched_grid:-} --record /tmp/trace.blktrace --force \
        >/tmp/watch.json 2>/tmp/watch.txt &
    watch=$!
    until grep -qs '^ioalign: watching' /tmp/watch.txt; do
        kill -0 $watch || { cat /tmp/watch.txt; failed "ioalign watch"; }
        usleep 100000
    done
    # Pages of the host that another cell has read would spare this one the reads.
    [ -z "$below" ] || echo 3 >/proc/sys/vm/drop_caches
    before=$(disk_counts)
    [ -z "$below" ] || waited=$(waits)
    "load_$kind" "$@"
    after=$(disk_counts)
    [ -z "$below" ] || echo "@@iostat $key ${below##*/} $waited $(waits)"
    kill -INT $watch
    wait $watch || { cat /tmp/watch.txt; failed "ioalign watch"; }
    document "$key" load /tmp/load.json
    document "$key" watch /tmp/watch.json
    echo "$before" | sed "s/^/@@disk $key before /"
    echo "$after" | sed "s/^/@@disk $key after /"
    if [ -n "$model" ]; then
        # shellcheck disable=SC2086 # an option or nothing
        ioalign simulate run "$model" ${service:+--service "$service" --scheduler deadline} --replay /tmp/trace.blktrace --depth "${depth:-8}" --ios 100000000 \
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

# fio RW SIZE DEPTH JOBS SECONDS SEED [OPTION…]; without seconds as long as it takes.
load_fio() {
    depth=$(($3 * $4))
    rw=$1 size=$2 deep=$3 jobs=$4 seed=$6
    timed=
    [ "$5" = 0 ] || timed="--time_based --runtime=$5"
    shift 6
    # shellcheck disable=SC2086 # several options
    fio --name=lab --filename="$top" --rw="$rw" --bs="$size" --ioengine=libaio --direct=1 --iodepth="$deep" --numjobs="$jobs" \
        $timed --randseed="$seed" --group_reporting --output-format=json "$@" \
        >/tmp/load.json 2>/tmp/load.txt || { cat /tmp/load.txt; failed "fio"; }
}

# What sysbench says, as a document: a rate, and times of an event.
sysbench_document() {
    awk -v rate="$1" '$1 == rate || $1 == rate "/s:" { each = $NF }
        $1 == "transactions:" && rate == "transactions" { each = substr($3, 2) }
        $1 == "avg:" { mean = $2 * 1000 }
        $1 == "99th" { most = $3 * 1000 }
        END { printf "{\"rate\": %s, \"mean_us\": %s, \"p99_us\": %s}\n", each, mean, most }' /tmp/load.txt >/tmp/load.json
}

# fileio MODE THREADS SECONDS SEED: sysbench on the file, in pieces of 16 KiB (rndrd, rndwr, seqrd, seqwr).
load_fileio() {
    depth=$2
    (
        cd "${top%/*}"
        sysbench fileio --file-num=1 --file-total-size="$(stat -c %s "$top")" --file-block-size=16384 --file-test-mode="$1" \
            --file-extra-flags=direct --file-fsync-freq=0 --file-fsync-end=off --rand-type=uniform --rand-seed="$4" \
            --threads="$2" --time="$3" --events=0 --percentile=99 run
    ) >/tmp/load.txt 2>&1 || { cat /tmp/load.txt; failed "sysbench"; }
    case $1 in *rd) sysbench_document reads ;; *) sysbench_document writes ;; esac
}

# sysbench TEST THREADS SECONDS SEED: a load of sysbench on the database.
load_sysbench() {
    depth=$2
    oltp "$1" run --threads="$2" --time="$3" --events=0 --rand-seed="$4" >/tmp/load.txt 2>&1 ||
        { cat /tmp/load.txt; failed "sysbench"; }
    sysbench_document transactions
}

# discard BYTES: everything is written, then discarded in pieces of so many; what the disk has let go is counted.
load_discard() {
    dd if=/dev/zero of="$top" bs=1M oflag=direct 2>/dev/null || :
    held=$(units_held)
    began=$(cut -d' ' -f1 /proc/uptime)
    quietly blkdiscard --step "$1" "$top"
    ended=$(cut -d' ' -f1 /proc/uptime)
    each=$(cat "/sys/block/${array##*/}/queue/discard_granularity")
    echo "$(blockdev --getsize64 "$top") $1 $(((held - $(units_held)) * each)) $began $ended" |
        awk '{ printf "{\"rate\": %s, \"discarded_bytes\": %d, \"released_bytes\": %d}\n", $1 / $2 / ($5 - $4), $1, $3 }' \
            >/tmp/load.json
}

# How many units scsi_debug holds: a list of ranges.
units_held() {
    tr ',' '\n' </sys/bus/pseudo/drivers/scsi_debug/map |
        awk -F- 'NF { units += ($2 == "" ? $1 : $2) - $1 + 1 } END { print units + 0 }'
}
