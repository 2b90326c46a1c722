//! The kind of a folder or tarball, and the start of the bundle in it.

use crate::captures::{self, Text, load};
use crate::error::{Error, Result};
use crate::host::Root;

/// Folders that Red Hat Insights puts everything into since 2019.
const DATA: &str = "data";
/// Files that only a supportconfig has at its top.
const SUPPORTCONFIG: &[&str] = &["fs-diskio.txt", "basic-environment.txt"];
/// Files and folders that are looked at to tell what a folder is.
const MOST_LOOKED_AT: usize = 4096;
/// Beginnings of texts that are looked at for something known.
const HEAD: u64 = 256 << 10;

/// Its kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum BundleKind {
    /// A copied `sys/` with sizes and starts.
    Host,
    /// A sosreport.
    Sos,
    /// An archive of Red Hat Insights.
    Insights,
    /// Only the queues of sysfs.
    Queues,
    /// SUSE: outputs of commands in sections of few files.
    Supportconfig,
    /// Text files.
    Texts,
}

impl BundleKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Host => "captured host",
            Self::Sos => "sosreport",
            Self::Insights => "insights archive",
            Self::Queues => "sysfs queues",
            Self::Supportconfig => "supportconfig",
            Self::Texts => "texts",
        }
    }
}

/// The bundle in a folder.
pub(super) fn of_folder(root: &Root) -> Option<(&'static str, BundleKind)> {
    for base in ["", DATA] {
        if let Some(kind) = by_layout(root, base) {
            return Some((base, kind));
        }
    }
    is_texts(root, "").then_some(("", BundleKind::Texts))
}

/// The bundle in a tarball: at its top, or in the one folder that is there.
pub(super) fn of_archive(root: &Root) -> Result<Option<(String, BundleKind)>> {
    let mut found: Vec<(String, BundleKind)> = Vec::new();
    for base in ["", DATA] {
        if let Some(kind) = by_layout(root, base) {
            return Ok(Some((base.to_owned(), kind)));
        }
    }
    let tops = folders(root, "");
    for top in &tops {
        let data = format!("{top}/{DATA}");
        let bases = [top.clone(), data].into_iter();
        let kinds = bases.filter_map(|base| by_layout(root, &base).map(|kind| (base, kind)));
        found.extend(kinds.take(1));
    }
    if found.is_empty() {
        let bases = std::iter::once(String::new()).chain(tops);
        let texts = bases.filter(|base| is_texts(root, base));
        found.extend(texts.map(|base| (base, BundleKind::Texts)));
    }
    if let [(first, _), (second, _), ..] = found.as_slice() {
        let what = format!(
            "There are several bundles in it, such as {first} and {second}: unpack it, and check \
             the folder, so that hosts are not mixed"
        );
        return Err(Error::unsupported(what));
    }
    Ok(found.pop())
}

fn folders(root: &Root, base: &str) -> Vec<String> {
    let names = root.list(base).into_iter().take(MOST_LOOKED_AT);
    names.filter(|name| is_folder(root, name)).collect()
}

fn is_folder(root: &Root, path: &str) -> bool {
    !root.list(path).is_empty()
}

fn join(base: &str, name: &str) -> String {
    if base.is_empty() {
        name.to_owned()
    } else {
        format!("{base}/{name}")
    }
}

/// By the folders that it has.
fn by_layout(root: &Root, base: &str) -> Option<BundleKind> {
    let has = |name: &str| is_folder(root, &join(base, name));
    if root.exists(&join(base, "sos_commands")) {
        return Some(BundleKind::Sos);
    }
    if root.exists(&join(base, "insights_commands")) {
        return Some(BundleKind::Insights);
    }
    if SUPPORTCONFIG
        .iter()
        .any(|name| root.exists(&join(base, name)))
    {
        return Some(BundleKind::Supportconfig);
    }
    let block = join(base, "sys/block");
    let disks = root.list(&block);
    let disks = disks.iter().take(MOST_LOOKED_AT);
    let (mut sizes, mut queues) = (false, false);
    for disk in disks {
        sizes |= root.exists(&format!("{block}/{disk}/size"));
        queues |= root.exists(&format!("{block}/{disk}/queue"));
    }
    match (sizes, queues) {
        (true, _) => Some(BundleKind::Host),
        (_, true) => Some(BundleKind::Queues),
        // A machine without a disk, as our own capture shows it.
        _ => has("ioalign").then_some(BundleKind::Host),
    }
}

/// Whether all files are texts and a reader knows one of them. Folders in it would not be looked into.
fn is_texts(root: &Root, base: &str) -> bool {
    let names = root.list(base);
    if names.len() > MOST_LOOKED_AT {
        return false;
    }
    let mut known = false;
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let head = root.blob(&join(base, name), HEAD);
        let Some(head) = head.filter(|head| head.is_empty() || load::looks_like_text(head)) else {
            return false;
        };
        known |= is_known(&head);
    }
    known
}

fn is_known(head: &[u8]) -> bool {
    let image = head
        .get(..21)
        .is_some_and(|head| head.eq_ignore_ascii_case(b"# Disk DescriptorFile"));
    !image && captures::is_known(&Text::new(head))
}
