#!/bin/bash
# Writes valid images of every format that a packaged tool can make into the folder $1, without
# root. They are the seeds of `cargo xtask fuzz` and may serve as a corpus for cargo-fuzz.
set -euo pipefail
out=$1
export PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$out"/{images,tables,volumes,filesystems,archives}

# --- images: one raw disk with a table, in every container that qemu-img writes
cd "$out/images"
truncate -s 16M raw.img
printf '63,8192,83\n8255,,83\n' | sfdisk -q raw.img
dd if=/dev/urandom of=raw.img bs=64k count=4 seek=16 conv=notrunc status=none
image() { # NAME FORMAT [OPTIONS]
    qemu-img convert -q -f raw -O "$2" ${3:+-o "$3"} raw.img "$1"
}
image v3.qcow2 qcow2
image v2.qcow2 qcow2 compat=0.10
image small.qcow2 qcow2 cluster_size=4k
image extended.qcow2 qcow2 extended_l2=on
qemu-img convert -q -c -O qcow2 raw.img deflate.qcow2
qemu-img convert -q -c -O qcow2 -o compression_type=zstd raw.img zstd.qcow2
image dynamic.vdi vdi
image static.vdi vdi static=on
image dynamic.vhd vpc
image fixed.vhd vpc subformat=fixed
image dynamic.vhdx vhdx
image fixed.vhdx vhdx subformat=fixed
image sparse.vmdk vmdk
image stream.vmdk vmdk subformat=streamOptimized
image flat.vmdk vmdk subformat=monolithicFlat
image split.vmdk vmdk subformat=twoGbMaxExtentSparse
image parallels.hdd parallels
image qed.qed qed

# --- tables
cd "$out/tables"
disk() { rm -f "$1" && truncate -s "${2:-64M}" "$1"; }
disk dos.img
printf '63,8192,83\n8255,16384,fb\n24640,,5\n24703,4096,82\n,,83\n' | sfdisk -q --force dos.img
disk gpt.img
printf 'label: gpt\nfirst-lba: 34\n34,2014,21686148-6449-6E6F-744E-656564454649\n2048,32768,\n,,\n' | sfdisk -q --force gpt.img
disk hybrid.img
sgdisk -n1:2048:+16M -n2:0:0 -h1 hybrid.img >/dev/null
for label in sgi sun; do
    disk $label.img
    printf 'label: %s\n' $label | sfdisk -q --force $label.img || :
done
for label in aix amiga atari bsd dvh mac pc98 sun; do
    disk parted-$label.img
    parted -s parted-$label.img mklabel $label mkpart "${label/mac/}p" 1MiB 32MiB >/dev/null 2>&1 ||
        parted -s parted-$label.img mklabel $label mkpart primary 1MiB 32MiB >/dev/null 2>&1 || :
done

# --- volumes that a file can be; the rest comes from the kernel (`cargo xtask fixtures`)
cd "$out/volumes"
for version in 1 2; do
    disk luks$version.img
    echo secret | cryptsetup luksFormat -q --type luks$version --pbkdf pbkdf2 \
        --pbkdf-force-iterations 1000 luks$version.img - || rm -f luks$version.img
done
disk bcache.img
make-bcache -B bcache.img >/dev/null 2>&1 || :
disk bcache-cache.img
make-bcache -C bcache-cache.img >/dev/null 2>&1 || :

# --- file systems
cd "$out/filesystems"
make() { # SIZE NAME COMMAND…
    disk "$2" "$1"
    "${@:3}" "$2" >/dev/null 2>&1 || { echo "seeds: $3 failed for $2" >&2 && rm -f "$2"; }
}
make 16M ext2 mkfs.ext2 -F
make 64M ext4 mkfs.ext4 -F -E stride=16,stripe-width=80
make 64M ext4-bigalloc mkfs.ext4 -F -O bigalloc,64bit -C 65536
make 320M xfs mkfs.xfs -f
make 320M xfs4 mkfs.xfs -f -m crc=0
make 128M btrfs mkfs.btrfs -f
make 16M fat12 mkfs.vfat -F 12
make 32M fat16 mkfs.vfat -F 16
make 64M fat32 mkfs.vfat -F 32
make 64M exfat mkfs.exfat
make 64M ntfs mkfs.ntfs -F -Q -p 63 -s 512 -H 16 -S 63
make 64M f2fs mkfs.f2fs -f
make 256M nilfs2 mkfs.nilfs2 -f
make 64M jfs mkfs.jfs -q
make 64M udf mkudffs
make 16M swap mkswap
mkdir -p content && echo hello >content/file
mksquashfs content squashfs -noappend -quiet >/dev/null
mkfs.erofs erofs content >/dev/null 2>&1
genisoimage -quiet -o iso content
rm -r content

# --- support bundles, small: damage is to hit what is read
mkdir -p "$out/archives/tree/sos_commands/block" "$out/archives/tree/dev" "$out/archives/tree/sys/block/sda/queue"
cd "$out/archives/tree"
echo 4096 >sys/block/sda/queue/physical_block_size
echo 512 >sys/block/sda/queue/logical_block_size
ln -s sda sys/block/sdb
ln sys/block/sda/queue/logical_block_size sys/block/sda/size
printf 'RO    RA   SSZ   BSZ   StartSec            Size   Device\nrw   256   512  4096         63      1073741824   /dev/sda1\n' \
    >sos_commands/block/blockdev_--report
truncate -s 1G dev/sda
for piece in 0 9 77 300 1000; do
    printf piece | dd of=dev/sda bs=1M seek=$piece conv=notrunc status=none
done
pack() { # NAME OPTION…
    tar --sparse --sort=name --mtime=@0 --owner=0 --group=0 -cf "../$1" "${@:2}" ./*
}
pack gnu.tar --format=gnu
pack pax-1.0.tar --format=posix --sparse-version=1.0
pack pax-0.1.tar --format=posix --sparse-version=0.1
pack pax-0.0.tar --format=posix --sparse-version=0.0
tar --format=v7 -cf ../v7.tar sys sos_commands
pack gnu.tar.gz --format=gnu -z
pack gnu.tar.xz --format=gnu -J
pack gnu.tar.bz2 --format=gnu -j
pack gnu.tar.zst --format=gnu --zstd
cd ..
rm -r tree
