//! VHDs made here, block by block: every byte of the guest against plain arithmetic, and what is odd is named.

use std::path::Path;
use std::sync::Arc;

use ioalign_core::{Bytes, rules};
use ioalign_inspect::images::{self, Image, ImagePolicy};
use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{Error, ErrorKind, Source};
use ioalign_testkit::Random;
use proptest::prelude::*;

use super::qemu::{open as open_file, read_all};

const SECTOR: usize = 512;
const HEADER: usize = 512;
const TABLE: usize = 1536;
const DYNAMIC: u32 = 3;
const DIFFERENCING: u32 = 4;

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// The one's complement of the sum of all bytes, into a field that is zero.
fn seal(record: &mut [u8], at: usize) {
    put(record, at, &[0; 4]);
    let sum: u32 = record.iter().map(|byte| u32::from(*byte)).sum();
    put(record, at, &(!sum).to_be_bytes());
}

fn footer(kind: u32, size: u64, creator: &[u8; 4], geometry: [u8; 4]) -> Vec<u8> {
    let mut footer = vec![0; SECTOR];
    put(&mut footer, 0, b"conectix");
    put(&mut footer, 16, &512_u64.to_be_bytes());
    put(&mut footer, 28, creator);
    put(&mut footer, 48, &size.to_be_bytes());
    put(&mut footer, 56, &geometry);
    put(&mut footer, 60, &kind.to_be_bytes());
    put(&mut footer, 68, &[7; 16]);
    seal(&mut footer, 64);
    footer
}

/// A disk in blocks: the place of each in the file, its bitmap, and its data.
#[derive(Clone, Debug)]
struct BlockDisk {
    kind: u32,
    block: usize,
    size: usize,
    /// Which blocks are stored, in their order in the file.
    stored: Vec<usize>,
    /// Of which the bitmaps and data are drawn.
    seed: u64,
}

impl BlockDisk {
    fn bitmap_bytes(&self) -> usize {
        (self.block / SECTOR).div_ceil(8).next_multiple_of(SECTOR)
    }

    fn count(&self) -> usize {
        self.size.div_ceil(self.block)
    }

    fn first_block(&self) -> usize {
        (TABLE + 4 * self.count()).next_multiple_of(SECTOR)
    }

    /// Where the bitmap of a block lies.
    fn place(&self, block: usize) -> Option<usize> {
        let index = self.stored.iter().position(|stored| *stored == block)?;
        Some(self.first_block() + index * (self.bitmap_bytes() + self.block))
    }

    fn build(&self) -> Vec<u8> {
        let mut random = Random(self.seed);
        let size = self.size as u64;
        let footer = footer(self.kind, size, b"win ", [0; 4]);
        let mut header = vec![0; 1024];
        put(&mut header, 0, b"cxsparse");
        put(&mut header, 16, &(TABLE as u64).to_be_bytes());
        put(
            &mut header,
            28,
            &u32::try_from(self.count()).unwrap().to_be_bytes(),
        );
        put(
            &mut header,
            32,
            &u32::try_from(self.block).unwrap().to_be_bytes(),
        );
        put(&mut header, 40, &[7; 16]);
        let wide: Vec<u8> = "base.vhd"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        put(&mut header, 64, &wide);
        seal(&mut header, 36);
        let mut bytes = [footer.clone(), header].concat();
        bytes.resize(self.first_block(), 0xff);
        for block in 0..self.count() {
            let sector = self
                .place(block)
                .map_or(u32::MAX, |at| u32::try_from(at / SECTOR).unwrap());
            put(&mut bytes, TABLE + 4 * block, &sector.to_be_bytes());
        }
        let data = self.stored.len() * (self.bitmap_bytes() + self.block);
        bytes.extend((0..data).map(|_| u8::try_from(random.next() % 251).unwrap()));
        bytes.extend(footer);
        bytes
    }

    /// A byte of the guest: in the file, or `None` where it is the parent's or nothing.
    fn lies_at(&self, file: &[u8], address: usize) -> Option<usize> {
        let at = self.place(address / self.block)?;
        let within = address % self.block;
        let sector = within / SECTOR;
        let mine = file[at + sector / 8] >> (7 - sector % 8) & 1 == 1;
        (self.kind == DYNAMIC || mine).then_some(at + self.bitmap_bytes() + within)
    }
}

fn open(bytes: &[u8]) -> Result<Image, Error> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    Ok(images::open(&source, &ImagePolicy::default())?.expect("raw claims what is left"))
}

fn rules_of(image: &Image) -> Vec<&'static str> {
    image.remarks.iter().map(|remark| remark.rule).collect()
}

fn dynamic(block: usize, size: usize, stored: &[usize]) -> BlockDisk {
    BlockDisk {
        kind: DYNAMIC,
        block,
        size,
        stored: stored.to_vec(),
        seed: 1,
    }
}

/// Reads at an odd place and of an odd length.
fn odd_read(image: &Image, at: usize, length: usize) -> Vec<u8> {
    let mut bytes = vec![0xee; length];
    image.guest.read_at(at as u64, &mut bytes).unwrap();
    bytes
}

fn disks(kind: u32) -> impl Strategy<Value = BlockDisk> {
    let blocks = proptest::sample::select(vec![512_usize, 1024, 4096, 8192]);
    let shape = (blocks, 1_usize..7, 0_usize..16, any::<u64>());
    shape.prop_flat_map(move |(block, count, short, seed)| {
        let all: Vec<usize> = (0..count).collect();
        let size = (block * count)
            .saturating_sub(short * SECTOR % block)
            .max(SECTOR);
        let stored = proptest::sample::subsequence(all, 0..=count).prop_shuffle();
        stored.prop_map(move |stored| BlockDisk {
            kind,
            block,
            size,
            stored,
            seed,
        })
    })
}

/// Whether the guest has the bytes of the file where the disk says so, and those of its parent elsewhere.
fn agrees(disk: &BlockDisk, file: &[u8], image: &Image, parent: &[u8]) {
    let wanted: Vec<u8> = (0..disk.size)
        .map(|address| {
            disk.lies_at(file, address)
                .map_or(parent[address], |at| file[at])
        })
        .collect();
    assert!(read_all(image) == wanted);
    for at in [1, 511, 513, disk.block - 1, disk.block + 700] {
        let length = (disk.size - at.min(disk.size)).min(1300);
        if length > 0 {
            assert_eq!(odd_read(image, at, length), wanted[at..at + length]);
        }
    }
    // The map has whole blocks, as far as the disk reaches.
    for address in 0..disk.size {
        let there = image.places[0]
            .runs
            .resolve(address as u64)
            .map(|(there, _)| there);
        let block = disk.place(address / disk.block);
        let wanted = block.map(|at| (at + disk.bitmap_bytes() + address % disk.block) as u64);
        assert_eq!(there, wanted);
    }
    assert_eq!(image.places[0].runs.resolve(disk.size as u64), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_of_a_dynamic_disk_is_where_its_table_says(disk in disks(DYNAMIC)) {
        let file = disk.build();
        let image = open(&file).unwrap();
        prop_assert!(rules_of(&image).is_empty());
        prop_assert_eq!(image.virtual_size, Bytes::new(disk.size as u64));
        agrees(&disk, &file, &image, &vec![0; disk.size]);
    }

    #[test]
    fn every_sector_of_a_differencing_disk_is_where_its_bitmap_says(disk in disks(DIFFERENCING)) {
        let folder = tempfile::tempdir().unwrap();
        let parent: Vec<u8> = (0..disk.size).map(|at| u8::try_from(at % 249).unwrap()).collect();
        let base = [parent.clone(), footer(2, disk.size as u64, b"win ", [0; 4])].concat();
        std::fs::write(folder.path().join("base.vhd"), base).unwrap();
        let file = disk.build();
        let child = folder.path().join("child.vhd");
        std::fs::write(&child, &file).unwrap();
        let image = open_file(&child, &ImagePolicy::default()).unwrap();
        prop_assert!(rules_of(&image).is_empty());
        prop_assert_eq!(image.backing_path.as_deref(), Some(Path::new("base.vhd")));
        agrees(&disk, &file, &image, &parent);
    }
}

#[test]
fn a_bitmap_has_a_bit_for_every_sector() {
    for (block, bitmap) in [(512, 512), (2 << 20, 512), (4 << 20, 1024), (8 << 20, 2048)] {
        let disk = dynamic(block, block, &[0]);
        assert_eq!(disk.bitmap_bytes(), bitmap);
        let file = disk.build();
        let image = open(&file).unwrap();
        let start = image.places[0].runs.resolve(0).unwrap().0;
        assert_eq!(start, (disk.first_block() + bitmap) as u64);
        let length = block.min(600);
        assert_eq!(
            odd_read(&image, 0, length),
            file[disk.first_block() + bitmap..][..length]
        );
        assert_eq!(image.detail.cluster, Some(Bytes::new(block as u64)));
        assert_eq!(
            image.detail.facts()["bitmap"],
            Bytes::new(bitmap as u64).to_string()
        );
    }
}

/// A disk of two blocks of 4 KiB, with a change to its file.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Result<Image, Error> {
    let mut file = dynamic(4096, 8192, &[1, 0]).build();
    change(&mut file);
    open(&file)
}

fn field(at: usize, new: &[u8]) -> Option<String> {
    let result = changed(|file| {
        put(file, at, new);
        seal(&mut file[HEADER..TABLE], 36);
    });
    let error = result.err()?;
    Some(error.field_name().unwrap_or_default().to_owned())
}

#[test]
fn fields_of_the_header_are_checked() {
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(field(HEADER, b"x"), named("cookie"));
    for block in [0_u32, 256, 513, 3 << 10] {
        assert_eq!(
            field(HEADER + 32, &block.to_be_bytes()),
            named("block size"),
            "{block}"
        );
    }
    assert_eq!(
        field(HEADER + 28, &1_u32.to_be_bytes()),
        named("max table entries")
    );
    assert_eq!(field(HEADER + 28, &2_u32.to_be_bytes()), None);
    assert_eq!(field(HEADER + 28, &9_u32.to_be_bytes()), None);
    let end = dynamic(4096, 8192, &[1, 0]).build().len() as u64;
    for (table, is_good) in [(end - 7, false), (u64::MAX, false), (end, false)] {
        let found = field(HEADER + 16, &table.to_be_bytes());
        assert_eq!(found.is_none(), is_good);
        assert_eq!(found, named("table offset"), "{table}");
    }
    // A header whose checksum does not hold is read, and said to be wrong.
    let image = changed(|file| file[HEADER + 1000] ^= 1).unwrap();
    assert_eq!(rules_of(&image), [rules::VHD_HEADER_CHECKSUM]);
    assert_eq!(image.remarks[0].place.offset, Some(512 + 36));
}

#[test]
fn a_block_lies_behind_the_metadata_and_within_the_file() {
    let good = dynamic(4096, 8192, &[1, 0]);
    let length = good.build().len();
    let at = |sector: usize| {
        let image = changed(|file| put(file, TABLE, &u32::try_from(sector).unwrap().to_be_bytes()))
            .unwrap();
        let is_good = rules_of(&image).is_empty();
        let first = image.guest.read_at(0, &mut [0; 512]);
        assert_eq!(first.is_ok(), is_good, "{sector}");
        if let Err(error) = first {
            assert_eq!(
                (error.offset(), error.field_name()),
                (Some(1536), Some("block table entry"))
            );
            assert_eq!(rules_of(&image), [rules::VHD_BLOCK_TABLE]);
        }
        is_good
    };
    // Footer copy, header, table, and then what is data.
    for sector in 0..4 {
        assert!(!at(sector), "{sector}");
    }
    assert!(at(4) && at(5));
    let last = (length - 512 - 4096) / SECTOR;
    assert!(at(last) && !at(last + 1) && !at(0x00ff_ffff));
    // The last block of a disk that is no multiple of a block is short.
    let short = dynamic(4096, 8192 - 1024, &[0, 1]);
    let mut file = short.build();
    let end = file.len() - 1024;
    let footer = file.split_off(file.len() - 512);
    file.truncate(end - 512);
    file.extend(footer);
    let image = open(&file).unwrap();
    assert!(rules_of(&image).is_empty());
    assert_eq!(
        odd_read(&image, 8192 - 1024 - 512, 512),
        file[file.len() - 1024..][..512]
    );
    // None at all: nothing is usable.
    let mut none = short.build();
    put(
        &mut none,
        TABLE,
        &[0, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff],
    );
    assert_eq!(
        open(&none).err().map(|error| error.kind()),
        Some(ErrorKind::Malformed)
    );
}

#[test]
fn a_table_of_more_entries_than_are_read_at_once() {
    let last = (1 << 14) + 2;
    let disk = dynamic(512, 512 * (last + 1), &[last, 0, (1 << 14) - 1]);
    let image = open(&disk.build()).unwrap();
    assert!(rules_of(&image).is_empty());
    let runs = &image.places[0].runs;
    let there = |block: usize| runs.resolve(block as u64 * 512).map(|(at, _)| at);
    for block in [0, (1 << 14) - 1, last] {
        let wanted = disk.place(block).unwrap() + disk.bitmap_bytes();
        assert_eq!(there(block), Some(wanted as u64), "{block}");
    }
    assert_eq!((there(1), there(last - 1)), (None, None));
}

#[test]
fn the_last_block_needs_no_more_than_is_left_of_the_disk() {
    // Three blocks; of the third one 512 bytes belong to the disk, and no more are in the file.
    let disk = dynamic(4096, 2 * 4096 + 512, &[0, 1, 2]);
    let mut file = disk.build();
    let footer = file.split_off(file.len() - 512);
    file.truncate(file.len() - 4096 + 512);
    file.extend(&footer);
    assert!(rules_of(&open(&file).unwrap()).is_empty());
    // With less than that the block is not in the file.
    let mut cut = file[..file.len() - 1024].to_vec();
    cut.extend(&footer[..511]);
    assert_eq!(rules_of(&open(&cut).unwrap()), [rules::VHD_BLOCK_TABLE]);
}

#[test]
fn blocks_may_lie_before_their_table() {
    let mut file = dynamic(4096, 8192, &[0, 1]).build();
    let footer = file.split_off(file.len() - 512);
    let table = file[TABLE..TABLE + 8].to_vec();
    let place = file.len();
    file.extend(table);
    file.resize(place + 512, 0xff);
    put(&mut file, HEADER + 16, &(place as u64).to_be_bytes());
    seal(&mut file[HEADER..TABLE], 36);
    file.extend(footer);
    assert!(rules_of(&open(&file).unwrap()).is_empty());
    // One sector on, the second block ends in the table.
    let second = u32::from_be_bytes(file[place + 4..place + 8].try_into().unwrap());
    put(&mut file, place + 4, &(second + 1).to_be_bytes());
    let image = open(&file).unwrap();
    assert_eq!(rules_of(&image), [rules::VHD_BLOCK_TABLE]);
    let error = image.guest.read_at(4096, &mut [0; 512]).unwrap_err();
    assert_eq!(error.offset(), Some(place as u64 + 4));
}

#[test]
fn a_block_may_begin_where_the_table_ends() {
    let disk = dynamic(512, 128 * 512, &[5]);
    assert_eq!(disk.first_block(), TABLE + 4 * 128);
    assert!(rules_of(&open(&disk.build()).unwrap()).is_empty());
}

#[test]
fn a_footer_is_replaced_by_its_copy() {
    let length = dynamic(4096, 8192, &[1, 0]).build().len();
    let end = length - 512;
    let found =
        |change: &dyn Fn(&mut Vec<u8>)| changed(change).map(|image| rules_of(&image)).unwrap();
    assert!(found(&|_| {}).is_empty());
    assert_eq!(
        found(&|file| file.truncate(end)),
        [rules::VHD_FOOTER_MISSING]
    );
    assert_eq!(
        found(&|file| file[end + 100] ^= 1),
        [rules::VHD_FOOTER_MISSING]
    );
    assert!(
        found(&|file| file[100] ^= 1).is_empty(),
        "the copy is not asked"
    );
    let both = |file: &mut Vec<u8>| {
        file[100] ^= 1;
        file[end + 100] ^= 1;
    };
    assert_eq!(found(&both), [rules::VHD_FOOTER_CHECKSUM]);
    let copy = |file: &mut Vec<u8>| {
        file.truncate(end);
        file[100] ^= 1;
    };
    assert_eq!(
        found(&copy),
        [rules::VHD_FOOTER_MISSING, rules::VHD_FOOTER_CHECKSUM]
    );
    // The words tell a damaged one from one that is gone.
    let why = |change: &dyn Fn(&mut Vec<u8>)| changed(change).unwrap().remarks[0].why.clone();
    assert!(why(&|file| file.truncate(end)).contains("missing"));
    assert!(why(&|file| file[end + 100] ^= 1).contains("damaged"));
    // One of 511 bytes, as Virtual PC wrote it before 2004.
    let old = |file: &mut Vec<u8>| {
        assert_eq!(file.pop(), Some(0));
    };
    assert!(found(&old).is_empty());
    let kind = changed(|file| {
        file[end + 63] = 5;
        seal(&mut file[end..], 64);
    });
    assert_eq!(
        kind.err().and_then(|error| error.field_name()),
        Some("disk type")
    );
}

#[test]
fn sizes_are_those_of_the_program_that_made_it() {
    // 2 cylinders, 4 heads, 17 sectors.
    let chs = 2 * 4 * 17 * 512;
    for (creator, size) in [
        (b"vpc ", chs),
        (b"qemu", chs),
        (b"win ", 80_000),
        (b"qem2", 80_000),
    ] {
        let data = vec![3; 80_384];
        let file = [data, footer(2, 80_000 / 512 * 512, creator, [0, 2, 4, 17])].concat();
        let image = open(&file).unwrap();
        let size = if size == chs { chs } else { 80_000 / 512 * 512 };
        assert_eq!(image.virtual_size, Bytes::new(size), "{creator:?}");
        assert_eq!(image.detail.variant.name(), "fixed");
        assert_eq!(odd_read(&image, 700, 100), [3; 100]);
        assert!(rules_of(&image).is_empty());
        let facts = image.detail.facts();
        assert_eq!(
            (facts["creator"].trim(), facts["current-size"].as_str()),
            (std::str::from_utf8(creator).unwrap().trim(), "79872")
        );
        assert_eq!(facts["id"], "07070707-0707-0707-0707-070707070707");
    }
    // A file that ends before its disk does: what is behind reads as zeros, never as the footer.
    let file = [vec![3; 1024], footer(2, 4096, b"win ", [0; 4])].concat();
    let image = open(&file).unwrap();
    assert_eq!(rules_of(&image), [rules::VHD_CUT_OFF]);
    assert_eq!(read_all(&image), [vec![3; 1024], vec![0; 3072]].concat());
    assert_eq!(
        image.places[0].runs.resolve(1023).map(|(at, _)| at),
        Some(1023)
    );
    assert_eq!(image.places[0].runs.resolve(1024), None);
    // The format ends at 2 TiB.
    let most = u64::from(u32::MAX) * 512;
    let kind = |size: u64| {
        open(&[vec![0; 512], footer(2, size, b"win ", [0; 4])].concat())
            .err()
            .map(|error| error.kind())
    };
    assert_eq!(kind(most), None);
    assert_eq!(kind(most + 512), Some(ErrorKind::TooLarge));
}

/// A child with locators of its parent, in a folder with a parent of another id if asked.
fn child(locators: &[(&[u8; 4], Vec<u8>)], id: u8) -> Result<Image, Error> {
    let folder = tempfile::tempdir().unwrap();
    let base = [vec![5; 4096], footer(2, 4096, b"win ", [0; 4])].concat();
    std::fs::write(folder.path().join("base.vhd"), base).unwrap();
    let disk = BlockDisk {
        kind: DIFFERENCING,
        ..dynamic(4096, 4096, &[])
    };
    let mut file = disk.build();
    let footer = file.split_off(file.len() - 512);
    // The plain name leads nowhere: only locators do.
    put(&mut file, HEADER + 40, &[id; 16]);
    put(&mut file, HEADER + 64, &[0; 16]);
    for (index, (code, name)) in locators.iter().enumerate() {
        let at = HEADER + 576 + 24 * index;
        put(&mut file, at, *code);
        put(
            &mut file,
            at + 8,
            &u32::try_from(name.len()).unwrap().to_be_bytes(),
        );
        let place = file.len() as u64;
        put(&mut file, at + 16, &place.to_be_bytes());
        file.extend(name);
        file.resize(file.len().next_multiple_of(512), 0);
    }
    seal(&mut file[HEADER..TABLE], 36);
    file.extend(footer);
    let path = folder.path().join("child.vhd");
    std::fs::write(&path, file).unwrap();
    open_file(&path, &ImagePolicy::default())
}

#[test]
fn locators_name_the_parent() {
    let wide = |name: &str| {
        name.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let relative = (b"W2ru", wide(".\\base.vhd"));
    let absolute = (b"W2ku", wide("C:\\vm\\base.vhd"));
    for locators in [
        vec![relative.clone()],
        vec![absolute.clone()],
        vec![absolute.clone(), relative.clone()],
        vec![(b"W2ru", Vec::new()), relative.clone()],
    ] {
        let image = child(&locators, 7).unwrap();
        assert!(rules_of(&image).is_empty());
        assert_eq!(read_all(&image), [5; 4096]);
    }
    let image = child(&[absolute, relative.clone()], 7).unwrap();
    assert_eq!(
        image.backing_path.as_deref(),
        Some(Path::new(".\\base.vhd")),
        "the relative one first"
    );
    let url = (b"MacX", b"file://localhost/vm/base.vhd\0rest".to_vec());
    let image = child(&[url], 7).unwrap();
    assert_eq!(read_all(&image), [5; 4096]);
    assert_eq!(
        image.backing_path.as_deref(),
        Some(Path::new("file://localhost/vm/base.vhd"))
    );
    assert!(child(&[], 7).is_err());
    let image = child(&[relative], 8).unwrap();
    assert_eq!(rules_of(&image), [rules::VHD_PARENT_ID]);
}
