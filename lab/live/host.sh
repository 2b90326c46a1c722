# shellcheck shell=dash
# `ioalign check` on a live kernel that has what developers' machines often lack: md, device-mapper
# tables by ioctl, a jumpered disk, NVMe that answers Identify. The captured tree of the same machine goes out
# beside the answers, so that both readers can be compared.
#: --disk -=160M --disk -=160M --disk -=160M --disk -=160M --disk -=96M,physical=4096 --memory 2048
#: --program mdadm --program lvm --program mkfs.xfs --program mkfs.ext4 --program cryptsetup --program setpriv
#: --module raid456 --module dm-mod --module dm-crypt --module xts --module ecb --module af_alg
#: --module algif_skcipher --module algif_hash --module xfs --module sd_mod --module scsi_debug
#: --module nvmet-tcp --module nvme-tcp --module configfs
. /lib/capture.sh
modprobe -a raid456 dm-mod dm-crypt xts ecb algif_skcipher xfs sd_mod

# RAID 5 of three data disks, LVM with two volumes on it, XFS on the second.
disks=
for n in 0 1 2 3; do
    disks="$disks $(readlink -f /dev/disk/$n)"
done
# shellcheck disable=SC2086
mdadm --create /dev/md0 --run --assume-clean --bitmap=none --metadata=1.2 --chunk=64 --level=5 \
    --raid-devices=4 $disks >/dev/null 2>&1
mdev -s
lvm_ pvcreate /dev/md0
lvm_ vgcreate --physicalextentsize 4M vg /dev/md0
lvm_ lvcreate -Zn -Wn -L 64M -n first vg
lvm_ lvcreate -Zn -Wn -L 304M -n second vg
mkfs.xfs -f -q /dev/mapper/vg-second
mkdir -p /mnt/data
mount -t xfs /dev/mapper/vg-second /mnt/data
echo "a file with an extent" >/mnt/data/file
sync

# An encrypted partition at sector 63 whose payload cryptsetup puts right.
partition /dev/disk/4 63
export DM_DISABLE_UDEV=1
part=$(readlink -f /dev/disk/4)1
echo secret | cryptsetup luksFormat -q --type luks2 --sector-size 512 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$part" -
echo secret | cryptsetup open --key-file - "$part" secret || echo secret | cryptsetup open "$part" secret
mdev -s

# A real NVMe controller, through the loopback interface, on a disk with 16 KiB physical blocks.
modprobe scsi_debug dev_size_mb=128 physblk_exp=5 opt_xferlen_exp=9 sector_size=512
modprobe configfs
mount -t configfs none /sys/kernel/config
modprobe -a nvmet-tcp nvme-tcp
ifconfig lo 127.0.0.1 up
usleep 500000
mdev -s
c=/sys/kernel/config/nvmet
mkdir $c/subsystems/t
echo 1 >$c/subsystems/t/attr_allow_any_host
mkdir $c/subsystems/t/namespaces/1
echo -n /dev/sda >$c/subsystems/t/namespaces/1/device_path
echo 1 >$c/subsystems/t/namespaces/1/enable
mkdir $c/ports/1
echo ipv4 >$c/ports/1/addr_adrfam
echo tcp >$c/ports/1/addr_trtype
echo 4420 >$c/ports/1/addr_trsvcid
echo 127.0.0.1 >$c/ports/1/addr_traddr
ln -s $c/subsystems/t $c/ports/1/subsystems/t
u=11111111-2222-3333-4444-555555555555
echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=t,hostnqn=nqn.2014-08.org.nvmexpress:uuid:$u,hostid=$u" >/dev/nvme-fabrics
n=0
until [ -b /dev/nvme0n1 ] || [ $n -ge 50 ]; do usleep 100000; mdev -s; n=$((n + 1)); done

capture live
# shellcheck disable=SC2154 # capture.sh sets it
out=$captures/live/answers
mkdir -p "$out"
# Exit codes tell the verdict; the JSON is what counts here.
ioalign check --json >"$out/host.json" || :
ioalign check --json /dev/nvme0n1 >"$out/nvme.json" || :
ioalign check --json /dev/mapper/vg-second >"$out/second.json" || :
ioalign check --json --extents /mnt/data/file >"$out/file.json" || :
# The same without root: what is missing is said.
/bin/setpriv --reuid=65534 --clear-groups ioalign check --json >"$out/nobody.json" || :
# Bundles of the same machine, by root and by nobody: outside they must give the same answers.
ioalign capture --json -o "$out/host.tar.gz" >"$out/capture.json"
ioalign capture -o "$out/second.tar.gz" /dev/mapper/vg-second
mkdir -m 777 /tmp/nobody
/bin/setpriv --reuid=65534 --clear-groups ioalign capture -o /tmp/nobody/nobody.tar.gz
mv /tmp/nobody/nobody.tar.gz "$out/"
export_captures
