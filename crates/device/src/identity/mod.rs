//! The identity of a target, independent of its present name.
//!
//! A name says little: `sdb` is `sdc` after a reboot, a file has many names, and a loop device is what lies below
//! it. So a target is what the kernel knows it by: a file by its inode, the moment at which that was made and the id
//! of its file system; a disk by the numbers that its maker, or the layer that made it, gave it. A copy has another
//! inode, or another disk below it.

mod device;
mod fields;
mod file;

use std::fmt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::loops::{self, MOST_DEEP};
use crate::{Error, Result};
use device::DeviceIdentity;
use fields::IdentityFields;
use file::FileIdentity;

/// The first word of an identity as text.
const FORMAT: &str = "ioalign-target/1";

/// The target itself: a file or a device, or the part of one that a loop device shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetIdentity {
    ground: IdentityKind,
    /// The start of the target in it.
    start: u64,
    /// Its length; 0: up to the end.
    limit: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum IdentityKind {
    File(FileIdentity),
    Device(DeviceIdentity),
}

/// The comparison of two identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// They are one.
    Same,
    /// They are two: one may be a copy of the other.
    Different,
    /// That cannot be known, and why.
    Unknown(String),
}

impl TargetIdentity {
    /// That of the file or block device at `path`.
    pub fn new(path: &Path) -> Result<Self> {
        let failed = |error| Error::io("cannot be looked at", error).of_target(path);
        let mut found = path.metadata().map_err(failed)?;
        let mut path = path.to_owned();
        let (mut start, mut limit) = (0u64, 0u64);
        for _ in 0..MOST_DEEP {
            if !found.file_type().is_block_device() {
                break;
            }
            let Some(backing) = loops::backing(found.rdev()) else {
                break;
            };
            limit = shorter(limit, backing.limit, start);
            start = start.saturating_add(backing.start);
            if !backing.is_reachable() {
                let ground = FileIdentity::unseen(backing.device, backing.inode);
                let ground = IdentityKind::File(ground);
                return Ok(Self {
                    ground,
                    start,
                    limit,
                });
            }
            path = backing.path;
            found = path.metadata().map_err(failed)?;
        }
        let ground = if found.file_type().is_block_device() {
            IdentityKind::Device(DeviceIdentity::new(found.rdev()))
        } else {
            IdentityKind::File(FileIdentity::new(&path, &found))
        };
        Ok(Self {
            ground,
            start,
            limit,
        })
    }

    /// One that was written down by [`fmt::Display`]; `None`: by another program, or a newer one.
    pub fn parse(text: &str) -> Option<Self> {
        let fields = IdentityFields::parse(text.strip_prefix(FORMAT)?)?;
        let ground = match fields.text("kind")? {
            "file" => IdentityKind::File(FileIdentity::read(&fields)?),
            "device" => IdentityKind::Device(DeviceIdentity::read(&fields)),
            _ => return None,
        };
        Some(Self {
            ground,
            start: fields.number("start").unwrap_or(0),
            limit: fields.number("limit").unwrap_or(0),
        })
    }

    /// Whether both are one target. A journal of one may then be used on the other.
    pub fn matches(&self, other: &Self) -> Sameness {
        if (self.start, self.limit) != (other.start, other.limit) {
            return Sameness::Different;
        }
        match (&self.ground, &other.ground) {
            (IdentityKind::File(one), IdentityKind::File(other)) => one.matches(other),
            (IdentityKind::Device(one), IdentityKind::Device(other)) => one.matches(other),
            _ => Sameness::Different,
        }
    }

    /// A name for files about this target, which it has for as long as it lives.
    pub fn file_name(&self) -> String {
        let mut name = match &self.ground {
            IdentityKind::File(file) => file.file_name(),
            IdentityKind::Device(device) => device.file_name(),
        };
        if (self.start, self.limit) != (0, 0) {
            name.push_str(&format!("-{}-{}", self.start, self.limit));
        }
        name
    }
}

impl fmt::Display for TargetIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = IdentityFields::default();
        match &self.ground {
            IdentityKind::File(file) => {
                fields.push("kind", "file");
                file.write(&mut fields);
            }
            IdentityKind::Device(device) => {
                fields.push("kind", "device");
                device.write(&mut fields);
            }
        }
        if (self.start, self.limit) != (0, 0) {
            fields.push("start", &self.start.to_string());
            fields.push("limit", &self.limit.to_string());
        }
        write!(f, "{FORMAT}{fields}")
    }
}

/// The end of a stretch that begins `start` bytes into one of `below` bytes; 0: none.
const fn shorter(limit: u64, below: u64, start: u64) -> u64 {
    let room = below.saturating_sub(start);
    match (limit, below) {
        (_, 0) => limit,
        (0, _) => room,
        _ if limit < room => limit,
        _ => room,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn identity(path: &Path) -> TargetIdentity {
        let one = TargetIdentity::new(path).unwrap();
        let written = one.to_string();
        assert_eq!(
            TargetIdentity::parse(&written).as_ref(),
            Some(&one),
            "{written}"
        );
        one
    }

    #[test]
    fn names_do_not_matter_and_copies_do() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("disk"), "x").unwrap();
        let original = identity(&at("disk"));
        fs::copy(at("disk"), at("copy")).unwrap();
        fs::hard_link(at("disk"), at("hard")).unwrap();
        std::os::unix::fs::symlink("disk", at("soft")).unwrap();
        assert_eq!(original.matches(&identity(&at("hard"))), Sameness::Same);
        assert_eq!(original.matches(&identity(&at("soft"))), Sameness::Same);
        assert_eq!(
            original.matches(&identity(&at("copy"))),
            Sameness::Different
        );
        fs::rename(at("disk"), at("renamed")).unwrap();
        assert_eq!(original.matches(&identity(&at("renamed"))), Sameness::Same);
        assert_eq!(original.file_name(), identity(&at("renamed")).file_name());
        assert_ne!(original.file_name(), identity(&at("copy")).file_name());
    }

    #[test]
    fn another_number_of_the_file_system_is_no_other_file() {
        let text = |device: &str, fs: &str, born: &str| {
            let text = format!("{FORMAT} kind=file inode=12 born={born} fs={fs} device={device}");
            TargetIdentity::parse(&text).unwrap()
        };
        let one = text("8:1", "uuid:aa", "5.7");
        assert_eq!(one.matches(&text("8:17", "uuid:aa", "5.7")), Sameness::Same);
        assert_eq!(
            one.matches(&text("8:1", "uuid:bb", "5.7")),
            Sameness::Different
        );
        assert_eq!(
            one.matches(&text("8:1", "uuid:aa", "5.8")),
            Sameness::Different
        );
        let bare = text("8:17", "", "5.7");
        assert!(matches!(one.matches(&bare), Sameness::Unknown(_)));
    }

    #[test]
    fn disks_are_known_by_their_makers_numbers() {
        let text = |names: &str, rest: &str| {
            let text = format!("{FORMAT} kind=device names={names} size=100 {rest}");
            TargetIdentity::parse(&text).unwrap()
        };
        let one = text("wwid:a,serial:b", "boot=1 number=8:16 port=/a");
        assert_eq!(
            one.matches(&text("wwid:a,serial:b", "boot=2 number=8:32 port=/b")),
            Sameness::Same
        );
        assert_eq!(
            one.matches(&text("wwid:c,serial:d", "boot=1 number=8:16 port=/a")),
            Sameness::Different
        );
        let bare = text("", "boot=1 number=8:16 sequence=4 port=/a");
        assert_eq!(
            bare.matches(&text("", "boot=1 number=8:16 sequence=4 port=/a")),
            Sameness::Same
        );
        let later = bare.matches(&text("", "boot=2 number=8:16 sequence=4 port=/b"));
        assert!(matches!(later, Sameness::Unknown(_)), "{later:?}");
        assert_eq!(
            bare.matches(&text("", "boot=2 number=8:32 sequence=9 port=/a")),
            Sameness::Same
        );
    }

    #[test]
    fn stretches_are_told_apart() {
        assert_eq!(shorter(0, 0, 5), 0);
        assert_eq!(shorter(0, 100, 5), 95);
        assert_eq!(shorter(10, 100, 5), 10);
        assert_eq!(shorter(99, 100, 5), 95);
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "",
            "ioalign-target/2 kind=file",
            "ioalign-target/1 kind=x",
            "ioalign-target/1",
        ] {
            assert_eq!(TargetIdentity::parse(text), None, "{text}");
        }
    }
}
