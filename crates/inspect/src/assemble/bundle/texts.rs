//! The texts of a bundle: outputs of commands, by the places where each kind of bundle keeps them.

use std::collections::BTreeMap;
use std::path::Path;

use super::kind::BundleKind;
use super::sections;
use crate::archive::wanted;
use crate::captures::reading::subject;
use crate::captures::{Text, load};
use crate::host::Root;

/// Bytes of one text; [`Text::cut`] says when there are more.
const MOST_TEXT: u64 = 8 << 20;
/// Texts of one bundle.
const MOST_TEXTS: usize = 1 << 14;
/// Folders of commands of sosreports and Insights.
const COMMANDS: [&str; 2] = ["sos_commands", "insights_commands"];
/// Files of `/proc` that are texts about disks.
const PROC: [&str; 2] = ["proc/mdstat", "proc/partitions"];
/// Copies that LVM makes of its metadata: the newest, and all older ones.
const BACKUP: &str = "etc/lvm/backup";
const ARCHIVE: &str = "etc/lvm/archive";

/// Calls `take` with every text and its path.
pub(super) fn each(root: &Root, kind: BundleKind, take: &mut dyn FnMut(&str, &Text)) {
    let paths = match kind {
        BundleKind::Texts | BundleKind::Supportconfig => plain(root),
        _ => outputs(root),
    };
    for path in paths.iter().take(MOST_TEXTS) {
        let Some(bytes) = root.blob(path, MOST_TEXT + 1) else {
            continue;
        };
        let cut = bytes.len() as u64 > MOST_TEXT;
        if kind == BundleKind::Supportconfig {
            for section in sections::split(&bytes) {
                take(path, &text(section, path, cut));
            }
        } else {
            take(path, &text(&bytes, path, cut));
        }
    }
}

fn text(bytes: &[u8], path: &str, cut: bool) -> Text {
    // Reading from memory does not fail.
    let mut text = load::read(bytes, Path::new(path)).unwrap_or_default();
    text.cut |= cut;
    match subject::of_file(path) {
        Some(device) => text.about(device),
        None => text,
    }
}

/// All files at the top.
fn plain(root: &Root) -> Vec<String> {
    let names = root.list("").into_iter();
    names.filter(|name| !name.starts_with('.')).collect()
}

/// Outputs of commands in the folders of plugins or beside them, and a few files of the host.
fn outputs(root: &Root) -> Vec<String> {
    let mut paths = Vec::new();
    for top in COMMANDS {
        for name in root.list(top) {
            let path = format!("{top}/{name}");
            if wanted::is_output(&name) {
                paths.push(path);
            } else {
                let inner = root.list(&path).into_iter();
                let inner = inner.filter(|name| wanted::is_output(name));
                paths.extend(inner.map(|name| format!("{path}/{name}")));
            }
        }
    }
    paths.extend(PROC.map(str::to_owned));
    paths.extend(lvm(root));
    paths
}

/// What LVM backed up last of each group.
fn lvm(root: &Root) -> Vec<String> {
    let backups = root.list(BACKUP);
    let mut paths: Vec<_> = backups
        .iter()
        .map(|name| format!("{BACKUP}/{name}"))
        .collect();
    // `vg_00012-1604379054.vg`: later ones sort behind, and replace those before them.
    let mut newest = BTreeMap::new();
    for name in root.list(ARCHIVE) {
        let group = name.rsplit_once('_').map_or(&*name, |(group, _)| group);
        if !backups.iter().any(|backup| backup == group) {
            newest.insert(group.to_owned(), format!("{ARCHIVE}/{name}"));
        }
    }
    paths.extend(newest.into_values());
    paths
}
