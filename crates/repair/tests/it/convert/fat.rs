//! FAT file systems of every kind for other sectors, as mkfs.fat, mtools and fsck.fat see them.

use std::path::Path;

use ioalign_repair::convert::fat::{self, FatKind, FatWish};
use ioalign_repair::overlay::{OverlayLayer, OverlayView};

use super::{copy, shell};

/// Files with long names, empty ones, attributes, in directories, in pieces between others.
const FILL: &str = r#"
export MTOOLSRC=/dev/null
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
mkdir -p "$d/EFI/BOOT" "$d/EFI/debian" "$d/a directory with a long name/and one in it"
seq 1 20000 > "$d/EFI/BOOT/BOOTX64.EFI"
seq 1 3000 > "$d/EFI/debian/grub.cfg"
: > "$d/empty"
printf x > "$d/a directory with a long name/and one in it/One Byte.Txt"
for i in $(seq 1 70); do seq "$i" 300 > "$d/EFI/debian/a file with a name $i.txt"; done
mcopy -s -m -i "$1" "$d"/* ::/
mdel -i "$1" '::/EFI/debian/a file with a name 1*.txt'
seq 1 9000 > "$d/in pieces"
mcopy -m -i "$1" "$d/in pieces" ::/EFI/
mattrib +h +r -i "$1" ::/EFI/debian/grub.cfg
"#;

/// Names, times, attributes and contents of all files, and the name and number of the volume.
const SEEN: &str = r#"
export MTOOLSRC=/dev/null
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
fsck.fat -n "$1" >&2
mdir -/ -a -i "$1" ::/ | grep -v 'bytes free'
mattrib -/ -i "$1" ::/ | sort
mcopy -s -Q -i "$1" ::/ "$d/" 
(cd "$d" && find . -type f | LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum)
blkid --probe --output export "$1" | grep -E '^(LABEL|UUID|TYPE)'
"#;

/// Makes `sectors` of a file system with these options into another one; whether its clusters stayed.
fn follows(options: &str, mib: u64, from: u64, kind: (FatKind, FatKind)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (old, new, back) = (path("old"), path("new"), path("back"));
    let make = format!(
        "truncate --size {mib}M \"$1\"; mkfs.fat -S {from} -n 'A LABEL' -i c0ffee11 {options} \"$1\" >&2"
    );
    shell(&make, &[&old]);
    shell(FILL, &[&old]);
    let seen = shell(SEEN, &[&old]);
    assert!(seen.contains("a file with a name 7.txt"), "{seen}");
    let to = if from == 512 { 4096 } else { 512 };
    let geometry = fat::geometry(&mut crate::image::opened(&old), 0).unwrap();
    assert_eq!((geometry.kind, geometry.sector), (kind.0, from));
    let (new_kind, kept) = made(&old, &new, to);
    assert_eq!(new_kind, kind.1);
    assert_eq!(shell(SEEN, &[&new]), seen);
    made(&new, &back, from);
    assert_eq!(shell(SEEN, &[&back]), seen);
    kept
}

fn made(old: &Path, new: &Path, sector: u64) -> (FatKind, bool) {
    let mut disk = crate::image::opened(old);
    let size = std::fs::metadata(old).unwrap().len();
    let wish = FatWish {
        sector,
        start: 1 << 20,
    };
    let remade = fat::remade(&mut disk, 0, size, wish).unwrap();
    assert_eq!(remade.lost, 0);
    let layers = [OverlayLayer::new(remade.pieces)];
    copy(
        &mut OverlayView::new(&mut disk, (size, 512), &[], &layers),
        new,
    );
    let now = fat::geometry(&mut crate::image::opened(new), 0).unwrap();
    assert_eq!(now, remade.geometry, "as it is read again");
    (now.kind, remade.kept)
}

#[test]
fn a_fat12_of_small_clusters_is_laid_out_anew() {
    needs!(Packages);
    let kinds = (FatKind::Fat12, FatKind::Fat12);
    assert!(!follows("-F 12 -s 4", 7, 512, kinds));
}

#[test]
fn a_fat16_becomes_a_fat12_where_clusters_are_few() {
    needs!(Packages);
    let kinds = (FatKind::Fat16, FatKind::Fat12);
    assert!(!follows("-F 16 -s 2", 15, 512, kinds));
}

#[test]
fn a_fat16_of_large_clusters_keeps_them() {
    needs!(Packages);
    let kinds = (FatKind::Fat16, FatKind::Fat16);
    assert!(follows("-F 16 -s 8 -R 8", 32, 512, kinds));
}

#[test]
fn a_fat32_of_small_clusters_is_laid_out_anew() {
    needs!(Packages);
    let kinds = (FatKind::Fat32, FatKind::Fat32);
    assert!(!follows("-F 32 -s 1", 270, 512, kinds));
}

#[test]
fn a_fat32_of_pages_keeps_its_clusters() {
    needs!(Packages);
    let kinds = (FatKind::Fat32, FatKind::Fat32);
    assert!(follows("-F 32 -s 8", 300, 512, kinds));
}

#[test]
fn one_of_4096_goes_to_512() {
    needs!(Packages);
    let kinds = (FatKind::Fat32, FatKind::Fat32);
    assert!(follows("-F 32", 300, 4096, kinds));
    let kinds = (FatKind::Fat16, FatKind::Fat16);
    assert!(follows("-F 16", 64, 4096, kinds));
}

/// A FAT32 of 100 MiB has too few clusters of 4 KiB for one: firmware and mtools would not read it.
#[test]
fn a_small_fat32_becomes_a_fat16() {
    needs!(Packages);
    let kinds = (FatKind::Fat32, FatKind::Fat16);
    assert!(!follows("-F 32 -s 1", 100, 512, kinds));
}

/// What cannot be followed is refused, and says what to do.
#[test]
fn damage_and_lack_of_room_are_refused() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    let make = |script: &str| {
        let _ = std::fs::remove_file(&old);
        shell(script, &[&old]);
        let size = std::fs::metadata(&old).unwrap().len();
        let wish = FatWish {
            sector: 4096,
            start: 0,
        };
        let remade = fat::remade(&mut crate::image::opened(&old), 0, size, wish);
        remade.unwrap_err().to_string()
    };
    let dirty = make(
        "truncate --size 40M \"$1\"; mkfs.fat -F 32 -s 1 \"$1\" >&2; printf '\\001' | dd of=\"$1\" bs=1 seek=65 conv=notrunc status=none",
    );
    assert!(dirty.contains("fsck.fat -a"), "{dirty}");
    // 2000 files of one byte: clusters of 512 bytes hold them, those of 4096 do not.
    let full = make(
        "truncate --size 4M \"$1\"; mkfs.fat -F 16 -s 1 -r 2048 \"$1\" >&2; d=$(mktemp -d); trap 'rm -r $d' EXIT; for i in $(seq 1 1500); do echo $i > $d/$i; done; mcopy -i \"$1\" $d/* ::/",
    );
    assert!(full.contains("free some room"), "{full}");
    // Two names for one chain.
    let shared = make(
        "truncate --size 40M \"$1\"; mkfs.fat -F 32 -s 1 -R 32 \"$1\" >&2; echo one > \"$1.f\"; mcopy -i \"$1\" \"$1.f\" ::/AAA; mcopy -i \"$1\" \"$1.f\" ::/BBB; \
         python3 -c 'import sys,re; f=open(sys.argv[1],\"r+b\"); d=f.read(); a=d.index(b\"AAA        \"); b=d.index(b\"BBB        \"); f.seek(b+26); f.write(d[a+26:a+28])' \"$1\"",
    );
    assert!(shared.contains("shares a cluster"), "{shared}");
}
