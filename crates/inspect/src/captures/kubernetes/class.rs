//! One object: a class, or a volume that a class has made.

use ioalign_core::layer::Kind;
use ioalign_core::{Bytes, Remark, Severity, rules};

use super::drivers::{self, ClassVolume};
use super::mkfs;
use super::parameters::ClassParameters;
use super::yaml::YamlNode;
use crate::captures::{Said, TextEvidence};
use crate::host::hints::Claims;

/// Adds what the object says.
pub(super) fn tell(object: &YamlNode, evidence: &mut TextEvidence) {
    let text = |path: &[&str]| object.at(path).and_then(YamlNode::text).unwrap_or_default();
    let name = text(&["metadata", "name"]);
    match text(&["kind"]) {
        "StorageClass" => {
            let parameters = object
                .get("parameters")
                .map(YamlNode::texts)
                .unwrap_or_default();
            let said = evidence.device(&format!("storageclass/{name}"));
            describe(
                said,
                text(&["provisioner"]),
                &ClassParameters::new(parameters),
                false,
            );
        }
        "PersistentVolume" if object.at(&["spec", "csi"]).is_some() => {
            let mut parameters = object
                .at(&["spec", "csi", "volumeAttributes"])
                .map(YamlNode::texts)
                .unwrap_or_default();
            parameters.push((
                "fsType".to_owned(),
                text(&["spec", "csi", "fsType"]).to_owned(),
            ));
            let is_block = text(&["spec", "volumeMode"]) == "Block";
            let said = evidence.device(&format!("persistentvolume/{name}"));
            describe(
                said,
                text(&["spec", "csi", "driver"]),
                &ClassParameters::new(parameters),
                is_block,
            );
        }
        _ => {}
    }
}

fn describe(said: &mut Said, driver: &str, parameters: &ClassParameters, is_block: bool) {
    let volume = drivers::volume(driver, parameters);
    said.kind = Some(Kind::Disk);
    said.facts.push(("driver", driver.to_owned()));
    said.facts
        .extend(volume.engine.map(|engine| ("engine", engine.to_owned())));
    said.claims = Some(Claims {
        logical: volume.logical,
        physical: volume.physical,
        minimum: volume.unit,
        optimal: volume.unit,
        ..Claims::default()
    });
    let block = parameters.get("blockSize").and_then(mkfs::size);
    let kind = parameters.filesystem();
    let made = mkfs::filesystem(kind, &parameters.mkfs(driver), block).filter(|_| !is_block);
    let mut refused = volume.refused.clone();
    if let Some((filesystem, more)) = made {
        refused.extend(more);
        if let Some(why) = against(&filesystem, &volume) {
            let advice =
                "Make unit and width in the options of mkfs a whole number of the volume's units";
            let off = Remark::new(rules::STORAGE_CLASS_OFF_GRID, Severity::Suboptimal, why)
                .advise(advice);
            said.remarks.push(off);
        }
        refused.extend(sectors(&filesystem, &volume));
        said.filesystem = Some(filesystem);
    }
    said.remarks.extend(volume.off_grid.iter().map(|why| {
        Remark::new(
            rules::STORAGE_CLASS_OFF_GRID,
            Severity::Misaligned,
            sentence(why),
        )
    }));
    said.remarks.extend(refused.iter().map(|why| {
        Remark::new(
            rules::STORAGE_CLASS_REFUSED,
            Severity::Broken,
            sentence(why),
        )
    }));
    said.remarks.extend(volume.unknown.iter().map(|why| {
        let advice = "Name outputs of a node beside the manifests (lsblk -O -J, pvs, lvs), or check a volume on its node";
        Remark::new(rules::STORAGE_CLASS_UNKNOWN, Severity::Unknown, sentence(why)).advise(advice)
    }));
}

/// Whether the geometry of the file system fits the unit of the volume.
fn against(filesystem: &crate::filesystems::FileSystem, volume: &ClassVolume) -> Option<String> {
    let (unit, made_for) = (volume.unit?, filesystem.geometry?.unit.get());
    let fits = made_for.is_multiple_of(unit) || unit.is_multiple_of(made_for.max(1));
    (!fits).then(|| {
        format!("{} is made with a stripe unit of {made_for} B, the volume has units of {unit} B: neither is a multiple of the other", filesystem.kind)
    })
}

/// What does not mount: blocks below the sector.
fn sectors(filesystem: &crate::filesystems::FileSystem, volume: &ClassVolume) -> Option<String> {
    let (block, sector) = (filesystem.block.map(Bytes::get)?, volume.logical?);
    (block < sector).then(|| {
        format!(
            "{} with blocks of {block} B does not go onto sectors of {sector} B",
            filesystem.kind
        )
    })
}

/// With a capital letter.
fn sentence(why: &str) -> String {
    let mut letters = why.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
