//! VMDK, VHD and VHDX made to harm: nothing may panic, hang or eat memory.

use std::sync::Arc;

use ioalign_inspect::images::{self, Image, ImagePolicy};
use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{Error, Source};
use ioalign_testkit::Random;

use super::qemu::Lab;
use super::vhdx::crc32c;
use super::vmdk_files::{cowd, descriptor, se_sparse};

fn open(bytes: Vec<u8>) -> Result<Image, Error> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    Ok(images::open(&source, &ImagePolicy::default())?.expect("raw claims what is left"))
}

/// Opens and reads here and there; every answer is right but a panic or no answer.
fn exercise(bytes: Vec<u8>, random: &mut Random) {
    let Ok(image) = open(bytes) else { return };
    let mut buffer = [0; 5000];
    for _ in 0..4 {
        let most = image.guest.len().saturating_sub(5000).max(1);
        for end in [most, most.min(2 << 20)] {
            let _ = image.guest.read_at(random.next() % end, &mut buffer);
        }
    }
}

fn made(format: &str, options: &str) -> Vec<u8> {
    let lab = Lab::new();
    lab.create("a", format, options, "3M");
    lab.io("a", format, &["write -P 1 64k 64k", "write -P 2 1M 1k"]);
    std::fs::read(lab.path("a")).unwrap()
}

fn stream() -> Vec<u8> {
    let lab = Lab::new();
    lab.create("a.raw", "raw", "", "512k");
    lab.io(
        "a.raw",
        "raw",
        &["write -P 1 64k 64k", "write -P 2 256k 1k"],
    );
    let options = ["-O", "vmdk", "-o", "subformat=streamOptimized"];
    lab.img(&[&["convert", "-f", "raw"], &options[..], &["a.raw", "a"]].concat());
    std::fs::read(lab.path("a")).unwrap()
}

/// Stretches of a file.
type Ranges = Vec<(usize, usize)>;

/// Small files, with the bytes where a flip does something.
fn seeds() -> Vec<(Vec<u8>, Ranges)> {
    let text = descriptor(
        "vmfs",
        "",
        &["RW 8 ZERO".to_owned(), "RW 8 FLAT \"x\" 0".to_owned()],
    );
    let vhd = made("vpc", "");
    let len = vhd.len();
    vec![
        (made("vmdk", ""), vec![(0, 2048), (10240, 24000)]),
        (stream(), vec![(0, 2048), (65536, 70000)]),
        (vhd, vec![(0, 2048), (len - 512, len)]),
        (cowd(9000, 1, &[(0, 1), (5000, 2)]), vec![(0, 3000)]),
        (se_sparse(65536, &[(0, 1), (4097, 2)]), vec![(0, 9000)]),
        (text.into_bytes(), vec![(0, 200)]),
    ]
}

#[test]
fn truncation_anywhere() {
    needs!(Packages);
    let mut random = Random(1);
    for (seed, _) in seeds() {
        let steps = (0..60).map(|i| i * seed.len() / 60);
        for len in (0..600)
            .step_by(3)
            .chain(steps)
            .chain(seed.len() - 40..seed.len())
        {
            exercise(seed[..len.min(seed.len())].to_vec(), &mut random);
        }
    }
}

#[test]
fn flipped_bits_and_wild_words() {
    needs!(Packages);
    let mut random = Random(2);
    for (seed, ranges) in seeds() {
        for round in 0..300 {
            let mut bytes = seed.clone();
            for _ in 0..=random.below(3) {
                let (start, end) = ranges[random.below(ranges.len())];
                let end = end.min(bytes.len() - 8);
                let start = start.min(end - 1);
                let at = start + random.below(end - start);
                if round % 2 == 0 {
                    bytes[at] ^= 1 << random.below(8);
                } else {
                    let word = random.next() >> random.below(64);
                    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
                }
            }
            exercise(bytes, &mut random);
        }
    }
}

/// A VHDX is checked by CRC: the flips go below it, and the CRC is made right again.
#[test]
fn damaged_vhdx_with_good_checksums() {
    needs!(Packages);
    let mut random = Random(3);
    let seed = made("vhdx", "block_size=1M,log_size=1M");
    for len in [
        0,
        8,
        600,
        65_536,
        70_000,
        200_000,
        262_144,
        1 << 20,
        3 << 20,
        5 << 20,
    ] {
        exercise(seed[..len.min(seed.len())].to_vec(), &mut random);
    }
    let (header, regions) = (64 << 10, 192 << 10);
    let table = |i: usize| -> usize {
        let at = regions + 16 + i * 32 + 16;
        usize::try_from(u64::from_le_bytes(seed[at..at + 8].try_into().unwrap())).unwrap()
    };
    let places = [
        (header, 80),
        (regions, 96),
        (table(0), 300),
        (table(1), 300),
        (table(0) + 65536, 64),
        (table(1) + 65536, 64),
    ];
    for round in 0..400 {
        let mut bytes = seed.clone();
        for _ in 0..=random.below(2) {
            let (start, len) = places[random.below(places.len())];
            let at = start + random.below(len);
            if round % 2 == 0 {
                bytes[at] ^= 1 << random.below(8);
            } else {
                let word = random.next() >> random.below(64);
                bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
        for (at, len) in [(header, 4096), (regions, 256)] {
            // The tail of the region table is zeros; its CRC is only made right for the headers.
            bytes[at + 4..at + 8].fill(0);
            let len = if at == regions { 65536 } else { len };
            let crc = if at == regions && round % 8 != 0 {
                u32::from_le_bytes(seed[at + 4..at + 8].try_into().unwrap())
            } else {
                crc32c(&bytes[at..at + len])
            };
            bytes[at + 4..at + 8].copy_from_slice(&crc.to_le_bytes());
        }
        exercise(bytes, &mut random);
    }
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn a_directory_that_names_itself() {
    let mut bytes = cowd(4096 * 4096, 1, &[(0, 1)]);
    bytes.resize(64 << 10, 0);
    for entry in 0..4096 {
        put(&mut bytes, 2048 + entry * 4, 4);
    }
    // 4096 tables of 16 KiB in a file of 64 KiB.
    match open(bytes) {
        Ok(image) => assert_eq!(image.remarks[1].rule, "vmdk-grain-table"),
        Err(error) => assert_eq!(error.field_name(), Some("grain directory"), "{error}"),
    }
}

#[test]
fn absurd_sizes() {
    needs!(Packages);
    for (at, value) in [(12, u64::MAX), (20, 0), (20, u64::MAX)] {
        let mut bytes = made("vmdk", "");
        bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
        assert!(open(bytes).is_err(), "{at}: {value:#x}");
    }
    // The first directory is lost, the redundant one steps in.
    let mut bytes = made("vmdk", "");
    bytes[56..64].copy_from_slice(&(u64::MAX / 512).to_le_bytes());
    let image = open(bytes).unwrap();
    assert_eq!(image.remarks[0].rule, "vmdk-directory-copy");
    assert_eq!(image.places[0].runs.resolve(64 << 10).unwrap().0 % 65536, 0);
    let mut bytes = cowd(9000, 1, &[(0, 1)]);
    put(&mut bytes, 12, u32::MAX);
    put(&mut bytes, 16, u32::MAX);
    assert!(open(bytes).is_err());
    let huge = descriptor("vmfs", "", &vec!["RW 36028797018963967 ZERO".to_owned(); 3]);
    assert!(open(huge.into_bytes()).is_err());
    let many = descriptor("vmfs", "", &vec!["RW 1 ZERO".to_owned(); 100_000]);
    assert!(open(many.into_bytes()).is_err());
    let endless = [b"# Disk DescriptorFile\n".to_vec(), vec![b'x'; 2 << 20]].concat();
    assert!(open(endless).is_err());
}
