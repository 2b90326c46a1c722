//! Takes out of a frozen host what a stranger must not see and what `check` does not need.
//!
//! Key material and passwords always go; serial numbers go unless they are asked for. A blanked place
//! keeps its length on devices, and checksums that readers verify are made right again.

mod luks;
mod lvm;
mod moving;
mod nvme;
pub mod serials;
mod text;
mod vpd;
mod zfs;

use std::collections::BTreeMap;

use super::{Frozen, FrozenEntry};

/// How often each sort of item was blanked, by the words for it.
pub type Blanked = BTreeMap<&'static str, u64>;

/// What stays and what goes.
#[derive(Clone, Debug, Default)]
pub struct BlankOptions {
    /// Keep serial numbers and world-wide names.
    pub with_serials: bool,
    /// Serial numbers and world-wide names of the host, wherever they may turn up.
    pub serials: Vec<String>,
}

/// Blanks everything that has to go, and counts it.
pub fn blank(tree: &mut Frozen, options: &BlankOptions) -> Blanked {
    let mut blanked = Blanked::new();
    for (path, entry) in tree.iter_mut() {
        match entry {
            FrozenEntry::File(bytes) if path.ends_with(".id-ns") => {
                nvme::blank(bytes, options.with_serials, &mut blanked);
            }
            FrozenEntry::File(bytes) => {
                text::filter(path, bytes, options.with_serials, &mut blanked)
            }
            FrozenEntry::Device(sectors) => {
                luks::blank(sectors, &mut blanked);
                lvm::blank(sectors, options.with_serials, &mut blanked);
                if !options.with_serials {
                    zfs::blank(sectors, &mut blanked);
                }
                moving::blank(sectors, &mut blanked);
            }
            FrozenEntry::Folder | FrozenEntry::Link(_) => {}
        }
    }
    if !options.with_serials {
        serials::blank(tree, &options.serials, &mut blanked);
    }
    blanked
}

/// Counts one more item.
fn count(blanked: &mut Blanked, what: &'static str) {
    let number = blanked.entry(what).or_default();
    *number = number.saturating_add(1);
}
