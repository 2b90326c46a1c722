//! Images made to harm: nothing may panic, hang or eat memory, and damage is named.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use ioalign_inspect::images::{self, Image, ImagePolicy};
use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{Error, ErrorKind, Source};
use ioalign_testkit::Random;

use super::qemu::{Lab, patterned};

/// A small image with 4 KiB clusters and some data.
fn small(lab: &Lab, format: &str, options: &str) -> Vec<u8> {
    lab.create("a", format, options, "2M");
    lab.io("a", format, &["write -P 1 64k 64k", "write -P 2 1M 1k"]);
    std::fs::read(lab.path("a")).unwrap()
}

fn compressed(lab: &Lab, method: &str) -> Vec<u8> {
    std::fs::write(lab.path("plain.raw"), patterned(64 << 10)).unwrap();
    let options = format!("cluster_size=4k,compression_type={method}");
    let convert = ["convert", "-c", "-f", "raw", "-O", "qcow2", "-o", &options];
    lab.img(&[&convert[..], &["plain.raw", "a"]].concat());
    std::fs::read(lab.path("a")).unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Image, Error> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    Ok(images::open(&source, &ImagePolicy::default())?.expect("raw claims what is left"))
}

/// Opens and reads here and there; every answer is right but a panic or no answer.
fn exercise(bytes: Vec<u8>, random: &mut Random) {
    let Ok(image) = open(bytes) else { return };
    let mut buffer = [0; 5000];
    for _ in 0..8 {
        let most = image.guest.len().saturating_sub(5000).max(1);
        // Anywhere, and where the data are.
        for end in [most, most.min(2 << 20)] {
            let _ = image.guest.read_at(random.next() % end, &mut buffer);
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let lab = Lab::new();
    let mut seeds: Vec<_> = ["cluster_size=4k", "compat=0.10,cluster_size=512"]
        .iter()
        .map(|options| small(&lab, "qcow2", options))
        .collect();
    seeds.push(small(&lab, "qcow2", "extended_l2=on,cluster_size=16k"));
    seeds.push(compressed(&lab, "zlib"));
    seeds.push(compressed(&lab, "zstd"));
    seeds.push(small(&lab, "vdi", ""));
    // QEMU reserves more than is needed to see damage in.
    for seed in &mut seeds {
        seed.truncate(300 << 10);
    }
    seeds
}

#[test]
fn truncation_anywhere() {
    needs!(Packages);
    let mut random = Random(1);
    for seed in seeds() {
        for len in (0..600).chain((0..150).map(|i| i * seed.len() / 150)) {
            exercise(seed[..len.min(seed.len())].to_vec(), &mut random);
        }
    }
}

#[test]
fn flipped_bits() {
    needs!(Packages);
    let mut random = Random(2);
    for seed in seeds() {
        for round in 0..400 {
            let mut bytes = seed.clone();
            for _ in 0..=random.below(4) {
                // Half of the rounds keep to the header.
                let end = if round % 2 == 0 { 600 } else { bytes.len() };
                let at = random.below(end.min(bytes.len()));
                bytes[at] ^= 1 << random.below(8);
            }
            exercise(bytes, &mut random);
        }
    }
}

#[test]
fn wild_words_in_the_tables() {
    needs!(Packages);
    let mut random = Random(3);
    for seed in seeds() {
        for _ in 0..400 {
            let mut bytes = seed.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len() / 8) * 8;
                let word = random.next() >> random.below(64);
                bytes[at..at + 8].copy_from_slice(&word.to_be_bytes());
            }
            exercise(bytes, &mut random);
        }
    }
}

fn word(bytes: &[u8], at: usize) -> usize {
    let raw = bytes[at..at + 8].try_into().unwrap();
    usize::try_from(u64::from_be_bytes(raw)).unwrap()
}

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
}

#[test]
fn an_l1_table_that_names_itself() {
    needs!(Packages);
    let lab = Lab::new();
    let mut bytes = small(&lab, "qcow2", "");
    let l1 = word(&bytes, 40);
    put(&mut bytes, l1, l1 as u64);
    let image = open(bytes).unwrap();
    assert_eq!(image.remarks[0].rule, "qcow2-bad-entries");
    let error = image.guest.read_at(0, &mut [0]).unwrap_err();
    assert_eq!(error.offset(), Some(l1 as u64));
    assert_eq!(error.field_name(), Some("l1_entry"));
}

#[test]
fn more_tables_than_the_file_has_room_for() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a", "qcow2", "cluster_size=512", "4M");
    lab.io("a", "qcow2", &["write -P 1 0 512"]);
    let mut bytes = std::fs::read(lab.path("a")).unwrap();
    let l1 = word(&bytes, 40);
    let first = word(&bytes, l1) as u64;
    for i in 0..128 {
        put(&mut bytes, l1 + i * 8, first);
    }
    bytes.truncate(bytes.len().min(20 << 10));
    let error = open(bytes).err().expect("128 tables in 40 clusters");
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn damaged_entries_spoil_only_their_clusters() {
    needs!(Packages);
    let lab = Lab::new();
    let mut bytes = small(&lab, "qcow2", "");
    let l2 = word(&bytes, word(&bytes, 40)) & 0x00FF_FFFF_FFFF_FE00;
    put(&mut bytes, l2 + 8, 0x1_0200);
    let image = open(bytes).unwrap();
    assert_eq!(image.remarks[0].rule, "qcow2-bad-entries");
    let mut byte = [9];
    let error = image.guest.read_at(64 << 10, &mut byte).unwrap_err();
    assert_eq!(error.offset(), Some(l2 as u64 + 8));
    image.guest.read_at(1 << 20, &mut byte).unwrap();
    assert_eq!(byte, [2]);
}

#[test]
fn impossible_headers_name_their_field() {
    needs!(Packages);
    for (at, value, field) in [
        (24, 1 << 63, "l1_size"),
        (24, u64::MAX, "l1_size"),
        (32, 0x0000_0000_FFFF_FFFF, "l1_size"),
        (32, 0x0000_0002_0000_0001, "crypt_method"),
        (40, 0x1_0200, "l1_table_offset"),
        (40, 1 << 62, "l1_table_offset"),
        (72, 1 << 20, "incompatible_features"),
        (96, 0x0000_0004_0000_0007, "header_length"),
        (8, 1 << 40, "backing_file_offset"),
    ] {
        let lab = Lab::new();
        let mut bytes = small(&lab, "qcow2", "");
        put(&mut bytes, at, value);
        if at == 8 {
            bytes[19] = 5;
        }
        let error = open(bytes).err().expect(field);
        assert_eq!(error.field_name(), Some(field), "{error}");
        assert!(
            error.path().is_some() && error.offset().is_some(),
            "{error}"
        );
    }
}

/// 2 EiB in 4 Mi L1 entries, in a sparse file of 8 TiB: read in pieces, found empty.
#[test]
fn a_claim_of_two_exbibytes() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a", "qcow2", "cluster_size=2M", "1M");
    let file = File::options().write(true).open(lab.path("a")).unwrap();
    file.set_len(8 << 40).unwrap();
    file.write_all_at(&(1_u64 << 61).to_be_bytes(), 24).unwrap();
    file.write_all_at(&(1_u32 << 22).to_be_bytes(), 36).unwrap();
    file.write_all_at(&(4_u64 << 40).to_be_bytes(), 40).unwrap();
    let image = lab.open("a");
    assert_eq!(image.virtual_size.get(), 1 << 61);
    assert!(image.places[0].runs.is_empty());
    let mut bytes = [1; 16];
    image.guest.read_at((1 << 61) - 16, &mut bytes).unwrap();
    assert_eq!(bytes, [0; 16]);
}
