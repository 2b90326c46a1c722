//! Whether a frozen host reads like the live one: what must be the same for the same verdicts.
//!
//! Names and facts are left out: that is where serial numbers were.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use ioalign_core::{Bytes, Grid, Layer, Stack};

use super::Frozen;
use crate::assemble::{AssembleOptions, HostOptions, Inspection, host_in};
use crate::error::{ErrorKind, Result};
use crate::host::Root;

/// Reads a frozen host as `check` would; messages call it `name`.
///
/// # Errors
/// Those of reading a host.
pub fn read(tree: &Frozen, name: &Path, options: &AssembleOptions) -> Result<Inspection> {
    let root = Root::in_memory(Arc::new(tree.tree()), name);
    host_in(&root, &HostOptions::default(), options)
}

/// The first difference that a judge would see, as a sentence; `None`: there is none.
pub fn difference(live: &Inspection, copy: &Inspection) -> Option<String> {
    layers(&live.stack, &copy.stack)
        .or_else(|| grids(&live.stack.grids, &copy.stack.grids))
        .or_else(|| unread(live, copy))
        .or_else(|| damage(live, copy))
}

fn layers(live: &Stack, copy: &Stack) -> Option<String> {
    let pairs = live.layers().zip(copy.layers()).zip(1..);
    let found = pairs.filter_map(|(((_, live), (_, copy)), number)| {
        let what = layer(live, copy)?;
        Some(format!("layer {number}, a {}: {what}", live.kind.name()))
    });
    let (many, kept) = (live.layers().count(), copy.layers().count());
    let mut found = found.chain(unequal("number of layers", &many, &kept));
    found.next()
}

fn layer(live: &Layer, copy: &Layer) -> Option<String> {
    let role = |layer: &Layer| layer.role.describe();
    let start = |layer: &Layer| layer.start_sectors.map(|start| start.bytes());
    let fields = [
        unequal("kind", &live.kind.name(), &copy.kind.name()),
        unequal("purpose", &role(live), &role(copy)),
        sizes("size", live.size, copy.size),
        sizes("logical sector", live.logical_sector, copy.logical_sector),
        sizes("sector in its table", live.wants_sector, copy.wants_sector),
        sizes("start", start(live), start(copy)),
        sizes("block", live.block, copy.block),
        sizes("unit of its size", live.size_unit, copy.size_unit),
        unequal("list of remarks", &remarks(live), &remarks(copy)),
    ];
    let elsewhere = [
        (live.below != copy.below, "its place on the layers below"),
        (live.geometry != copy.geometry, "its RAID geometry"),
        (live.start_sectors != copy.start_sectors, "its start"),
    ];
    let elsewhere = elsewhere.into_iter().filter(|(differs, _)| *differs);
    let elsewhere = elsewhere.map(|(_, what)| format!("{what} is another one in the bundle"));
    fields.into_iter().flatten().chain(elsewhere).next()
}

/// The rules of the remarks, each with its severity.
fn remarks(layer: &Layer) -> String {
    let words = layer.remarks.iter();
    let words = words.map(|remark| format!("{} ({})", remark.rule, remark.severity.name()));
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() {
        "none".to_owned()
    } else {
        words
    }
}

fn grids(live: &[Grid], copy: &[Grid]) -> Option<String> {
    let pairs = live.iter().zip(copy).zip(1..);
    let found = pairs.filter_map(|((live, copy), number)| {
        let what = grid(live, copy)?;
        Some(format!("grid {number}, {}: {what}", live.kind))
    });
    let mut found = found.chain(unequal("number of grids", &live.len(), &copy.len()));
    found.next()
}

fn grid(live: &Grid, copy: &Grid) -> Option<String> {
    let fields = [
        sizes("size", Some(live.size), Some(copy.size)),
        sizes("phase", Some(live.phase), Some(copy.phase)),
        unequal("kind", &live.kind, &copy.kind),
    ];
    let rest = |grid: &Grid| (grid.layer, grid.tier, grid.origin, grid.trusted());
    let rest = (rest(live) != rest(copy)).then(|| "what it is worth differs".to_owned());
    fields.into_iter().flatten().chain(rest).next()
}

fn unread(live: &Inspection, copy: &Inspection) -> Option<String> {
    let missing = |of: &Inspection, other: &Inspection| {
        let mut items = of.unread.iter().filter(|item| !other.unread.contains(item));
        items
            .next()
            .map(|(path, why)| format!("{}: {why}", path.display()))
    };
    let (host, bundle) = (missing(live, copy), missing(copy, live));
    let none = || "nothing more".to_owned();
    (host.is_some() || bundle.is_some()).then(|| {
        let [host, bundle] = [host, bundle].map(|one| one.unwrap_or_else(none));
        format!("unreadable on the host: {host}; in the bundle: {bundle}")
    })
}

fn damage(live: &Inspection, copy: &Inspection) -> Option<String> {
    let kind = |of: &Inspection| of.malformed.as_ref().map(crate::Error::kind);
    let word = |kind: Option<ErrorKind>| if kind.is_some() { "damaged" } else { "sound" };
    let (host, bundle) = (kind(live), kind(copy));
    (host != bundle).then(|| match (word(host), word(bundle)) {
        (host, bundle) if host == bundle => "it is damaged in another way".to_owned(),
        (host, bundle) => format!("it is {host} on the host and {bundle} in the bundle"),
    })
}

fn sizes(what: &str, live: Option<Bytes>, copy: Option<Bytes>) -> Option<String> {
    let words = |size: Option<Bytes>| match size {
        Some(size) => format!("{} B", size.get()),
        None => "not known".to_owned(),
    };
    unequal(what, &words(live), &words(copy))
}

fn unequal<T: Display + PartialEq>(what: &str, live: &T, copy: &T) -> Option<String> {
    (live != copy).then(|| format!("its {what} is {live} on the host and {copy} in the bundle"))
}

#[cfg(test)]
mod tests {
    use ioalign_core::Remark;
    use ioalign_core::{Kind, Map, Tier, rules};

    use super::*;

    fn host(size: Option<u64>, phase: u64) -> Inspection {
        let mut stack = Stack::default();
        let mut disk = Layer::new(Kind::Disk, "sda");
        disk.size = size.map(Bytes::new);
        let disk = stack.push(disk);
        let map = Map::Shift {
            start: Bytes::new(512),
        };
        let id = stack.push(Layer::new(Kind::Partition, "sda1").on(disk, map));
        stack.layer_mut(id).remarks = vec![Remark::note(rules::NOT_READABLE, "why")];
        let (size, phase) = (Bytes::new(4096), Bytes::new(phase));
        stack
            .grids
            .extend(Grid::new(disk, size, phase, Tier::Rmw, "physical-block"));
        Inspection {
            stack,
            format: "host".to_owned(),
            unread: Vec::new(),
            malformed: None,
        }
    }

    #[test]
    fn differences_are_sentences() {
        let whole = host(Some(20_971_008), 0);
        assert_eq!(difference(&whole, &host(Some(20_971_008), 0)), None);
        let said = |copy: &Inspection| difference(&whole, copy).unwrap();
        assert_eq!(
            said(&host(None, 0)),
            "layer 1, a disk: its size is 20971008 B on the host and not known in the bundle"
        );
        assert_eq!(
            said(&host(Some(20_971_008), 512)),
            "grid 1, physical-block: its phase is 0 B on the host and 512 B in the bundle"
        );
        let mut copy = host(Some(20_971_008), 0);
        let mut layers: Vec<_> = copy.stack.layers().map(|(id, _)| id).collect();
        let part = copy.stack.layer_mut(layers.pop().unwrap());
        part.remarks.clear();
        assert_eq!(
            said(&copy),
            "layer 2, a partition: its list of remarks is not-readable (note) on the host and none in the bundle"
        );
    }

    #[test]
    fn other_places_and_unread_items_are_sentences() {
        let whole = host(None, 0);
        let mut copy = host(None, 0);
        let part = copy.stack.layers().nth(1).unwrap().0;
        copy.stack.layer_mut(part).below.clear();
        let said = difference(&whole, &copy).unwrap();
        assert_eq!(
            said,
            "layer 2, a partition: its place on the layers below is another one in the bundle"
        );
        let mut copy = host(None, 0);
        copy.unread.push(("dev/sdb".into(), "no medium".to_owned()));
        let said = difference(&whole, &copy).unwrap();
        assert_eq!(
            said,
            "unreadable on the host: nothing more; in the bundle: dev/sdb: no medium"
        );
    }
}
