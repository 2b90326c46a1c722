//! Every answer of a root, written down as it is given.
//!
//! Paths are noted where they really lie: each link on the way becomes a link of the tree, so that
//! the tree answers the same questions in the same way.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Back;
use crate::error::Error;
use crate::recording::{Frozen, FrozenEntry, SectorCopy, Unreadable};
use crate::trail::Trail;
use crate::view::View;
use crate::watched::Watched;

/// Links followed on the way to one file, as the kernel's limit.
const MOST_LINKS: usize = 40;

/// What a root was asked and what it answered.
#[derive(Debug, Default)]
pub(super) struct Notes {
    inner: Mutex<Inner>,
    trail: Trail,
}

#[derive(Debug, Default)]
struct Inner {
    tree: Frozen,
    /// Path and length of each device that was opened.
    devices: Vec<(String, u64)>,
    unreadable: BTreeMap<String, String>,
    /// Files of `key<tab>value` lines.
    lines: BTreeMap<String, BTreeMap<String, String>>,
}

impl Notes {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file that was read.
    pub(super) fn file(&self, back: &Back, path: &str, bytes: Vec<u8>) {
        let mut inner = self.inner();
        if let Some(place) = inner.settle(back, path, true) {
            inner.tree.put(&place, FrozenEntry::File(bytes));
        }
    }

    /// Something that is there.
    pub(super) fn present(&self, back: &Back, path: &str) {
        let mut inner = self.inner();
        if let Some(place) = inner.settle(back, path, true) {
            inner.present(back, &place);
        }
    }

    /// A folder that was listed.
    pub(super) fn list(&self, back: &Back, path: &str, names: &[String]) {
        let mut inner = self.inner();
        let Some(place) = inner.settle(back, path, true) else {
            return;
        };
        inner.tree.put_new(&place, FrozenEntry::Folder);
        for name in names {
            let entry = format!("{place}/{name}");
            match back.link(&entry).as_deref().and_then(Path::to_str) {
                Some(target) => inner.tree.put(&entry, FrozenEntry::Link(target.to_owned())),
                None => inner.present(back, &entry),
            }
        }
    }

    /// A link whose target was asked for. Links to devices are left out: their names hold serial
    /// numbers, and which device was meant is noted otherwise.
    pub(super) fn link(&self, back: &Back, path: &str) {
        if !path.trim_start_matches('/').starts_with("dev/") {
            let _ = self.inner().settle(back, path, false);
        }
    }

    /// A device that was opened: its reads are watched from now on.
    pub(super) fn device(&self, path: &str, view: &View) -> View {
        let mut inner = self.inner();
        let known = inner.devices.iter().position(|(known, _)| known == path);
        let number = known.unwrap_or(inner.devices.len());
        if known.is_none() {
            inner.devices.push((path.to_owned(), view.len()));
        }
        let source = Watched::new(Arc::clone(view.source()), number, self.trail.clone());
        View::new(Arc::new(source))
    }

    /// Something that could not be read.
    pub(super) fn unreadable(&self, path: &str, why: &str) {
        let path = path.trim_start_matches('/').to_owned();
        self.inner().unreadable.insert(path, why.to_owned());
    }

    /// The same for a device that could not be opened.
    pub(super) fn not_opened(&self, path: &str, error: &Error) {
        self.unreadable(path, &error.full());
    }

    /// A file that stands for the answer of an ioctl.
    pub(super) fn made(&self, path: &str, bytes: Vec<u8>) {
        self.inner().tree.put(path, FrozenEntry::File(bytes));
    }

    /// A line of such a file.
    pub(super) fn line(&self, path: &str, key: &str, value: String) {
        let mut inner = self.inner();
        let lines = inner.lines.entry(path.to_owned()).or_default();
        lines.insert(key.to_owned(), value);
    }

    /// All of it as a tree, but for what readers looked at and disowned.
    pub(super) fn tree(&self) -> (Frozen, Vec<Unreadable>) {
        let inner = self.inner();
        let mut tree = inner.tree.clone();
        for (path, lines) in &inner.lines {
            let text: String = lines.iter().map(|(k, v)| format!("{k}\t{v}\n")).collect();
            tree.put_text(path, text);
        }
        let mut copies: Vec<SectorCopy> = inner
            .devices
            .iter()
            .map(|(_, len)| SectorCopy::new(*len))
            .collect();
        for read in self.trail.reads() {
            if let Some(copy) = copies.get_mut(read.device) {
                copy.write(read.at, &read.bytes);
            }
        }
        for ((path, _), copy) in inner.devices.iter().zip(copies) {
            tree.put(path, FrozenEntry::Device(copy));
        }
        (tree, inner.unreadable(&self.trail))
    }
}

impl Inner {
    fn unreadable(&self, trail: &Trail) -> Vec<Unreadable> {
        let whole = self.unreadable.iter().map(|(path, why)| Unreadable {
            path: path.clone(),
            why: why.clone(),
            part: None,
        });
        let part = trail.faults().into_iter().filter_map(|fault| {
            let (path, _) = self.devices.get(fault.device)?;
            Some(Unreadable {
                path: path.clone(),
                why: fault.why,
                part: Some((fault.at, fault.len as u64, fault.place)),
            })
        });
        let mut all: Vec<_> = whole.chain(part).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Notes that something is there, without its content.
    fn present(&mut self, back: &Back, place: &str) {
        let entry = if back.is_folder(place) {
            FrozenEntry::Folder
        } else {
            FrozenEntry::File(Vec::new())
        };
        self.tree.put_new(place, entry);
    }

    /// The real place of a path; the links in it are recorded. `None` if nothing is there.
    fn settle(&mut self, back: &Back, path: &str, follow: bool) -> Option<String> {
        let path = path.trim_start_matches('/');
        if ["proc/", "etc/"].iter().any(|top| path.starts_with(top)) {
            // `self` is a link to another process the next time; configuration is found by its name,
            // and distributions link it to all sorts of places.
            return Some(path.to_owned());
        }
        let mut todo: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let (mut place, mut links) = (String::new(), 0);
        while let Some(name) = todo.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    place.truncate(place.rfind('/').unwrap_or(0));
                    continue;
                }
                _ => {}
            }
            let next = if place.is_empty() {
                name
            } else {
                format!("{place}/{name}")
            };
            let last = todo.is_empty();
            match self.target(back, &next) {
                Some(target) => {
                    links += 1;
                    if links > MOST_LINKS || (last && !follow) {
                        return None;
                    }
                    if target.starts_with('/') {
                        place.clear();
                    }
                    todo.extend(target.rsplit('/').map(str::to_owned));
                }
                None => {
                    if !last {
                        self.tree.put_new(&next, FrozenEntry::Folder);
                    }
                    place = next;
                }
            }
        }
        Some(place)
    }

    /// The target of a link, which is noted.
    fn target(&mut self, back: &Back, place: &str) -> Option<String> {
        match self.tree.get(place) {
            Some(FrozenEntry::Link(target)) => return Some(target.clone()),
            Some(FrozenEntry::Folder) => return None,
            _ => {}
        }
        let target = back.link(&format!("./{place}"))?.to_str()?.to_owned();
        self.tree.put(place, FrozenEntry::Link(target.clone()));
        Some(target)
    }
}
