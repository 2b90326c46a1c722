//! Manifests of Kubernetes: what a StorageClass says before the first volume is made.
//!
//! A class becomes the disk that its driver will hand out, with the limits that are known, and the file system that will be made
//! on all of it. What lines up is then judged as on any machine; what depends on the nodes is `unknown`, and outputs of a
//! node beside the manifests may tell it.

mod class;
mod drivers;
mod mkfs;
mod node;
mod parameters;
mod yaml;

use ioalign_core::{Remark, Severity, rules};

use super::{Text, TextEvidence, TextFormat};
use crate::error::Result;
pub(crate) use node::join;
use yaml::YamlNode;

/// `kubectl get storageclass,persistentvolume -o yaml`.
pub const FORMAT: TextFormat = TextFormat {
    name: "kubernetes",
    command: "kubectl get storageclass -o yaml",
    sniff: |text| text.any(has_kind),
    read,
};

/// The objects that are read.
const KINDS: [&str; 2] = ["StorageClass", "PersistentVolume"];
/// Objects of one text.
const MOST: usize = 1000;

/// Whether a line has `kind: StorageClass`, also as JSON.
fn has_kind(line: &str) -> bool {
    line.split("kind").skip(1).any(|rest| {
        let value = rest.trim_start_matches('"').trim_start().strip_prefix(':');
        let value = value
            .unwrap_or_default()
            .split([',', '}'])
            .next()
            .unwrap_or_default();
        KINDS.contains(&value.trim().trim_matches(['"', '\'']))
    })
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let (documents, why) = yaml::documents(&text.joined());
    let mut left = MOST;
    for document in &documents {
        let items = document
            .get("items")
            .map_or(std::slice::from_ref(document), YamlNode::items);
        for item in items.iter().take(left) {
            class::tell(item, evidence);
        }
        left = left.saturating_sub(items.len());
    }
    let why = why.or_else(|| (left == 0).then(|| format!("only {MOST} objects are read")));
    if let Some(why) = why {
        let why = format!("The manifest was not read to its end: {why}");
        evidence
            .remarks
            .push(Remark::new(rules::TEXT_CUT_OFF, Severity::Unknown, why));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The rules of the remarks on each object, after its name.
    fn said(texts: &[&str]) -> Vec<(String, Vec<&'static str>)> {
        let mut evidence = TextEvidence::default();
        for text in texts {
            crate::captures::read(&Text::new(text.as_bytes()), None, &mut evidence).unwrap();
        }
        join(&mut evidence);
        let devices = evidence
            .devices
            .iter()
            .filter(|said| said.name.contains('/'));
        let rules = devices.map(|said| {
            let rules = said.remarks.iter().map(|remark| remark.rule).collect();
            (said.name.clone(), rules)
        });
        rules.collect()
    }

    fn class(driver: &str, parameters: &[(&str, &str)]) -> String {
        let parameters: String = parameters
            .iter()
            .map(|(key, value)| format!("  {key}: \"{value}\"\n"))
            .collect();
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: c\nprovisioner: {driver}\nparameters:\n{parameters}"
        )
    }

    fn rules_of(driver: &str, parameters: &[(&str, &str)]) -> Vec<&'static str> {
        said(&[&class(driver, parameters)]).remove(0).1
    }

    const OFF: &str = rules::STORAGE_CLASS_OFF_GRID;
    const REFUSED: &str = rules::STORAGE_CLASS_REFUSED;
    const UNKNOWN: &str = rules::STORAGE_CLASS_UNKNOWN;

    #[test]
    fn each_driver_has_its_rule() {
        let none: [&str; 0] = [];
        for (driver, parameters, rules) in [
            (
                "driver.longhorn.io",
                &[
                    ("fsType", "ext4"),
                    ("mkfsParams", "-I 256 -b 4096 -O ^64bit"),
                ][..],
                &none[..],
            ),
            ("driver.longhorn.io", &[("dataEngine", "v2")], &[UNKNOWN]),
            (
                "lvm.driver.harvesterhci.io",
                &[("type", "dm-thin"), ("chunkSize", "512Ki")],
                &[UNKNOWN],
            ),
            (
                "lvm.driver.harvesterhci.io",
                &[("type", "dm-thin"), ("chunkSize", "100k")],
                &[REFUSED, UNKNOWN],
            ),
            (
                "csi.simplyblock.io",
                &[("csi.storage.k8s.io/fstype", "xfs")],
                &[UNKNOWN],
            ),
            (
                "linstor.csi.linbit.com",
                &[("linstor.csi.linbit.com/storagePool", "p")],
                &[UNKNOWN],
            ),
            (
                "zfs.csi.openebs.io",
                &[("volblocksize", "4k"), ("fstype", "xfs")],
                &none,
            ),
            ("zfs.csi.openebs.io", &[("volblocksize", "12k")], &[REFUSED]),
            (
                "zfs.csi.openebs.io",
                &[("fstype", "zfs"), ("recordsize", "128k")],
                &none,
            ),
            ("zfs.csi.openebs.io", &[("fstype", "ext4")], &[UNKNOWN]),
            (
                "rook-ceph.rbd.csi.ceph.com",
                &[
                    ("mkfsOptions", "-d su=64k,sw=1"),
                    ("csi.storage.k8s.io/fstype", "xfs"),
                ],
                &none,
            ),
            (
                "rbd.csi.ceph.com",
                &[
                    ("mkfsOptions", "-d su=96k,sw=1"),
                    ("csi.storage.k8s.io/fstype", "xfs"),
                ],
                &[OFF],
            ),
            ("rbd.csi.ceph.com", &[("stripeUnit", "4096")], &[REFUSED]),
            (
                "rbd.csi.ceph.com",
                &[("stripeUnit", "2048"), ("stripeCount", "8")],
                &[OFF],
            ),
            (
                "rbd.csi.ceph.com",
                &[
                    ("objectSize", "3145728"),
                    ("stripeUnit", "4096"),
                    ("stripeCount", "8"),
                ],
                &[REFUSED],
            ),
            ("ebs.csi.aws.com", &[("blockSize", "4096")], &none),
            (
                "disk.csi.azure.com",
                &[("skuName", "PremiumV2_LRS"), ("mkfsOptions", "-b 1024")],
                &[REFUSED],
            ),
            (
                "disk.csi.azure.com",
                &[("skuName", "UltraSSD_LRS"), ("LogicalSectorSize", "512")],
                &none,
            ),
            (
                "disk.csi.azure.com",
                &[("skuName", "Premium_LRS"), ("logicalSectorSize", "4096")],
                &[REFUSED],
            ),
            ("pd.csi.storage.gke.io", &[], &none),
            ("org.democratic-csi.iscsi", &[], &[UNKNOWN]),
        ] {
            assert_eq!(
                rules_of(driver, parameters),
                rules,
                "{driver} {parameters:?}"
            );
        }
    }

    #[test]
    fn a_node_with_large_sectors_decides_for_longhorn_v2() {
        let v2 = class("driver.longhorn.io", &[("dataEngine", "v2")]);
        let node = |sector: u32| {
            format!(
                r#"{{"blockdevices": [{{"name": "bcache3", "type": "disk", "size": 1000204886016, "log-sec": {sector}, "phy-sec": 4096}}]}}"#
            )
        };
        assert_eq!(said(&[&v2, &node(4096)])[0].1, [REFUSED]);
        assert_eq!(said(&[&node(512), &v2])[0].1, [""; 0]);
    }

    #[test]
    fn lists_volumes_and_json_are_read() {
        let list = r#"{"kind": "List", "items": [{"kind": "PersistentVolume", "metadata": {"name": "pv1"},
            "spec": {"csi": {"driver": "zfs.csi.openebs.io", "fsType": "xfs", "volumeAttributes": {"volblocksize": "12k"}}}},
            {"kind": "Secret", "metadata": {"name": "s"}}]}"#;
        assert_eq!(
            said(&[list]),
            [("persistentvolume/pv1".to_owned(), vec![REFUSED])]
        );
        let two = format!(
            "{}---\n{}",
            class("pd.csi.storage.gke.io", &[]),
            class("x.example", &[])
        );
        assert_eq!(said(&[&two]).len(), 2);
    }
}
