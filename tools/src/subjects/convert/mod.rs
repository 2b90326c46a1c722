//! FAT file systems made for other sectors: what is made is readable as made for them, and takes no room without end.

mod seed;

use ioalign_repair::content::probe;
use ioalign_repair::convert::fat::{self, FatWish, remade};
use ioalign_repair::convert::{self, Conversion, ConversionAnswer, ConversionWish};
use ioalign_repair::overlay::{OverlayLayer, OverlayView};
use ioalign_repair::{Disk, MemoryDisk, resize};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

/// Where the file system of a disk begins.
const AT: usize = 32 << 10;
/// Its sectors, of 512 bytes.
const SECTORS: usize = 640;
/// How far damage reaches: the boot sector, the tables and the directories come first.
const REACHES: [usize; 5] = [64, 512, 4096, 24 << 10, SECTORS * 512];

pub fn all() -> Vec<Subject> {
    let volumes = || {
        let disks = seeds().into_iter();
        disks.map(|disk| disk[AT..].to_vec()).collect::<Vec<_>>()
    };
    vec![
        Subject::of_bytes(
            "convert",
            "disk",
            seeds,
            |bytes, random| damage_from(AT, bytes, random),
            disk,
        )
        .with_least(20),
        Subject::of_bytes(
            "convert",
            "volume",
            volumes,
            |bytes, random| damage_from(0, bytes, random),
            volume,
        )
        .with_least(20),
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    [(12, 1), (12, 8), (32, 1), (32, 2)]
        .map(|(bits, each)| seed::disk(bits, each))
        .into()
}

fn damage_from(start: usize, bytes: &mut [u8], random: &mut Random) {
    let places = REACHES.map(|reach| start..start + reach);
    damage::fields(bytes, &places, 1..=4, random);
}

/// Whether a disk of 512-byte blocks could be made one of 4096-byte blocks.
fn disk(bytes: &[u8]) -> Answer {
    let mut disk = MemoryDisk {
        bytes: bytes.to_vec(),
        logical_bytes: 512,
    };
    measure_content(&mut disk, AT as u64, (SECTORS * 512) as u64);
    let wish = ConversionWish {
        from: 512,
        to: 4096,
        both: false,
        may_grow: true,
    };
    match convert::plan(&mut disk, wish) {
        Ok(ConversionAnswer::Convert(conversion)) => Answer::mine(is_done(&mut disk, &conversion)),
        _ => Answer::NotMine,
    }
}

fn measure_content(disk: &mut MemoryDisk, at: u64, bytes: u64) {
    if let Ok(content) = probe(disk, at, bytes) {
        let _ = resize::extent(disk, at, &content);
    }
}

fn is_done(disk: &mut MemoryDisk, conversion: &Conversion) -> bool {
    let job = conversion.job_ahead(disk);
    let mut view = conversion.view(disk);
    let mut bytes = vec![0; usize::try_from(view.size_bytes()).unwrap()];
    view.read_at(0, &mut bytes).unwrap();
    let part = conversion.partitions.first().unwrap();
    let Some(rebuilt) = part.rebuilt else {
        return false;
    };
    let mut new = MemoryDisk {
        bytes,
        logical_bytes: 4096,
    };
    let made = fat::geometry(&mut new, part.new.start).unwrap();
    assert_eq!((made.sector, made.cluster), (4096, rebuilt.cluster_bytes.1));
    assert!(made.bytes() <= part.new.size);
    job.is_ok()
}

/// Whether a file system alone could be made for sectors of some size.
fn volume(bytes: &[u8]) -> Answer {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4096).max(4096), 0);
    let size = bytes.len() as u64;
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: 512,
    };
    measure_content(&mut disk, 0, size);
    let mut is_made = false;
    for sector in [512, 4096] {
        let wish = FatWish {
            sector,
            start: 1 << 20,
        };
        let Ok(made) = remade(&mut disk, 0, size, wish) else {
            continue;
        };
        let layers = [OverlayLayer::new(made.pieces)];
        let mut whole = vec![0; disk.bytes.len()];
        let mut view = OverlayView::new(&mut disk, (size, 512), &[], &layers);
        assert!(view.read_at(0, &mut whole).is_ok());
        is_made = true;
    }
    Answer::mine(is_made)
}
