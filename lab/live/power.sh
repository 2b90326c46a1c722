# shellcheck shell=dash
# `ioalign fix` on a disk that loses power in the middle of a move, three times, and has another name after each start.
# The disks are known by their serial numbers: `target`, and `home`, where the journal and the sums of the files lie.
#: --memory 1024 --program mkfs.ext4 --program e2fsck --program sha256sum --program blkid
. /lib/capture.sh

# `disk SERIAL`
disk() {
    for block in /sys/block/vd*; do
        [ "$(cat "$block/serial")" != "$1" ] || echo "/dev/${block##*/}"
    done
}
target=$(disk target)
home=/var/lib/ioalign
mkdir -p $home /mnt/data
if ! mount -t ext4 "$(disk home)" $home 2>/dev/null; then
    mkfs.ext4 -q -F "$(disk home)"
    mount -t ext4 "$(disk home)" $home
fi
start=$(($(cat $home/starts 2>/dev/null || echo 0) + 1))
echo $start >$home/starts
sync
echo "@@name ${target##*/}"

sums() { (cd /mnt/data && find . -type f -exec sha256sum '{}' + | sort -k 2); }

# `expect STATUS COMMAND...`
expect() {
    wanted=$1 status=0
    shift
    "$@" >/tmp/said 2>&1 || status=$?
    [ $status = "$wanted" ] || echo "@@wrong $* ended with $status: $(head -3 /tmp/said)"
}

# `lose_power WAY`: begins, and loses power in the middle. What lies in the guest's caches is gone.
lose_power() {
    ioalign fix "$target" "$@" --limit 6M >/tmp/said 2>&1 &
    # However slow the machine is: the disk is marked, then data move for a while.
    until dd if="$target" bs=512 count=1 2>/dev/null | tr -d '\000' | grep -q IOALIGN-MOVE; do
        sleep 0.2
    done
    sleep 4
    kill -0 $! || echo "@@wrong it has ended: $(tail -2 /tmp/said)"
    echo "@@moving $start"
    # The console takes its time.
    sleep 1
    echo b >/proc/sysrq-trigger
    sleep 60
}

if [ $start = 1 ]; then
    printf '63,160000,83\n' | sfdisk -q --force "$target"
    mdev -s
    mkfs.ext4 -q -F -b 4096 "${target}1"
    mount -t ext4 "${target}1" /mnt/data
    for bytes in 0 1 511 4097 65537 1048583 20971520 30000000; do
        head -c $bytes /dev/urandom >/mnt/data/$bytes
    done
    sums >$home/sums
    umount /mnt/data
    sync
    lose_power --apply
fi

# The disk says what has happened to it, under whatever name, and nothing else is found on it.
expect 2 ioalign check "$target"
grep -q 'move-in-flight' /tmp/said || echo "@@wrong check says nothing of the move"
expect 65 ioalign fix "$target"
expect 65 ioalign fix "$target" --apply
! blkid -p -o export "${target}1" 2>/dev/null | grep -q ^TYPE= || echo "@@wrong a file system is found"
case $start in
2) lose_power --resume ;;
3) lose_power --rollback ;;
esac
echo "@@moving $start"
expect 0 ioalign fix "$target" --resume
expect 0 ioalign check "$target"
echo "@@verdict $(tail -1 /tmp/said | cut -d' ' -f1)"
expect 0 e2fsck -f -n "${target}1"
mount -t ext4 -o ro "${target}1" /mnt/data
sums | cmp - $home/sums && echo "@@files same"
umount /mnt/data
ls $home/*.journal 2>/dev/null && echo "@@wrong the journal is still there"
exit 0
