//! Names of layers for programs that keep results of many runs: monitoring, code scanning, test pages.

use std::collections::HashMap;

use ioalign_core::{Kind, LayerId, Stack};

use crate::view::unique;

/// The device that somebody can look at: `loop0p1` for the ext4 that is on it. A partition that the kernel was not asked
/// to look for is named as it would be; in an image it has the name of its entry, `p1`.
pub fn device(stack: &Stack, id: LayerId) -> String {
    let layer = stack.layer(id);
    let below = layer.below.first().map(|edge| edge.below);
    let is_device = |id: LayerId| stack.layer(id).device_number.is_some();
    match (layer.kind, below) {
        _ if is_device(id) => layer.name.clone(),
        (Kind::Partition, Some(disk)) if is_device(disk) => {
            let number = layer.name.trim_start_matches('p');
            partition_of(&stack.layer(disk).name, number)
        }
        (
            Kind::Filesystem
            | Kind::Swap
            | Kind::Database
            | Kind::LvmPv
            | Kind::Crypt
            | Kind::Bcache
            | Kind::Volume
            | Kind::File,
            Some(below),
        ) => device(stack, below),
        _ => layer.name.clone(),
    }
}

/// `sda1`, `nvme0n1p1`: the kernel puts a `p` behind a digit.
fn partition_of(disk: &str, number: &str) -> String {
    let between = if disk.ends_with(|c: char| c.is_ascii_digit()) {
        "p"
    } else {
        ""
    };
    format!("{disk}{between}{number}")
}

/// For every layer its kind and name and those of all below it, along the first edge: it stays the same when other
/// layers come and go. Twins have a number.
pub fn paths(stack: &Stack) -> Vec<String> {
    let mut paths: Vec<String> = Vec::with_capacity(stack.len());
    let mut seen = HashMap::new();
    for (_, layer) in stack.layers() {
        let own = format!("{}:{}", layer.kind.name(), layer.name);
        let below = layer.below.first().and_then(|edge| paths.get(edge.below.0));
        let path = match below {
            Some(below) => format!("{own} on {below}"),
            None => own,
        };
        paths.push(unique(&mut seen, path));
    }
    paths
}

#[cfg(test)]
mod tests {
    use ioalign_core::{Bytes, DeviceNumber, Layer, Map};

    use super::*;

    fn start(bytes: u64) -> Map {
        Map::Shift {
            start: Bytes::new(bytes),
        }
    }

    #[test]
    fn a_layer_keeps_its_name_when_another_comes_before_it() {
        let stack = |disks: &[&str]| {
            let mut stack = Stack::new();
            let mut last = LayerId(0);
            for disk in disks {
                let mut disk = Layer::new(Kind::Disk, *disk);
                disk.device_number = DeviceNumber::parse("7:0");
                let disk = stack.push(disk);
                let part = Layer::new(Kind::Partition, "p1").on(disk, start(512));
                let part = stack.push(part);
                last = stack.push(Layer::new(Kind::Filesystem, "ext4").on(part, start(0)));
            }
            (paths(&stack)[last.0].clone(), device(&stack, last))
        };
        let wanted = "filesystem:ext4 on partition:p1 on disk:loop1";
        for disks in [&["loop1"][..], &["loop0", "loop1"], &["sda", "loop1"]] {
            assert_eq!(stack(disks), (wanted.to_owned(), "loop1p1".to_owned()));
        }
        assert_eq!(stack(&["sda"]).1, "sda1");
    }
}
