# shellcheck shell=dash
# What `ioalign plan` prints is run as it is, on md, LVM, dm-crypt and a jumpered disk, and `ioalign check`
# judges what came out. Standing between are only what this machine lacks: udev, and somebody who types.
#: --disk -=400M --disk -=400M --disk -=400M --disk -=400M --disk -=640M --memory 2048
#: --program mdadm --program lvm --program thin_check --program cryptsetup --program mkfs.ext4
#: --program sfdisk
#: --module raid10 --module raid456 --module dm-mod --module dm-thin-pool --module dm-crypt --module xts --module ecb
#: --module af_alg --module algif_skcipher --module algif_hash --module xfs --module sd_mod --module scsi_debug
. /lib/capture.sh
modprobe -a raid10 raid456 dm-mod dm-thin-pool dm-crypt xts ecb algif_skcipher xfs sd_mod
export DM_DISABLE_UDEV=1

# Wrappers in front of the tools: nodes appear by mdev, questions are answered.
mkdir -p /tmp/bin
wrap() {
    printf '#!/bin/sh\nset -e\n%s\n' "$2" >"/tmp/bin/$1"
    chmod +x "/tmp/bin/$1"
}
# shellcheck disable=SC2016 # expanded in the wrapper
{
    wrap sfdisk '/bin/sfdisk --quiet --no-tell-kernel "$@"; for d; do :; done; blockdev --rereadpt "$d"; mdev -s'
    wrap mdadm '/bin/mdadm "$@" --run --assume-clean --bitmap=none >/dev/null 2>&1; mdev -s'
    wrap cryptsetup 'case $1 in luksFormat) echo secret | /bin/cryptsetup -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$@" -;; *) echo secret | /bin/cryptsetup --key-file - "$@";; esac; mdev -s'
    for tool in pvcreate vgcreate pvs; do
        wrap $tool "/bin/lvm $tool --config '$LVM' \"\$@\" >/dev/null 2>&1; mdev -s"
    done
    # Signatures are wiped through nodes that nobody makes here; thin volumes know no such option.
    wrap lvcreate "wipe='-Wn -Zn'; case \$* in *thin*) wipe=;; esac; /bin/lvm lvcreate --config '$LVM' -y \$wipe \"\$@\" >/dev/null; /bin/dmsetup mknodes; mkdir -p /dev/vg0; for v in /dev/mapper/vg0-*; do ln -sf \$v /dev/vg0/\${v#/dev/mapper/vg0-}; done; mdev -s"
    wrap mkfs.xfs '/bin/mkfs.xfs -q -f "$@"'
    wrap mke2fs '/bin/mkfs.ext4 -q -F "$@"'
}
PATH=/tmp/bin:$PATH
# shellcheck disable=SC2154 # capture.sh sets it
out=$captures/plans
mkdir -p "$out"

disks=
for n in 0 1 2 3; do
    disks="$disks $(readlink -f /dev/disk/$n)"
done
one=$(readlink -f /dev/disk/4)

# `planned NAME DEVICE ARGUMENT…`: plan, run, check DEVICE.
planned() {
    name=$1
    device=$2
    shift 2
    ioalign plan --json "$@" >"$out/$name.plan.json" || :
    # The shell would take its own mke2fs before any on the path.
    ioalign plan --quiet "$@" | sed 's/SIZE/64m/; s!^mke2fs!/tmp/bin/mke2fs!' >/tmp/plan.sh || :
    cp /tmp/plan.sh "$out/$name.sh"
    env PATH="$PATH" /bin/sh -e /tmp/plan.sh >/tmp/plan.log 2>&1 || {
        cat /tmp/plan.sh /tmp/plan.log
        exit 1
    }
    ioalign check --json "$device" >"$out/$name.check.json" || :
    clean
}

clean() {
    umount /mnt/data 2>/dev/null || :
    lvm vgchange --config "$LVM" -an >/dev/null 2>&1 || :
    for name in $(dmsetup ls | cut -f1); do
        dmsetup remove --force "$name" >/dev/null 2>&1 || :
    done
    /bin/mdadm --stop /dev/md0 >/dev/null 2>&1 || :
    # shellcheck disable=SC2086
    /bin/mdadm --zero-superblock $disks >/dev/null 2>&1 || :
    for disk in $disks "$one"; do
        dd if=/dev/zero of="$disk" bs=1M count=8 2>/dev/null
        blockdev --rereadpt "$disk" 2>/dev/null || :
    done
    rm -rf /dev/vg0
    mdev -s
}

# shellcheck disable=SC2086 # a list of disks
{
    planned raid5-crypt-thin /dev/md0 --raid 5 --element 64k --device $disks --size 1190M --luks --lvm --thin --fs ext4
    planned raid10-unit /dev/md0 --raid 10 --element 64k --unit 16k --device $disks --size 790M --partition data:48M,data --fs ext4
}
# A partition that stays at sector 63: what LVM keeps in it is put right.
partition "$one" 63
planned stays "$one" --device "$one" --partition-at 63s --grid 256k --lvm --fs ext4

# A drive with its boundaries at 7 mod 8 sectors, as a stack that was checked has it.
modprobe scsi_debug dev_size_mb=256 physblk_exp=3 lowest_aligned=7 sector_size=512
usleep 500000
mdev -s
ioalign check --json /dev/sda >/tmp/jumper.json || :
planned jumper /dev/sda --from /tmp/jumper.json --device /dev/sda --fs ext4
export_captures
