//! ZFS vdev labels: pool, ashift, kind and width of the top-level vdev.
//!
//! Layout: "ZFS On-Disk Specification", chapter 1: four labels of 256 KiB, two at the front and
//! two at the end (of the size rounded down to 256 KiB), each with the configuration as an nvlist
//! at 16 KiB. Blocks count from 4 MiB, after the front labels and the boot area.
//!
//! Labels outlive their pool at places that other file systems do not overwrite. The first label
//! is believed before FAT; the others only when nothing else is recognised.

use ioalign_core::{Bytes, Remark};
use ioalign_core::{
    on_disk::{DosEntry, is_boot_record},
    rules,
};

use super::FileSystem;
use super::fields::shifted;
use super::nvlist::NvList;
use crate::error::Result;
use crate::view::View;

const LABEL: u64 = 256 << 10;
const CONFIG: u64 = 16 << 10;
const CONFIG_BYTES: usize = 112 << 10;
/// ZFS takes no smaller device.
const SMALLEST: u64 = 64 << 20;
/// `VDEV_LABEL_START_SIZE`: two labels and the boot area.
const DATA_START: Bytes = Bytes::new(4 << 20);
const LARGEST_ASHIFT: u32 = 16;
/// `pool_state`: words for 0 to 4.
const STATES: [&str; 5] = ["active", "exported", "destroyed", "spare", "l2cache"];

/// Tries the first label.
pub(super) fn probe(view: &View) -> Result<Option<FileSystem>> {
    label(view, 0)
}

/// Tries the other three, which may be leftovers: not on a partitioned disk, whose last partition
/// has its own labels at what may be the same place.
pub(super) fn probe_rest(view: &View) -> Result<Option<FileSystem>> {
    for start in places(view.len()).into_iter().skip(1) {
        // An unreadable end of a failing disk is no reason to recognise nothing.
        let found = label(view, start).unwrap_or_default();
        if let Some(found) = found {
            return Ok((!partitioned(view)?).then_some(found));
        }
    }
    Ok(None)
}

/// A label by itself: not asked whether other superblocks take precedence.
pub(crate) struct Label {
    /// Its start.
    pub at: u64,
    /// The name of the pool.
    pub pool: String,
    /// The uberblocks behind it.
    pub blocks: usize,
    /// Whether its kind has any: spares and cache devices have none.
    pub has_blocks: bool,
    /// The length of the device that it describes, where it says.
    pub needs: Option<u64>,
}

/// `POOL_STATE_SPARE`: from there on devices have labels and no uberblocks.
const FIRST_WITHOUT_BLOCKS: u64 = 3;
/// libblkid demands as many uberblocks of all labels together before it says `zfs_member`.
pub(crate) const FEWEST_BLOCKS: usize = 4;
/// `VDEV_UBERBLOCK_RING`, its blocks at their smallest, and the magic number in either byte order.
const RING: std::ops::Range<u64> = 128 << 10..256 << 10;
const BLOCK: usize = 1 << 10;
const UBERBLOCK: [[u8; 8]; 2] = [0x00ba_b10c_u64.to_le_bytes(), 0x00ba_b10c_u64.to_be_bytes()];

/// Where the labels of a device of `len` bytes are.
pub(crate) fn places(len: u64) -> [u64; 4] {
    let end = len / LABEL * LABEL;
    [
        0,
        LABEL,
        end.saturating_sub(2 * LABEL),
        end.saturating_sub(LABEL),
    ]
}

/// The labels at these places, whoever they belong to. What cannot be read has none.
pub(crate) fn labels(view: &View) -> Vec<Label> {
    let mut starts = places(view.len()).to_vec();
    starts.dedup();
    let found = starts.into_iter().filter_map(|at| {
        let found = view.trying(|view| placed(view, at));
        found.unwrap_or_default()
    });
    found.collect()
}

fn placed(view: &View, at: u64) -> Result<Option<Label>> {
    let Some(found) = label(view, at)? else {
        return Ok(None);
    };
    let bytes = view.read(at + CONFIG, CONFIG_BYTES)?;
    let config = NvList::packed(&bytes);
    let state = config.and_then(|config| config.number("state"));
    let ring = view.read(at + RING.start, 128 << 10)?;
    let blocks = ring.chunks(BLOCK);
    Ok(Some(Label {
        at,
        blocks: blocks.filter(|block| is_uberblock(block)).count(),
        has_blocks: state.is_some_and(|state| state < FIRST_WITHOUT_BLOCKS),
        needs: config.and_then(|config| needs(&config)),
        pool: found.label,
    }))
}

fn is_uberblock(block: &[u8]) -> bool {
    UBERBLOCK.iter().any(|magic| block.starts_with(magic))
}

fn label(view: &View, start: u64) -> Result<Option<FileSystem>> {
    let at = start.saturating_add(CONFIG);
    if view.len() < SMALLEST || !view.fits(at, CONFIG_BYTES) {
        return Ok(None);
    }
    let head = view.read(at, 2)?;
    if !matches!(head.as_slice(), [1, 0 | 1]) {
        return Ok(None);
    }
    let bytes = view.read(at, CONFIG_BYTES)?;
    let config = NvList::packed(&bytes);
    let mut found = config.and_then(|config| describe(&config));
    if let (Some(found), Some(config)) = (&mut found, config) {
        found.remarks.extend(past_end(view, &config));
    }
    Ok(found)
}

/// The length of the device that a label describes; `None` where it counts several, or does not say.
fn needs(config: &NvList<'_>) -> Option<u64> {
    let tree = config.list("vdev_tree")?;
    let alone = tree.text("type").as_deref() != Some("raidz");
    let asize = tree.number("asize").filter(|_| alone)?;
    asize.checked_add(DATA_START.get() + 2 * LABEL)
}

fn past_end(view: &View, config: &NvList<'_>) -> Option<Remark> {
    let needs = needs(config).filter(|needs| *needs > view.len())?;
    let why = format!(
        "The label describes a ZFS device of {needs} B, the space that holds it has {} B",
        view.len()
    );
    Some(super::past_end_remark(why).needing(Some(Bytes::new(needs))))
}

/// `None` unless it names a vdev and a state; an active pool also has a transaction group.
fn describe(config: &NvList<'_>) -> Option<FileSystem> {
    let (guid, state) = (config.number("guid")?, config.number("state")?);
    let word = STATES.get(usize::try_from(state).ok()?)?;
    if guid == 0 || (state < 3 && config.number("txg").unwrap_or(0) == 0) {
        return None;
    }
    let mut found = FileSystem {
        kind: "zfs",
        data_start: DATA_START,
        label: config.text("name").unwrap_or_default(),
        ..FileSystem::default()
    };
    if let Some(pool) = config.number("pool_guid") {
        found.uuid = pool.to_string();
    }
    found.facts.insert("vdev-guid", guid.to_string());
    found.facts.insert("state", (*word).to_owned());
    if state == 2 {
        let why = format!("The pool {} on it is marked as destroyed", found.label);
        found
            .remarks
            .push(Remark::note(rules::ZFS_POOL_DESTROYED, why));
    }
    add_tree(&mut found, config);
    Some(found)
}

/// The contents of the top-level vdev; a spare or cache device has its ashift, if any, outside.
fn add_tree(found: &mut FileSystem, config: &NvList<'_>) {
    let tree = config.list("vdev_tree").unwrap_or(*config);
    let ashift = tree.number("ashift").or_else(|| config.number("ashift"));
    if let Some(ashift) = ashift.and_then(|shift| u32::try_from(shift).ok()) {
        found.block = shifted(ashift, 9, LARGEST_ASHIFT).map(Bytes::new);
        found.ashift = Some(ashift);
    }
    if let Some(kind) = tree.text("type") {
        found.facts.insert("vdev-type", kind);
    }
    if let Some(width) = tree.count("children") {
        found.facts.insert("vdev-width", width.to_string());
    }
    if let Some(parity) = tree.number("nparity") {
        found.facts.insert("nparity", parity.to_string());
    }
}

/// Whether sector 0 holds an MBR, also a protective one, with an entry.
fn partitioned(view: &View) -> Result<bool> {
    let Some(sector) = view.try_record(0, 512)? else {
        return Ok(false);
    };
    let mut entries = DosEntry::all(sector.bytes()).into_iter();
    Ok(is_boot_record(sector.bytes()) && entries.any(|entry| entry.is_used()))
}
