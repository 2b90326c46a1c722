# shellcheck shell=dash
# A guest's partition at sector 63, in a qcow2 file, on XFS, on md RAID 10 with chunks of 64 KiB, on disks with physical
# blocks of 4 KiB: `ioalign check --chain` predicts the blocks that its I/O touches, then that I/O is sent through
# the qcow2 file, and counted where it arrives.
#: --disk -=256M,physical=4096 --disk -=256M,physical=4096 --disk -=256M,physical=4096 --disk -=256M,physical=4096
#: --program mdadm --program mkfs.xfs --program qemu-img --program qemu-io --program sfdisk
#: --module raid10 --module xfs --memory 1536
. /lib/capture.sh
modprobe -a raid10 xfs
disks=
for n in 0 1 2 3; do
    disks="$disks $(readlink -f /dev/disk/$n)"
done
# shellcheck disable=SC2086 # several disks
mdadm --create /dev/md0 --run --assume-clean --bitmap=none --metadata=1.2 --chunk=64 --level=10 --raid-devices=4 $disks \
    >/dev/null 2>&1
mdev -s
# Its superblock is written when the first write comes, and not again while it runs.
echo 0 >/sys/block/md0/md/safe_mode_delay
mkfs.xfs -f -q /dev/md0
# Nothing of its own is written meanwhile, however long that takes.
echo 720000 >/proc/sys/fs/xfs/xfssyncd_centisecs
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
mkdir -p /mnt/host
mount -t xfs -o noatime /dev/md0 /mnt/host

# The guest's disk: a table, and nothing but data in its partition. Every cluster is written, so that all have a place.
truncate -s 24M /tmp/guest.raw
echo 63,49000,83 | sfdisk -q /tmp/guest.raw
qemu-img convert -S 0 -f raw -O qcow2 /tmp/guest.raw /mnt/host/guest.qcow2
sync

# shellcheck disable=SC2154 # capture.sh sets it
out=$captures/chain
mkdir -p "$out"
ioalign check --no-policy --json --chain /mnt/host/guest.qcow2 >"$out/check.json" || :

# The guest: commands through a pipe, so that its image is open, and its tables are read, before anything is counted.
mkfifo /tmp/commands /tmp/answers
qemu-io -f qcow2 -t unsafe -n /mnt/host/guest.qcow2 </tmp/commands >/tmp/answers 2>&1 &
guest=$!
exec 3>/tmp/commands 4</tmp/answers
# `sends OPERATION SIZE COUNT`: COUNT, one after the other from the start of the partition on.
sends() {
    n=0
    while [ $n -lt "$3" ]; do
        echo "$1 $((63 * 512 + n * $2)) $2" >&3
        # The second line of the answer has the time.
        until case $line in *" ops;"*) ;; *) false ;; esac; do
            read -r line <&4 || { echo "@@failed $line"; exit 1; }
        done
        line=
        n=$((n + 1))
    done
}
line=
# Reads and writes that the members have completed.
members() {
    for disk in $disks; do
        cat "/sys/block/${disk##*/}/stat"
    done | awk '{ reads += $1; writes += $5 } END { print reads, writes }'
}
sends write 4096 1
sends read 4096 1

# `seen NAME OPERATION SIZE COUNT`: these are sent, and counted.
seen() {
    echo "@@$1 $(cut -d" " -f1 /proc/uptime)"
    ioalign watch md0 --json --unit 4k --grid 64k:raid-chunk:preference >"$out/$1.json" 2>/tmp/watch.txt &
    watch=$!
    until grep -q '^ioalign: watching' /tmp/watch.txt; do
        kill -0 $watch || { sed 's/^/@@failed /' /tmp/watch.txt; exit 1; }
        usleep 100000
    done
    first=$(members)
    sends "$2" "$3" "$4"
    last=$(members)
    kill -INT $watch
    wait $watch || echo "@@failed $1"
    echo "$first $last" | awk '{ print $3 - $1, $4 - $2 }' >"$out/$1.members"
}
# 1 MiB each, but for the large ones: whole periods of everything below.
seen read-4k read 4096 256
seen read-64k read 65536 32
seen write-4k write 4096 256
seen write-16k write 16384 64
echo quit >&3
exec 3>&-
wait $guest || :
export_captures
