//! The facts of lsblk about one device, in any of its output forms.
//!
//! START and the limits of the queue are as sysfs has them: START in 512-byte units on every disk
//! (util-linux `misc-utils/lsblk.c`), limits in bytes. Keys are the same in all forms but for case
//! and for `_` in place of `-` (2.37 with `-P`, later with `--shell`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ioalign_core::layer::Kind;
use ioalign_core::{ArrayLevel, Role, SectorSize};

use super::super::{Number, Said, TextEvidence};
use super::{names, roles, sizes};
use crate::filesystems::FileSystem;
use crate::host::DevNo;
use crate::host::hints::{Claims, Transport, Zoned};

/// One device: its columns, keys in upper case with hyphens, and its depth in the tree.
#[derive(Default)]
pub(super) struct LsblkNode {
    /// Empty values are left out.
    pub(super) fields: BTreeMap<String, String>,
    /// 0 for a root.
    pub(super) depth: usize,
    /// Keys that were there, with a value or not.
    pub(super) keys: BTreeSet<String>,
}

/// Members of an array that are kept.
const MOST_PARENTS: usize = 1024;

/// File systems by the name that libblkid gives them.
const FILE_SYSTEMS: &[&str] = &[
    "ext2", "ext3", "ext4", "xfs", "btrfs", "ntfs", "exfat", "swap", "f2fs", "ufs", "iso9660",
    "squashfs", "erofs", "hfsplus", "apfs", "jfs", "udf", "bcachefs", "nilfs2", "refs",
];

impl LsblkNode {
    /// Adds a column.
    pub(super) fn insert(&mut self, key: &str, value: &str) {
        let key = key.to_ascii_uppercase().replace('_', "-");
        if !value.is_empty() {
            self.fields.insert(key.clone(), value.to_owned());
        }
        self.keys.insert(key);
    }

    /// Whether this column was there, empty or not.
    pub(super) fn seen(&self, key: &str) -> bool {
        self.keys
            .contains(&key.to_ascii_uppercase().replace('_', "-"))
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.fields.get(key).map(String::as_str)
    }

    fn number(&self, key: &str) -> Option<u64> {
        sizes::whole(self.get(key)?.trim())
    }

    /// Whether a row can be one of a device: a table runs on into the prompt and the output of the next command.
    pub(super) fn is_device(&self) -> bool {
        let odd = |name: &str| {
            name.contains(['@', '#', '$', '%', '>', '=', '(', ',']) || name.ends_with(':')
        };
        let named = ["NAME", "KNAME", "PATH"]
            .iter()
            .filter_map(|key| self.get(key));
        let mut named = named.peekable();
        let plain = named.peek().is_some() && !named.any(odd);
        let number = self
            .get("MAJ:MIN")
            .is_none_or(|number| DevNo::parse(number).is_some());
        let kind = self
            .get("TYPE")
            .is_none_or(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let size = self
            .get("SIZE")
            .is_none_or(|size| size.starts_with(|c: char| c.is_ascii_digit()));
        let alone = self.depth == 0 && self.get("MAJ:MIN").is_none() && self.get("TYPE").is_none();
        let known = || {
            self.get("NAME")
                .is_some_and(|name| names::kind(name.trim_start_matches("/dev/")).is_some())
        };
        plain && number && kind && size && (!alone || known() || self.fields.len() > 2)
    }

    fn is_type(&self, kind: &str) -> bool {
        self.get("TYPE") == Some(kind)
    }

    /// The name without `/dev/`; device-mapper devices by their mapped name.
    fn name(&self) -> Option<String> {
        let name = self.get("NAME").or_else(|| self.get("KNAME"));
        let name = match (name, self.get("PATH")) {
            (Some(name), _) => name,
            (None, path) => path?,
        };
        let name = name.trim_start_matches("/dev/");
        let mapped = match (self.get("KNAME"), self.get("TYPE")) {
            (Some(kernel), _) => kernel.trim_start_matches("/dev/").starts_with("dm-"),
            (None, Some("lvm" | "crypt" | "mpath" | "dm")) => true,
            (None, _) => self.depth > 0 && names::kind(name).is_none(),
        };
        let bare = !name.starts_with("mapper/") && !name.starts_with("dm-");
        Some(if mapped && bare {
            format!("mapper/{name}")
        } else {
            name.to_owned()
        })
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        match self.get("TYPE") {
            Some("disk") => names::kind(name)
                .filter(|kind| *kind == Kind::Bcache)
                .or(Some(Kind::Disk)),
            Some("loop" | "rom") => Some(Kind::Disk),
            Some("part") => Some(Kind::Partition),
            Some("lvm") => Some(Kind::LvmLv),
            Some("crypt") => Some(Kind::Crypt),
            Some("mpath" | "dm") => Some(Kind::Volume),
            Some(raid) if raid.starts_with("raid") || raid == "md" => Some(Kind::Md),
            _ => names::kind(name),
        }
    }

    fn transport(&self, name: &str) -> Transport {
        match self.get("TRAN") {
            Some("usb") => Transport::Usb,
            Some("nvme") => Transport::Nvme,
            Some("virtio") => Transport::Virtio,
            Some("sata" | "sas" | "ata" | "iscsi" | "fc" | "spi") => Transport::Scsi,
            Some("mmc") => Transport::Mmc,
            _ => names::transport(name),
        }
    }

    /// The limits of the queue; `None` where no column shows any.
    fn claims(&self, name: &str) -> Option<Claims> {
        let shown = ["LOG-SEC", "PHY-SEC", "MIN-IO", "OPT-IO", "ALIGNMENT"];
        shown.iter().find_map(|key| self.get(key))?;
        let zoned = match self.get("ZONED") {
            Some("host-managed") => Zoned::HostManaged,
            Some("host-aware") => Zoned::HostAware,
            _ => Zoned::None,
        };
        let zone = self.get("ZONE-SZ").and_then(sizes::binary);
        let text = |key| self.get(key).unwrap_or_default().trim().to_owned();
        Some(Claims {
            logical: self.number("LOG-SEC"),
            physical: self.number("PHY-SEC"),
            minimum: self.number("MIN-IO"),
            optimal: self.number("OPT-IO"),
            chunk: zone
                .filter(|_| zoned != Zoned::None)
                .filter(round)
                .map(|size| middle(&size)),
            zoned,
            alignment_offset: self.alignment().unwrap_or(0),
            rotational: self.get("ROTA").map(|rota| matches!(rota, "1" | "true")),
            vendor: text("VENDOR"),
            model: text("MODEL"),
            transport: self.transport(name),
            ..Claims::default()
        })
    }

    fn alignment(&self) -> Option<i64> {
        self.get("ALIGNMENT")?.trim().parse().ok()
    }

    /// Fills in what the columns say.
    fn tell(&self, said: &mut Said) {
        let name = said.name.clone();
        said.kind = self.kind(&name);
        said.start = self
            .number("START")
            .and_then(|start| Number::sectors(start, SectorSize::S512));
        said.size = self.get("SIZE").and_then(sizes::binary);
        said.sector = self.number("LOG-SEC").and_then(super::sector);
        said.alignment_offset = self.alignment();
        said.devno = self.get("MAJ:MIN").and_then(DevNo::parse);
        said.table = self
            .get("PTTYPE")
            .filter(|_| said.kind != Some(Kind::Partition))
            .and_then(roles::table);
        said.mounted = self
            .get("MOUNTPOINT")
            .or_else(|| self.get("MOUNTPOINTS"))
            .map(str::to_owned);
        if said.kind == Some(Kind::Partition) {
            self.tell_partition(&name, said);
        } else {
            said.claims = self.claims(&name);
        }
        self.tell_content(said);
    }

    fn tell_partition(&self, name: &str, said: &mut Said) {
        said.number = names::split(name).map(|(_, number)| number);
        said.type_id = self.get("PARTTYPE").map(str::to_owned);
        said.role = said.type_id.as_deref().and_then(roles::of);
        // The kernel gives an extended partition two sectors, so that nobody writes over the tables in it.
        if matches!(self.get("SIZE"), Some("1K" | "1024")) {
            said.role.get_or_insert(Role::Extended);
            said.size = None;
        }
    }

    fn tell_content(&self, said: &mut Said) {
        for (key, fact) in [("FSTYPE", "fstype"), ("TRAN", "transport")] {
            said.facts
                .extend(self.get(key).map(|value| (fact, value.trim().to_owned())));
        }
        said.model = self.get("MODEL").map(|model| model.trim().to_owned());
        let level = self.get("TYPE").filter(|kind| kind.starts_with("raid"));
        said.level = level.map(ArrayLevel::new);
        let Some(kind) = self.get("FSTYPE") else {
            return;
        };
        if kind == "swap" && said.role.is_none_or(|role| role == Role::Data) {
            said.role = Some(Role::Swap);
        }
        let known = FILE_SYSTEMS.iter().find(|known| **known == kind);
        let known = known.copied().or((kind == "vfat").then_some("fat"));
        said.filesystem = known.map(|kind| FileSystem {
            kind,
            label: self.get("LABEL").unwrap_or_default().to_owned(),
            uuid: self.get("UUID").unwrap_or_default().to_owned(),
            ..FileSystem::default()
        });
    }
}

/// Whether a rounded size can only be one power of two: zones are.
fn round(size: &Number) -> bool {
    let least = size.low.checked_next_power_of_two();
    least.is_some_and(|power| power <= size.high) && size.low != 0
}

/// The power of two in the interval.
fn middle(size: &Number) -> u64 {
    size.low.checked_next_power_of_two().unwrap_or(size.low)
}

/// Adds what the nodes of one listing say, in the order of the tree.
pub(super) fn tell(nodes: &[LsblkNode], evidence: &mut TextEvidence) {
    let parents = parents(nodes);
    let kernel: HashMap<&str, &LsblkNode> = nodes
        .iter()
        .filter_map(|node| Some((node.kernel()?, node)))
        .collect();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (node, parents) in nodes.iter().zip(&parents) {
        let Some(name) = node.name() else {
            continue;
        };
        let place = *places.entry(name.clone()).or_insert_with(|| {
            node.tell(evidence.device(&name));
            evidence.devices.len() - 1
        });
        let mut found = node.named_parent(&kernel);
        if found.is_empty() {
            let tree = parents.iter().filter_map(|index| nodes.get(*index)?.name());
            found.extend(tree);
        }
        if found.is_empty() && node.is_type("part") {
            found.extend(names::split(&name).map(|(disk, _)| disk.to_owned()));
        }
        if let Some(said) = evidence.devices.get_mut(place) {
            found.retain(|parent| *parent != said.name && !said.parents.contains(parent));
            if said.parents.len() < MOST_PARENTS {
                said.parents.extend(found);
            }
        }
    }
}

impl LsblkNode {
    fn kernel(&self) -> Option<&str> {
        let own = self.get("KNAME").or_else(|| self.get("NAME"))?;
        Some(own.trim_start_matches("/dev/"))
    }

    /// The parent by its kernel name, under the name that this listing gives it.
    fn named_parent(&self, kernel: &HashMap<&str, &Self>) -> Vec<String> {
        let Some(parent) = self.get("PKNAME") else {
            return Vec::new();
        };
        let parent = parent.trim_start_matches("/dev/");
        let listed = kernel.get(parent).and_then(|node| node.name());
        vec![listed.unwrap_or_else(|| parent.to_owned())]
    }
}

/// For each node those that it lies on, by the tree.
fn parents(nodes: &[LsblkNode]) -> Vec<Vec<usize>> {
    let mut path: Vec<usize> = Vec::new();
    let mut branches = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        path.truncate(node.depth);
        branches.extend(path.last().map(|outer| (*outer, index)));
        path.push(index);
    }
    let inverse = branches.iter().any(|branch| is_inverse(nodes, *branch));
    let mut found = vec![Vec::new(); nodes.len()];
    for (outer, inner) in branches {
        let (upper, lower) = if inverse {
            (outer, inner)
        } else {
            (inner, outer)
        };
        if let Some(parents) = found.get_mut(upper) {
            parents.push(lower);
        }
    }
    found
}

/// Whether a branch leads down, as `lsblk --inverse` prints it: a disk hangs below its partition.
fn is_inverse(nodes: &[LsblkNode], (outer, inner): (usize, usize)) -> bool {
    let name = |index: usize| nodes.get(index).and_then(LsblkNode::name);
    match (name(outer), name(inner)) {
        (Some(outer), Some(inner)) => names::split(&outer).is_some_and(|(disk, _)| disk == inner),
        _ => false,
    }
}
