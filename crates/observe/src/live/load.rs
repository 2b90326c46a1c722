//! Loading the program: its read-only data and the sizes of its maps depend on the devices.

use aya::maps::{HashMap, MapError};
use aya::{Btf, Ebpf, EbpfLoader};

use super::layout::{MOMENTS, NEAR, PLACED, REGIONS};
use super::options::WatchOptions;
use super::table::{self, PlaceTable};
use super::tracefs::TracepointPlaces;
use crate::error::{ObserveError, ObserveErrorKind, Result};

/// The compiled `bpf/watch.bpf.c`; `cargo xtask bpf` compiles it.
static OBJECT: &[u8] = aya::include_bytes_aligned!("../../bpf/watch.bpf.o");

/// Bios, or requests of plain tracepoints, in flight at most.
const BIOS: u32 = 1 << 16;
/// The number of processes times operations that have an entry; the rest share one.
const OWNERS: u32 = 2048;
/// The number of control groups, and of files, times operations that have an entry; the rest share one.
const SHARES: u32 = 2048;
/// Files whose path is looked at once; that of more is looked at with every I/O.
const JUDGED: u32 = 1 << 16;
/// The signature of a tracepoint that has the queue as its first argument.
pub const QUEUE_FIRST: [(&str, &str); 3] = [
    ("issue_has_queue", "block_rq_issue"),
    ("requeue_has_queue", "block_rq_requeue"),
    ("bio_has_queue", "block_bio_queue"),
];

/// The facts about the kernel.
#[derive(Default)]
pub struct KernelFacts<'a> {
    /// Its types; none for plain tracepoints.
    pub kernel: Option<&'a Btf>,
    /// It has `block_io_start`.
    pub early: bool,
    /// In the order of [`QUEUE_FIRST`].
    pub queue_first: [u32; 3],
    /// The offsets of the fields of plain tracepoints.
    pub places: TracepointPlaces,
}

/// Histograms of straddling I/O: one for each grid.
pub fn grids(options: &WatchOptions) -> usize {
    let grids = options.devices.iter().map(|device| device.grids.len());
    grids.max().unwrap_or(0)
}

/// The switches, by the program's own names.
fn switches(options: &WatchOptions, facts: &KernelFacts) -> Vec<(&'static str, u32)> {
    let requests = || options.devices.iter().filter(|device| !device.by_bio);
    let typed = facts.kernel.is_some();
    let flags = [
        ("with_events", options.events),
        ("with_owners", options.owners),
        ("with_groups", typed && options.groups),
        ("with_files", typed && options.tells_files()),
        ("with_only_files", !options.only_files.is_empty()),
        ("with_moments", options.moments),
        ("owners_early", facts.early),
        (
            "any_stamped",
            typed && requests().any(|device| device.stamped),
        ),
    ];
    let names = QUEUE_FIRST.map(|(name, _)| name);
    let flags = flags.map(|(name, on)| (name, u32::from(on)));
    let grids = u32::try_from(grids(options)).unwrap_or(0);
    let numbers = [("sample_every", options.sample_every), ("grids", grids)];
    let queues = names.into_iter().zip(facts.queue_first);
    flags.into_iter().chain(numbers).chain(queues).collect()
}

/// How many entries maps have that depend on what is watched.
fn sizes(options: &WatchOptions, typed: bool, flights: u32) -> Vec<(&'static str, u32)> {
    let count = u32::try_from(options.devices.len()).unwrap_or(1).max(1);
    let placed = count * u32::try_from(PLACED).unwrap_or(1);
    let grids = u32::try_from(grids(options)).unwrap_or(0);
    let by_bio = !typed || options.devices.iter().any(|device| device.by_bio);
    let or_one = |wanted: bool, entries: u32| if wanted { entries } else { 1 };
    let mut all = vec![
        ("counts", placed),
        ("latency", placed * 2),
        ("straddling", (placed * grids.saturating_sub(1)).max(1)),
        ("plain", count),
        ("moments", or_one(options.moments, count * MOMENTS)),
        ("regions", count * REGIONS),
        ("flight", flights.max(1)),
        ("bios", or_one(by_bio, BIOS)),
        ("owners", or_one(options.owners, OWNERS)),
        ("near", or_one(options.owners, NEAR)),
        ("groups", or_one(options.groups, SHARES)),
        ("files", or_one(options.tells_files(), SHARES)),
        ("file_names", or_one(options.tells_files(), SHARES)),
        (
            "judged_files",
            or_one(!options.only_files.is_empty(), JUDGED),
        ),
    ];
    all.extend(options.ring.map(|bytes| ("ring", bytes)));
    all
}

/// Loads it; nothing is attached yet.
pub fn load(options: &WatchOptions, facts: &KernelFacts) -> Result<Ebpf> {
    let table = PlaceTable::new(&options.devices)
        .ok_or_else(|| ObserveError::new(ObserveErrorKind::Unsupported, "Too many devices"))?;
    let (slots, flights) = table::slots(&options.devices);
    let switches = switches(options, facts);
    let only_group = options.only_group.unwrap_or(0);
    let ends = options.bio_ends.clone().unwrap_or_default();
    let pages = ends.pages.map(u64::to_ne_bytes).concat();
    let mut loader = EbpfLoader::new();
    loader
        .btf(facts.kernel)
        .override_global("table", table.bytes.as_slice(), true)
        .override_global("table_factor", &table.factor, true)
        .override_global("slots", slots.as_slice(), true)
        .override_global("flights", &flights, true)
        .override_global("only_group", &only_group, true)
        .override_global("ends_pages", pages.as_slice(), true)
        .override_global("ends_direct", &ends.direct, true)
        .override_global("ends_chained", &ends.chained, true);
    for (name, value) in &switches {
        loader.override_global(name, value, true);
    }
    for (name, place) in facts.places.globals() {
        loader.override_global(name, place, true);
    }
    for (name, entries) in sizes(options, facts.kernel.is_some(), flights) {
        loader.map_max_entries(name, entries);
    }
    let mut bpf = loader
        .load(OBJECT)
        .map_err(|error| refused("load the BPF program", error))?;
    choose(&mut bpf, options).map_err(|error| refused("name the files to it", error))?;
    Ok(bpf)
}

/// Names the files that are counted alone.
fn choose(bpf: &mut Ebpf, options: &WatchOptions) -> std::result::Result<(), MapError> {
    let Some(map) = bpf.map_mut("only_files") else {
        return Ok(());
    };
    let mut chosen: HashMap<_, [u64; 2], u32> = HashMap::try_from(map)?;
    let mut files = options.only_files.iter();
    files.try_for_each(|file| chosen.insert(file.key(), 1, 0))
}

pub(super) fn refused(what: &str, error: impl std::error::Error) -> ObserveError {
    // The kernel's own reason is at the end of the chain.
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    // A verifier's log can have a megabyte; what it objects to is at its end.
    let long = text.char_indices().rev().nth(1500).map_or(0, |(at, _)| at);
    let text = text.get(long..).unwrap_or_default();
    ObserveError::new(
        ObserveErrorKind::Unsupported,
        format!("Cannot {what}: {text}"),
    )
}
