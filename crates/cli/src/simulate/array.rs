//! The arrays that arguments describe: one, or all combinations of what was typed.

use anyhow::{Context, Result};
use ioalign_core::Bytes;
use ioalign_core::array::{Maker, RaidLevel};
use ioalign_core::map::Map;
use ioalign_simulate::description::{self, DescribedArray};
use ioalign_simulate::disk::DiskModel;
use ioalign_simulate::engine::ControllerCache;

use super::from_stack;
use crate::args::{CacheArg, SimulatedArrayArgs, SimulatedLoadArgs};
use crate::exit::UsageError;

/// One array.
#[derive(Clone, Debug)]
pub struct ArrayVariant {
    /// As it was asked for.
    pub name: String,
    /// How it differs from the others; empty: there are no others.
    pub label: String,
    pub array: DescribedArray,
    /// Where the partition of a checked stack starts.
    pub start: Option<u64>,
}

/// Which word is the array, and which the workload.
pub fn split(load: &SimulatedLoadArgs, replay: bool) -> Result<(Option<&str>, Option<&str>)> {
    let described = load.array.from.is_some() || !load.array.raid.is_empty();
    let words: Vec<_> = load.words.iter().map(String::as_str).collect();
    match (words.as_slice(), replay, described) {
        ([array, workload], false, _) => Ok((Some(array), Some(workload))),
        ([workload], false, true) => Ok((None, Some(workload))),
        ([array], true, _) => Ok((Some(array), None)),
        ([], true, true) => Ok((None, None)),
        ([_, _], true, _) => Err(wrong("--replay is the workload: say the array alone")),
        ([_], false, false) => Err(wrong(
            "say the array and the workload: raid10:4x64k randread:16k:qd8",
        )),
        _ => Err(wrong(
            "say an array, or --raid LEVEL --disks N, or --from CHECK.json, and a workload",
        )),
    }
}

fn wrong(what: impl Into<String>) -> anyhow::Error {
    UsageError(what.into()).into()
}

/// All combinations.
pub fn variants(load: &SimulatedLoadArgs, word: Option<&str>) -> Result<Vec<ArrayVariant>> {
    let typed = &load.array;
    let base = base(typed, word)?;
    let mut all = vec![base];
    all = each(all, &typed.raid, |one, level| {
        one.array.shape.array.level = *level;
        format!("RAID {}", level.name())
    });
    all = each(all, &typed.disks, |one, disks| {
        one.array.shape.array.disks = *disks;
        format!("{disks} disks")
    });
    all = each(all, &typed.element, |one, element| {
        one.array.shape.array.element = Bytes::new(*element);
        format!("element {}", Bytes::new(*element))
    });
    all = each(all, &typed.cache, |one, cache| {
        one.array.cache = of(*cache, one.array.cache.as_ref());
        match cache {
            CacheArg::None => "no cache".to_owned(),
            CacheArg::Through => "write-through".to_owned(),
            CacheArg::Back(bytes) => format!("write-back {}", Bytes::new(*bytes)),
        }
    });
    Ok(all)
}

/// Each of those so far with each of the values.
fn each<T>(
    all: Vec<ArrayVariant>,
    values: &[T],
    set: impl Fn(&mut ArrayVariant, &T) -> String,
) -> Vec<ArrayVariant> {
    if values.is_empty() {
        return all;
    }
    let mut out = Vec::with_capacity(all.len() * values.len());
    for one in &all {
        for value in values {
            let mut next = one.clone();
            let label = set(&mut next, value);
            if values.len() > 1 {
                let dot = if next.label.is_empty() { "" } else { ", " };
                next.label = format!("{}{dot}{label}", next.label);
            }
            out.push(next);
        }
    }
    out
}

fn base(typed: &SimulatedArrayArgs, word: Option<&str>) -> Result<ArrayVariant> {
    let mut base = match (word, &typed.from, typed.raid.first()) {
        (Some(word), Some(path), _) => {
            let mut own = plain(word, named(word)?);
            let (start, above) = from_stack::above(path)?;
            (own.start, own.array.above) = (Some(start), above);
            own
        }
        (None, Some(path), _) => from_stack::read(path)?,
        (Some(word), ..) => plain(word, named(word)?),
        (None, None, Some(level)) => by_flags(typed, *level)?,
        (None, None, None) => {
            return Err(wrong(
                "which array? ARRAY, --raid LEVEL or --from CHECK.json",
            ));
        }
    };
    if let Some(ns) = typed.service {
        base.array.disk = DiskModel::Fixed { ns };
    }
    if let Some(scheduler) = typed.scheduler {
        base.array.scheduler = scheduler.into();
    }
    let above = &mut base.array.above;
    if let Some(start) = typed.lvm {
        above.maps.push(Map::Shift {
            start: Bytes::new(start),
        });
    }
    if let Some(chunk) = typed.thin {
        if chunk < 4096 {
            return Err(wrong("--thin: a chunk has 4 KiB or more"));
        }
        let granule = Bytes::new(chunk);
        let start = Bytes::ZERO;
        above.maps.insert(0, Map::Scattered { start, granule });
    }
    if let Some(block) = typed.fs_block {
        if !block.is_multiple_of(512) || !(512..=1 << 24).contains(&block) {
            return Err(wrong("--fs-block: 512 bytes to 16 MiB, whole sectors"));
        }
        above.block_bytes = block;
    }
    Ok(base)
}

/// An array with nothing on it.
pub fn plain(name: &str, array: DescribedArray) -> ArrayVariant {
    ArrayVariant {
        name: name.to_owned(),
        label: String::new(),
        array,
        start: None,
    }
}

/// By the words of `plan`: md, where it is not a controller's.
fn by_flags(typed: &SimulatedArrayArgs, level: RaidLevel) -> Result<ArrayVariant> {
    let disks = typed
        .disks
        .first()
        .ok_or_else(|| wrong("how many disks make the array? --disks N"))?;
    let element = typed.element.first().copied().unwrap_or(65536);
    let owner = match typed.controller {
        true => Maker::Controller,
        false => Maker::Md,
    };
    let name = format!("raid{}:{disks}x{element}", level.name());
    let mut array = named(&name)?;
    array.shape.array.maker = owner;
    let word = match owner {
        Maker::Md => ":md",
        Maker::Controller => "",
    };
    let shown = Bytes::new(element).to_string().replace(' ', "");
    Ok(plain(
        &format!("raid{}:{disks}x{shown}{word}", level.name()),
        array,
    ))
}

/// A preset, a file, or what is typed in short.
pub fn named(text: &str) -> Result<DescribedArray> {
    let path = std::path::Path::new(text);
    if path.extension().is_some_and(|suffix| suffix == "toml") {
        let file = std::fs::read_to_string(path).with_context(|| text.to_owned())?;
        return description::parse(&file).map_err(|what| wrong(format!("{text}: {what}")));
    }
    description::named(text).map_err(wrong)
}

/// A typed cache; what is not typed stays as the array has it.
fn of(cache: CacheArg, own: Option<&ControllerCache>) -> Option<ControllerCache> {
    let usual = ControllerCache {
        write_back: false,
        write_bytes: 0,
        read_bytes: 0,
        read_ahead_bytes: 0,
        destage: 32,
        answer_ns: 50_000,
    };
    let base = own.cloned().unwrap_or(usual);
    match cache {
        CacheArg::None => None,
        CacheArg::Through => Some(ControllerCache {
            write_back: false,
            write_bytes: 0,
            ..base
        }),
        CacheArg::Back(write_bytes) => Some(ControllerCache {
            write_back: true,
            write_bytes,
            ..base
        }),
    }
}
