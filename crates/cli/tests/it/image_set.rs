//! Images that the usual tools make, and the layouts of the usual installations: the verdict of each was written down before
//! it was asked for.
//!
//! Layouts, where they are published: Ubuntu: `disk-image-uefi.binary` of livecd-rootfs; Debian: the partition script of its
//! cloud images; Fedora and RHEL: `imagetypes.yaml` of osbuild/images, and the manifest of Fedora CoreOS; openSUSE: the
//! defaults of kiwi; Arch: `build.sh` of arch-boxes; Raspberry Pi OS: `export-image/prerun.sh` of pi-gen, whose FAT has clusters
//! of 512 bytes; Windows 10 and 11: `CreatePartitions-UEFI.txt` of Microsoft's documentation; ESXi 5 and 6: listings of
//! `partedUtil getptbl`. The rest is as their installers leave it: Windows 7, macOS, FreeBSD, ESXi 7, Talos.

use std::process::Command;

use ioalign_testkit::{check, mbr, needs};
use tempfile::TempDir;

use super::PROGRAM;

/// Name, verdict, recipe: `$f` is the image, `$good` and `$bad` are disks with ext4 from sector 2048 and 63 on. `refused`
/// is exit code 65.
const SET: &str = r#"
qcow2-v2 | misaligned | qemu-img convert -O qcow2 -o compat=0.10 $bad $f
qcow2 | misaligned | qemu-img convert -O qcow2 $bad $f
qcow2-4k | misaligned | qemu-img convert -O qcow2 -o cluster_size=4k $bad $f
qcow2-2m | misaligned | qemu-img convert -O qcow2 -o cluster_size=2M $bad $f
qcow2-extended | misaligned | qemu-img convert -O qcow2 -o extended_l2=on,cluster_size=128k $bad $f
qcow2-compressed | misaligned | qemu-img convert -c -O qcow2 $bad $f
qcow2-zstd | misaligned | qemu-img convert -c -O qcow2 -o compression_type=zstd $bad $f
qcow2-metadata | misaligned | qemu-img convert -O qcow2 -o preallocation=metadata $bad $f
qcow2-good | ok | qemu-img convert -O qcow2 $good $f
qcow2-v2-good | ok | qemu-img convert -O qcow2 -o compat=0.10 $good $f
qcow2-4k-good | ok | qemu-img convert -O qcow2 -o cluster_size=4k $good $f
qcow2-extended-good | ok | qemu-img convert -O qcow2 -o extended_l2=on,cluster_size=128k $good $f
qcow2-compressed-good | ok | qemu-img convert -c -O qcow2 $good $f
vmdk-sparse | misaligned | qemu-img convert -O vmdk $bad $f
vmdk-stream | misaligned | qemu-img convert -O vmdk -o subformat=streamOptimized $bad $f
vmdk-flat | misaligned | qemu-img convert -O vmdk -o subformat=monolithicFlat $bad $f
vmdk-split | misaligned | qemu-img convert -O vmdk -o subformat=twoGbMaxExtentSparse $bad $f
vmdk-split-flat | misaligned | qemu-img convert -O vmdk -o subformat=twoGbMaxExtentFlat $bad $f
vmdk-sparse-good | ok | qemu-img convert -O vmdk $good $f
vmdk-stream-good | ok | qemu-img convert -O vmdk -o subformat=streamOptimized $good $f
vmdk-flat-good | ok | qemu-img convert -O vmdk -o subformat=monolithicFlat $good $f
vmdk-split-good | ok | qemu-img convert -O vmdk -o subformat=twoGbMaxExtentSparse $good $f
vmdk-nameless | ok | qemu-img convert -O vmdk $good $f && sed -i 's/SPARSE "image"/SPARSE ""     /' $f
vdi | misaligned | qemu-img convert -O vdi $good $f
vdi-static | misaligned | qemu-img convert -O vdi -o static=on $good $f
vhd-dynamic | misaligned | qemu-img convert -O vpc $good $f
vhd-fixed | ok | qemu-img convert -O vpc -o subformat=fixed,force_size $good $f
vhd-fixed-bad | misaligned | qemu-img convert -O vpc -o subformat=fixed,force_size $bad $f
vhdx | misaligned | qemu-img convert -O vhdx $bad $f
vhdx-good | ok | qemu-img convert -O vhdx $good $f
vhdx-fixed-good | ok | qemu-img convert -O vhdx -o subformat=fixed $good $f
qed | refused | qemu-img convert -O qed $good $f
parallels | refused | qemu-img convert -O parallels $good $f
e01 | refused | printf 'EVF\011\015\012\377\000' > $f && truncate -s 1M $f
raw-text-head | misaligned | cp $bad $f && printf '\376\377' | dd of=$f conv=notrunc status=none
qcow2-cut | refused | qemu-img convert -O qcow2 $good $f && truncate -s 100 $f
vhdx-cut | refused | qemu-img convert -O vhdx $good $f && truncate -s 70000 $f
bitlocker-tail | ok | printf '\353\130\220-FVE-FS-\000\002\010' > $f && printf '\073\326\147\111\051\056\330\112\203\231\366\243\071\343\320\001' | dd of=$f bs=1 seek=160 conv=notrunc status=none && truncate -s 34603936 $f
dasd | unknown | truncate -s 20M $f && printf '\345\326\323\361\345\326\323\361' | dd of=$f bs=1 seek=8192 conv=notrunc status=none
atari | unknown | truncate -s 5M $f && printf '\000\000\050\000\001GEM\000\000\000\002\000\000\047\376' | dd of=$f bs=1 seek=450 conv=notrunc status=none
reiserfs | ok | truncate -s 64M $f && printf ReIsEr2Fs | dd of=$f bs=1 seek=65588 conv=notrunc status=none
ocfs2 | ok | truncate -s 64M $f && printf OCFSV2 | dd of=$f bs=1 seek=8192 conv=notrunc status=none
cramfs | ok | truncate -s 64M $f && printf '\105\075\315\050' | dd of=$f bs=1 conv=notrunc status=none
noise | unknown | head -c 1M /dev/urandom > $f
blank | unknown | truncate -s 16M $f
sfdisk-dos | ok | truncate -s 64M $f && echo type=83 | sfdisk -q $f
sfdisk-gpt | ok | truncate -s 64M $f && printf 'label:gpt\ntype=linux\n' | sfdisk -q $f
sgdisk-34 | misaligned | truncate -s 64M $f && sgdisk -o -a 1 -n 1:34:0 $f
sfdisk-logical | ok | truncate -s 64M $f && printf 'size=20M,type=83\ntype=5\nsize=10M\nsize=10M\n' | sfdisk -q $f
sfdisk-logical-63 | misaligned | truncate -s 64M $f && printf 'start=63,size=40000,type=83\nstart=40131,size=60000,type=5\nstart=40194,size=30000,type=83\n' | sfdisk -q $f
sgdisk | ok | truncate -s 64M $f && sgdisk -o -n 1:0:0 $f
sgdisk-hybrid | ok | truncate -s 64M $f && sgdisk -o -n 1:0:0 -t 1:8300 -h 1 $f
parted-optimal | ok | truncate -s 64M $f && parted -s -a optimal $f mklabel gpt mkpart a ext4 1MiB 100%
parted-mac | ok | truncate -s 64M $f && parted -s $f mklabel mac mkpart a hfs 1MiB 50MiB
parted-mac-swap | suboptimal | truncate -s 64M $f && parted -s $f mklabel mac mkpart swap linux-swap 65s 30000s mkpart a hfs 30MiB 50MiB
ext2-1k | ok | truncate -s 16M $f && mkfs.ext2 -q -b 1024 $f
ext4 | ok | truncate -s 64M $f && mkfs.ext4 -q -b 4096 $f
ext4-bigalloc | ok | truncate -s 256M $f && mkfs.ext4 -q -O bigalloc -C 16384 $f
xfs | ok | truncate -s 320M $f && mkfs.xfs -q $f
btrfs | ok | truncate -s 128M $f && mkfs.btrfs -q $f
f2fs | ok | truncate -s 128M $f && mkfs.f2fs -q $f
fat32 | ok | truncate -s 260M $f && mkfs.vfat -F 32 $f
exfat | ok | truncate -s 64M $f && mkfs.exfat $f
ntfs | ok | truncate -s 64M $f && mkfs.ntfs -q -F -Q -s 512 -p 0 -H 16 -S 63 $f
swap | ok | truncate -s 16M $f && mkswap -q $f
squashfs | ok | mkdir -p d && echo a > d/a && mksquashfs d $f -quiet -no-progress
erofs | ok | mkdir -p d && echo a > d/a && mkfs.erofs $f d
iso | ok | mkdir -p d && echo a > d/a && genisoimage -quiet -o $f d
udf | ok | truncate -s 16M $f && mkudffs $f
nilfs2 | ok | truncate -s 256M $f && mkfs.nilfs2 -q -f $f
jfs | ok | truncate -s 64M $f && mkfs.jfs -q $f
luks1 | ok | truncate -s 32M $f && echo x | cryptsetup luksFormat -q --type luks1 --iter-time 1 $f
luks2 | ok | truncate -s 32M $f && echo x | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $f
ubuntu-cloud | ok | truncate -s 3758096384 $f && sgdisk --new=14::+4M --new=15::+106M --new=1:: -t 14:ef02 -t 15:ef00 $f && mkfs.vfat -F 32 -n UEFI --offset 10240 $f 108544 && mkfs.ext4 -q -F -E offset=116391936 $f 3000000
ubuntu-cloud-arm | ok | truncate -s 3758096384 $f && sgdisk --new=15:0:204800 -t 15:ef00 --new=1: $f && mkfs.vfat -F 32 --offset 2048 $f 101376
debian-cloud | ok | truncate -s 3G $f && printf 'label:gpt\n14:start=2048,size=6144,type="BIOS boot"\n15:start=8192,size=253952,type="EFI System"\n1:start=262144\n' | sfdisk -q $f && mkfs.vfat -F 16 --offset 8192 $f 126976 && mkfs.ext4 -q -F -E offset=134217728 $f 2500000
fedora-cloud | ok | truncate -s 5G $f && sgdisk -n 1::+1M -t 1:ef02 -n 2::+200M -t 2:ef00 -n 3::+2G -n 4:: $f && mkfs.vfat -F 16 --offset 4096 $f 204800
fedora-coreos | ok | truncate -s 10G $f && sgdisk -n 1::+1M -t 1:ef02 -n 2::+127M -t 2:ef00 -n 3::+384M -n 4:: $f && mkfs.vfat -F 32 --offset 4096 $f 130048
opensuse | ok | truncate -s 4G $f && sgdisk -n 1::+2M -t 1:ef02 -n 2::+20M -t 2:ef00 -n 3:: $f && mkfs.vfat -F 16 --offset 6144 $f 20480
rhel-cloud | ok | truncate -s 10G $f && sgdisk -n 1::+1M -t 1:ef02 -n 2::+200M -t 2:ef00 -n 3::+1G -n 4:: $f && mkfs.vfat -F 16 --offset 4096 $f 204800
rhel | ok | truncate -s 12G $f && sgdisk -n 1::+600M -t 1:ef00 -n 2::+1G -n 3:: -t 3:8e00 $f
arch-cloud | ok | truncate -s 3G $f && sgdisk --align-end --new 0:0:+1M -t 0:ef02 --new 0:0:+300M -t 0:ef00 --new 0:0:0 -t 0:8304 $f && mkfs.vfat -F 32 --offset 4096 $f 307200
raspberry-pi | ok | truncate -s 3G $f && parted -s $f mklabel msdos unit B mkpart primary fat32 8388608 545259519 mkpart primary ext4 545259520 3221225471 && mkfs.fat -n bootfs -F 32 -s 1 --offset 16384 $f 524288 && mkfs.ext4 -q -F -E offset=545259520 $f 2500000
windows-7 | ok | truncate -s 20G $f && printf 'start=2048,size=204800,type=7,bootable\nstart=206848,type=7\n' | sfdisk -q $f
windows-10 | ok | truncate -s 40G $f && sgdisk -n 1::+100M -t 1:ef00 -n 2::+16M -t 2:0c01 -n 3::+38G -t 3:0700 -n 4:: -t 4:2700 $f && mkfs.fat -F 32 --offset 2048 $f 102400
windows-11 | ok | truncate -s 64G $f && sgdisk -n 1::+260M -t 1:ef00 -n 2::+16M -t 2:0c01 -n 3::+62G -t 3:0700 -n 4:: -t 4:2700 $f && mkfs.fat -F 32 --offset 2048 $f 266240
macos | ok | truncate -s 40G $f && sgdisk -a 1 -n 1:40:409639 -t 1:ef00 -n 2:409640:83000000 -t 2:af0a $f
freebsd-ufs | ok | truncate -s 10G $f && sgdisk -a 1 -n 1:40:1063 -t 1:a501 -n 2:1064:18874367 -t 2:a503 -n 3:18874368:20971486 -t 3:a502 $f
freebsd-zfs | ok | truncate -s 10G $f && sgdisk -a 1 -n 1:40:532519 -t 1:ef00 -n 2:532520:533543 -t 2:a501 -n 3:534528:4728831 -t 3:a502 -n 4:4728832:20969471 -t 4:a504 $f
talos | ok | truncate -s 8G $f && sgdisk -n 1:2048:206847 -t 1:ef00 -n 2:206848:208895 -t 2:ef02 -n 3:208896:2256895 -n 4:2256896:2258943 -n 5:2258944:2463743 -n 6:2463744:0 $f
esxi-5 | ok | truncate -s 2G $f && sgdisk -a 1 -n 1:64:8191 -t 1:ef00 -n 5:8224:520191 -t 5:0700 -n 6:520224:1032191 -t 6:0700 -n 7:1032224:1257471 -t 7:fc00 -n 8:1257504:1843199 -t 8:0700 $f
esxi-6 | ok | truncate -s 16G $f && sgdisk -a 1 -n 1:64:8191 -t 1:ef00 -n 5:8224:520191 -t 5:0700 -n 6:520224:1032191 -t 6:0700 -n 7:1032224:1257471 -t 7:fc00 -n 8:1257504:1843199 -t 8:0700 -n 9:1843200:7086079 -t 9:fc00 -n 2:7086080:15472639 -t 2:0700 -n 3:15472640:33554398 -t 3:fb00 $f
esxi-7 | ok | truncate -s 40G $f && sgdisk -a 1 -n 1:64:204863 -t 1:ef00 -n 5:208896:8595455 -t 5:0700 -n 6:8597504:16984063 -t 6:0700 -n 7:16986112:67108863 -t 7:fb01 -n 8:67110912:0 -t 8:fb00 $f
"#;

/// A disk with ext4 in a partition from this sector on, so that containers have data to place.
fn disk(start: u32) -> ioalign_testkit::Disk {
    let disk = mbr::disk("disk.raw", 64, &[(0x83, start, 100_000)]);
    let offset = format!("offset={}", u64::from(start) * 512);
    let path = disk.path().to_str().unwrap();
    let arguments = ["-q", "-F", "-b", "4096", "-E", &offset, path, "12000"];
    ioalign_testkit::run::tool("mkfs.ext4", &arguments);
    disk
}

#[test]
fn images_of_the_usual_tools_have_the_verdict_that_was_expected() {
    needs!(Packages);
    let (good, bad) = (disk(2048), disk(63));
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in SET.lines().filter(|line| !line.is_empty()) {
        let mut fields = line.splitn(3, " | ");
        let mut field = || fields.next().unwrap();
        let (name, expected, recipe) = (field(), field(), field());
        let folder = TempDir::new().unwrap();
        let made = Command::new("sh")
            .args(["-ec", recipe])
            .current_dir(folder.path())
            .env("f", "image")
            .env("good", good.path())
            .env("bad", bad.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{name}: {said}");
        let image = folder.path().join("image");
        let checked = check(PROGRAM, ["--no-policy", image.to_str().unwrap()]);
        let verdict = match checked.code {
            65 => "refused",
            _ => checked.verdict(),
        };
        if verdict != expected {
            wrong.push(format!(
                "{name}: {verdict}, not {expected}: {:?}",
                checked.rules()
            ));
        }
        count += 1;
    }
    assert!(count >= 90, "{count} images");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
