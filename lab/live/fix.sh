# shellcheck shell=dash
# `ioalign fix` on real block devices with what this machine's kernel lacks: LVM in a logical partition, LUKS2, and a
# disk with a sector that cannot be read, the same that sfdisk gets. Files are listed before and after.
#: --disk -=128M,physical=4096 --disk -=96M,physical=4096 --disk -=96M --memory 1536 --timeout 900
#: --program lvm --program cryptsetup --program mkfs.ext4 --program e2fsck --program sha256sum
#: --module dm-mod --module dm-crypt --module xts --module ecb --module af_alg --module algif_skcipher
#: --module algif_hash --module sd_mod --module scsi_debug
. /lib/capture.sh
modprobe -a dm-mod dm-crypt xts ecb algif_skcipher algif_hash sd_mod
export DM_DISABLE_UDEV=1
# shellcheck disable=SC2154 # capture.sh sets it
out=$captures/fix
mkdir -p "$out" /mnt/data /mnt/journal

lvm_disk=$(readlink -f /dev/disk/0)
luks_disk=$(readlink -f /dev/disk/1)
journal_disk=$(readlink -f /dev/disk/2)
# A journal lies where it outlives the machine.
mkfs.ext4 -q -F "$journal_disk"
mount -t ext4 "$journal_disk" /mnt/journal

# `fill DEVICE`: a file system with files of all sizes.
fill() {
    mkfs.ext4 -q -F -b 4096 "$1"
    mount -t ext4 "$1" /mnt/data
    mkdir -p /mnt/data/a/b
    for bytes in 0 1 511 512 4095 4096 4097 65537 1048583 3145728; do
        head -c $bytes /dev/urandom >/mnt/data/a/$bytes
        head -c $bytes /dev/urandom >/mnt/data/a/b/$bytes
    done
    umount /mnt/data
}

# `listed DEVICE NAME`: nothing to mend, and the sums of all files.
listed() {
    e2fsck -f -n "$1" >"$out/$2.fsck" 2>&1
    mount -t ext4 -o ro "$1" /mnt/data
    (cd /mnt/data && find . -type f -exec sha256sum '{}' + | sort -k 2) >"$out/$2.sums"
    umount /mnt/data
}

# `checked DEVICE NAME`
checked() {
    ioalign check --json "$1" >"$out/$2.check.json" || :
}

# `fixed DEVICE NAME`
fixed() {
    checked "$1" "$2-before"
    ioalign fix "$1" --apply --journal "/mnt/journal/$2" >"$out/$2.txt" 2>&1 || {
        cat "$out/$2.txt"
        exit 1
    }
    checked "$1" "$2-after"
    # The kernel knows already: nothing has informed it since.
    for part in /sys/block/"${1##*/}"/*/partition; do
        part=${part%/partition}
        echo "${part##*/} $(cat "$part/start") $(cat "$part/size")"
    done >"$out/$2.kernel"
    sfdisk --json "$1" >"$out/$2.sfdisk.json"
    mdev -s
}

# LVM in a logical partition behind another one, its extents 1 MiB into a partition at an odd sector.
printf '63,40000,83\n40063,,5\n40126,30000,83\n70189,150001,8e\n' | sfdisk -q --force "$lvm_disk"
mdev -s
fill "${lvm_disk}1"
fill "${lvm_disk}5"
# Left to itself it would make up for that, and the partition could stay.
LVM="$LVM devices/data_alignment_offset_detection=0"
lvm_ pvcreate --dataalignment 1m --dataalignmentoffset 0 --norestorefile "${lvm_disk}6"
lvm_ vgcreate vg "${lvm_disk}6"
lvm_ lvcreate -Zn -Wn -l 100%FREE -n data vg
fill /dev/mapper/vg-data
listed "${lvm_disk}1" primary-before
listed "${lvm_disk}5" logical-before
listed /dev/mapper/vg-data lvm-before
lvm_ vgchange -an vg
fixed "$lvm_disk" lvm
lvm_ vgchange -ay vg
/bin/dmsetup mknodes
listed "${lvm_disk}1" primary-after
listed "${lvm_disk}5" logical-after
listed /dev/mapper/vg-data lvm-after
lvm_ vgchange -an vg

# LUKS2 whose data start 16 MiB into a partition at sector 63: not where cryptsetup would put them on this disk.
unlocked() {
    echo secret | cryptsetup open --key-file - "${luks_disk}1" secret || echo secret | cryptsetup open "${luks_disk}1" secret
    mdev -s
}
echo '63,180000,83' | sfdisk -q --force "$luks_disk"
mdev -s
echo secret | cryptsetup luksFormat -q --type luks2 --sector-size 512 --offset 32768 --pbkdf pbkdf2 \
    --pbkdf-force-iterations 1000 "${luks_disk}1" -
unlocked
fill /dev/mapper/secret
listed /dev/mapper/secret luks-before
cryptsetup close secret
fixed "$luks_disk" luks
unlocked
listed /dev/mapper/secret luks-after
cryptsetup close secret

# A disk that cannot read its sector 40000, once for each program: sfdisk leaves out the MiB around it, under a new
# table; ioalign stops, and goes back.
modprobe scsi_debug dev_size_mb=32 opts=2 medium_error_start=40000 medium_error_count=1 sector_size=512 physblk_exp=3
usleep 500000
mdev -s
bad=/dev/sda
head -c 30720000 /dev/urandom >/tmp/noise
start_over() {
    echo '63,60000,83' | sfdisk -q --force "$bad"
    mdev -s
    # Past the page cache, which would read what is around each write.
    dd if=/tmp/noise of="$bad" bs=32256 oflag=direct,seek_bytes seek=32256 2>/dev/null
}
# `still NAME START FIRST COUNT`: sectors of the partition, had it this start.
still() {
    dd if="$bad" bs=512 skip=$(($2 + $3)) count="$4" of=/tmp/there 2>/dev/null
    dd if=/tmp/noise bs=512 skip="$3" count="$4" of=/tmp/wanted 2>/dev/null
    if cmp -s /tmp/there /tmp/wanted; then echo same; else echo lost; fi >"$out/$1"
}

start_over
status=0
ioalign fix "$bad" --apply --chunk 1M --journal /mnt/journal/error >"$out/error.txt" 2>&1 || status=$?
echo $status >"$out/error.status"
[ ! -e /mnt/journal/error ] || ioalign fix "$bad" --rollback --journal /mnt/journal/error >"$out/error.rollback" 2>&1
sfdisk --json "$bad" >"$out/error.sfdisk.json"
still error.before 63 0 39937
still error.after 63 39945 20055

start_over
echo '+1985,' | /bin/sfdisk --move-data -N 1 --force "$bad" >"$out/peer.txt" 2>&1 || :
sfdisk --json "$bad" >"$out/peer.sfdisk.json"
still peer.mib 2048 39600 1900
export_captures
