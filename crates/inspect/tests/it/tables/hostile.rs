//! Cut and bit-flipped tables of every kind: an answer or an error, never a panic or a hang.

use std::time::Duration;

use ioalign_testkit::Random;
use ioalign_testkit::gpt::{GptImage, LINUX, seal};

use super::disk::{boot_record, put, read, read_in};
use crate::tools::on_cpu;

/// Small images, the bytes that matter, and the type of the partition that they lie in.
fn seeds() -> Vec<(Vec<u8>, usize, Option<&'static str>)> {
    let mut gpt = GptImage::new(512, 128)
        .with(LINUX, 40, 60)
        .with(LINUX, 61, 70);
    gpt.count = 16;
    let mut wide = GptImage::new(4096, 32).with(LINUX, 8, 9);
    wide.count = 32;
    let mut chain = vec![0; 64 << 10];
    boot_record(&mut chain, 0, &[(0x83, 1, 3), (0x05, 4, 100)]);
    boot_record(&mut chain, 4 * 512, &[(0x83, 1, 3), (0x05, 5, 4)]);
    boot_record(&mut chain, 9 * 512, &[(0x83, 1, 3), (0x05, 10, 4)]);
    boot_record(&mut chain, 14 * 512, &[(0x83, 1, 3)]);
    let mut bsd = vec![0; 64 << 10];
    put(&mut bsd, 512, &0x8256_4557_u32.to_le_bytes());
    put(&mut bsd, 512 + 132, &0x8256_4557_u32.to_le_bytes());
    put(&mut bsd, 512 + 138, &[8, 0]);
    let mut x86 = vec![0; 64 << 10];
    put(&mut x86, 512 + 12, &0x600D_DEEE_u32.to_le_bytes());
    put(&mut x86, 512 + 16, &[1, 0, 0, 0]);
    put(&mut x86, 512 + 30, &[16, 0]);
    let mut sgi = vec![0; 64 << 10];
    put(&mut sgi, 0, &0x0BE5_A941_u32.to_be_bytes());
    let mut sparc = vec![0; 64 << 10];
    put(&mut sparc, 508, &[0xDA, 0xBE, 0xDA, 0xBE]);
    let mut apm = vec![0; 64 << 10];
    put(&mut apm, 0, b"ER\x02\0");
    put(&mut apm, 512, b"PM\0\0\0\0\0\x04");
    put(&mut apm, 1024, b"PM\0\0\0\0\0\x04");
    let mut ldm = vec![0; 64 << 10];
    boot_record(&mut ldm, 0, &[(0x42, 1, 100)]);
    put(&mut ldm, 6 * 512, b"PRIVHEAD");
    vec![
        (gpt.build(), 4096, None),
        (wide.build(), 12 << 10, None),
        (chain, 8192, None),
        (bsd.clone(), 1200, None),
        (bsd, 1200, Some("a5")),
        (x86, 1024, Some("bf")),
        (sgi, 512, None),
        (sparc, 512, None),
        (apm, 2048, None),
        (ldm, 4096, None),
    ]
}

fn survive(image: &[u8], parent: Option<&str>) {
    let _ = match parent {
        Some(parent) => read_in(image, parent, 1 << 20),
        None => read(image),
    };
}

#[test]
fn cut_images_return() {
    for (image, matter, parent) in seeds() {
        for len in (0..matter)
            .step_by(37)
            .chain([511, 512, 513, 1023, 4095, 4096])
        {
            survive(&image[..len.min(image.len())], parent);
        }
    }
}

#[test]
fn flipped_bits_return() {
    let mut random = Random(0x5EED);
    for (image, matter, parent) in seeds() {
        for _ in 0..500 {
            let mut broken = image.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(matter);
                broken[at] ^= 1 << random.below(8);
            }
            survive(&broken, parent);
        }
    }
}

#[test]
fn random_fields_behind_good_signatures_return() {
    let mut random = Random(7);
    for (image, matter, parent) in seeds() {
        for _ in 0..300 {
            let mut broken = image.clone();
            let extremes = [0, 1, u64::MAX, u64::MAX >> 1, random.next(), 1 << 32];
            for _ in 0..=random.below(3) {
                let at = random.below(matter - 8);
                let value = extremes[random.below(extremes.len())];
                put(
                    &mut broken,
                    at,
                    &value.to_le_bytes()[..4 + 4 * random.below(2)],
                );
            }
            survive(&broken, parent);
        }
    }
}

#[test]
fn forged_gpt_headers_with_a_right_checksum_return() {
    let mut random = Random(99);
    let mut gpt = GptImage::new(512, 128)
        .with(LINUX, 40, 60)
        .with(LINUX, 61, 70);
    gpt.count = 16;
    let image = gpt.build();
    for _ in 0..2000 {
        let mut broken = image.clone();
        let at = 512 + 24 + random.below(68 - 8);
        let value = [random.next(), random.next() & 0xFFF, u64::MAX][random.below(3)];
        put(&mut broken, at, &value.to_le_bytes()[..1 + random.below(8)]);
        seal(&mut broken[512..604]);
        if random.below(2) == 0 {
            put(&mut broken, 127 * 512, &[0; 8]); // no backup to fall back on
        }
        survive(&broken, None);
    }
}

#[test]
fn the_largest_table_that_is_allowed_takes_no_time() {
    let mut gpt = GptImage::new(512, 40_000);
    gpt.count = 16_384;
    gpt.entries = (0..16_384)
        .map(|_| (LINUX, 5000, 30_000, "overlapping"))
        .collect();
    let image = gpt.build();
    let start = on_cpu();
    let table = read(&image).unwrap().unwrap();
    assert_eq!(table.partitions.len(), 16_384);
    assert!(table.remarks.len() < 100);
    assert!(on_cpu().saturating_sub(start) < Duration::from_secs(5));
}
