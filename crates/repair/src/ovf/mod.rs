//! The description of an OVF package: the files that it names, and the same text with other disks.
//!
//! After DSP0243 2.1.1 of the DMTF: `References` lists files (`id`, `href`, `size`, `compression`, `chunkSize`), `DiskSection`
//! disks (`diskId`, `fileRef`, `capacity`, `capacityAllocationUnits`, `format`, `parentRef`). Nothing else of the text is
//! read, and nothing else changes.

mod href;
pub mod manifest;
mod tag;

use std::path::{Component, Path};

use roxmltree::{Document, Node, ParsingOptions};

use crate::{Error, ErrorKind, Result};
use tag::{XmlTag, escaped};

/// Longer than any description.
pub const LONGEST: u64 = 16 << 20;
/// More elements and texts than any description has.
const MOST_NODES: u32 = 1 << 18;
/// The format of a disk that VMware calls `monolithicSparse`, and that of one which is written once.
pub const SPARSE: &str = "http://www.vmware.com/interfaces/specifications/vmdk.html#sparse";

/// A description.
#[derive(Clone, Debug)]
pub struct OvfPackage {
    text: String,
    /// The files that it names.
    pub files: Vec<OvfFile>,
}

/// A file of a package.
#[derive(Clone, Debug)]
pub struct OvfFile {
    tag: XmlTag,
    /// Its name, as a path below the folder of the description.
    pub href: String,
    /// Its name as it is written there.
    written: String,
    /// The disks that lie in it.
    disks: Vec<XmlTag>,
}

/// A file that was written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OvfChange {
    /// The file by its old name.
    pub href: String,
    /// Its new name.
    pub new_href: String,
    /// Its length.
    pub size_bytes: u64,
    /// The size of the disk in it, where that has changed.
    pub capacity_bytes: Option<u64>,
    /// The format of the disk, where that has changed.
    pub format: Option<&'static str>,
    /// Whether the disk was written anew: how much of it is in use is not known then.
    pub is_rewritten: bool,
}

impl OvfPackage {
    /// Reads a description.
    pub fn read(text: String) -> Result<Self> {
        let refused = |what: String| Error::new(ErrorKind::Unsupported, what);
        // No document type, and with it no entities of its own.
        let options = ParsingOptions {
            allow_dtd: false,
            nodes_limit: MOST_NODES,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(&text, options)
            .map_err(|what| refused(format!("is no OVF description: {what}")))?;
        let root = document.root_element();
        if root.tag_name().name() != "Envelope" {
            return Err(refused(
                "is no OVF description: it has no Envelope".to_owned(),
            ));
        }
        let disks: Vec<_> = named(root, "DiskSection", "Disk").collect();
        let mut files = Vec::new();
        for tag in named(root, "References", "File") {
            let written = tag.value("href").unwrap_or_default().to_owned();
            let href = href::decoded(&written);
            if ![&href, &written].into_iter().all(|name| is_below(name)) {
                return Err(refused(format!(
                    "names the file {written:?}, which is no name below its folder"
                )));
            }
            let id = tag.value("id");
            let of_it = |disk: &&XmlTag| id.is_some() && disk.value("fileRef") == id;
            let disks = disks.iter().filter(of_it).cloned().collect();
            files.push(OvfFile {
                tag,
                href,
                written,
                disks,
            });
        }
        Ok(Self { text, files })
    }

    /// The text with these files in place of the old ones.
    pub fn changed(&self, changes: &[OvfChange]) -> String {
        let mut edits = Vec::new();
        for change in changes {
            // Several may name one file.
            for file in self.files.iter().filter(|file| file.href == change.href) {
                file.edits(change, &mut edits);
            }
        }
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.0.start));
        // Files with one id share their disks.
        edits.dedup_by_key(|edit| edit.0.start);
        let mut text = self.text.clone();
        for (place, new) in edits {
            text.replace_range(place, &new);
        }
        text
    }
}

/// Elements of this name in one of the other name.
fn named<'a>(
    root: Node<'a, 'a>,
    parent: &'a str,
    name: &'a str,
) -> impl Iterator<Item = XmlTag> + 'a {
    let is = |node: Node<'_, '_>, name: &str| node.is_element() && node.tag_name().name() == name;
    root.descendants()
        .filter(move |node| is(*node, name) && node.parent().is_some_and(|above| is(above, parent)))
        .map(XmlTag::of)
}

type Edit = (std::ops::Range<usize>, String);

impl OvfFile {
    /// Whether a disk lies in it.
    pub const fn is_disk(&self) -> bool {
        !self.disks.is_empty()
    }

    /// Whether this is its name, as a file has it or as it is written in the description.
    pub fn is_named(&self, name: &str) -> bool {
        self.href == name || self.written == name
    }

    /// Takes its name as it is written, where no file has the name that it stands for.
    pub fn take_literally(&mut self) {
        self.href = self.written.clone();
    }

    /// The least size that is stated for a disk in it.
    pub fn capacity_bytes(&self) -> Option<u64> {
        let stated = |disk: &XmlTag| {
            let unit = disk
                .value("capacityAllocationUnits")
                .map_or(Some(1), unit)?;
            let count: u64 = disk.value("capacity")?.trim().parse().ok()?;
            count.checked_mul(unit)
        };
        self.disks.iter().filter_map(stated).min()
    }

    /// Why its disk cannot be read here, if so.
    pub fn refusal(&self) -> Option<&'static str> {
        let is_plain = |value: &str| value.is_empty() || value == "identity";
        if self.tag.value("chunkSize").is_some() {
            return Some("its package has it in several parts (chunkSize); join them first");
        }
        if !self.tag.value("compression").is_none_or(is_plain) {
            return Some("its package has it compressed as a whole; unpack it first");
        }
        let has_parent = |disk: &XmlTag| disk.value("parentRef").is_some();
        self.disks.iter().any(has_parent).then_some(
            "its package has it as the difference to another disk (parentRef); export it whole",
        )
    }

    fn edits(&self, change: &OvfChange, edits: &mut Vec<Edit>) {
        if change.new_href != self.href {
            let new = match self.href == self.written {
                true => change.new_href.clone(),
                false => href::encoded(&change.new_href),
            };
            set(&self.tag, "href", &new, edits);
        }
        set(&self.tag, "size", &change.size_bytes.to_string(), edits);
        for disk in &self.disks {
            if let Some(format) = change.format {
                set(disk, "format", format, edits);
            }
            if let Some(bytes) = change.capacity_bytes {
                capacity(disk, bytes, edits);
            }
            if let Some(populated) = disk
                .attribute("populatedSize")
                .filter(|_| change.is_rewritten)
            {
                edits.push((populated.whole.clone(), String::new()));
            }
        }
    }
}

/// Replaces the value of an attribute that is there.
fn set(tag: &XmlTag, name: &str, value: &str, edits: &mut Vec<Edit>) {
    if let Some(attribute) = tag.attribute(name) {
        edits.push((attribute.place.clone(), escaped(value)));
    }
}

/// A size in the units of the disk where it is a multiple of them, else in bytes.
fn capacity(disk: &XmlTag, bytes: u64, edits: &mut Vec<Edit>) {
    let stated = disk.value("capacityAllocationUnits");
    let unit = stated.map_or(Some(1), unit);
    if let Some(unit) = unit.filter(|unit| bytes.is_multiple_of(*unit)) {
        return set(disk, "capacity", &(bytes / unit).to_string(), edits);
    }
    set(disk, "capacity", &bytes.to_string(), edits);
    set(disk, "capacityAllocationUnits", "byte", edits);
}

/// The bytes of `byte * 2^30` (DSP0004, annex C), or of a name of version 0.9; `None` for others.
fn unit(text: &str) -> Option<u64> {
    let mut bytes = 1_u64;
    for factor in text.split('*').map(str::trim) {
        let factor = match factor {
            "byte" | "bytes" => 1,
            "KiloBytes" => 1 << 10,
            "MegaBytes" => 1 << 20,
            "GigaBytes" => 1 << 30,
            other => match other.split_once('^') {
                Some((base, power)) => {
                    let base: u64 = base.trim().parse().ok()?;
                    base.checked_pow(power.trim().parse().ok()?)?
                }
                None => other.parse().ok()?,
            },
        };
        bytes = bytes.checked_mul(factor)?;
    }
    (bytes > 0).then_some(bytes)
}

/// Whether a name leads to a file in the folder of the description, and not out of it or over a network.
fn is_below(href: &str) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let parts = Path::new(href).components();
    !href.is_empty()
        && !href.contains(['\0', '\\', '\n', '\r'])
        && !href.contains(':')
        && parts.clone().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"<?xml version="1.0"?>
<ovf:Envelope xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1">
  <ovf:References>
    <ovf:File ovf:id="file1" ovf:href="a&amp;b.vmdk" ovf:size="100"/>
    <ovf:File ovf:id="file2" ovf:href="x.nvram"/>
  </ovf:References>
  <ovf:DiskSection>
    <ovf:Info>Disks</ovf:Info>
    <ovf:Disk ovf:capacity="16" ovf:capacityAllocationUnits="byte * 2^30" ovf:diskId="vmdisk1" ovf:fileRef="file1" ovf:format="http://x#streamOptimized"/>
  </ovf:DiskSection>
</ovf:Envelope>
"##;

    fn change(capacity: u64) -> OvfChange {
        OvfChange {
            href: "a&b.vmdk".to_owned(),
            new_href: "a&b.vhdx".to_owned(),
            size_bytes: 77,
            capacity_bytes: Some(capacity),
            format: Some(SPARSE),
            is_rewritten: true,
        }
    }

    #[test]
    fn only_what_has_changed_is_another_text() {
        let package = OvfPackage::read(TEXT.to_owned()).unwrap();
        let disks: Vec<_> = package.files.iter().map(OvfFile::is_disk).collect();
        assert_eq!(disks, [true, false]);
        let text = package.changed(&[change(17 << 30)]);
        let expected = TEXT
            .replace("a&amp;b.vmdk", "a&amp;b.vhdx")
            .replace("\"100\"", "\"77\"")
            .replace("\"16\"", "\"17\"")
            .replace("http://x#streamOptimized", SPARSE);
        assert_eq!(text, expected);
        assert_eq!(package.changed(&[]), TEXT);
        let odd = package.changed(&[change((16 << 30) + 512)]);
        assert!(odd.contains("ovf:capacity=\"17179869696\" ovf:capacityAllocationUnits=\"byte\""));
    }

    #[test]
    fn a_name_is_a_reference() {
        let text = TEXT.replace("a&amp;b.vmdk", "a&amp;%20b.vmdk");
        let mut package = OvfPackage::read(text.clone()).unwrap();
        assert_eq!(package.files[0].href, "a& b.vmdk");
        let to = |href: &str, new_href: &str| OvfChange {
            href: href.to_owned(),
            new_href: new_href.to_owned(),
            ..change(16 << 30)
        };
        let kept = package.changed(&[to("a& b.vmdk", "a& b.vmdk")]);
        assert!(kept.contains("\"a&amp;%20b.vmdk\""), "{kept}");
        let renamed = package.changed(&[to("a& b.vmdk", "a& b.vhdx")]);
        assert!(renamed.contains("\"a&amp;%20b.vhdx\""), "{renamed}");
        assert!(package.files[0].is_named("a&%20b.vmdk") && package.files[0].is_named("a& b.vmdk"));
        package.files[0].take_literally();
        assert_eq!(package.files[0].href, "a&%20b.vmdk");
        for href in ["..%2fb", "%2Fetc/passwd", "a%00", "a%5cb", "%63:x%3a"] {
            assert!(
                OvfPackage::read(text.replace("a&amp;%20b.vmdk", href)).is_err(),
                "{href}"
            );
        }
    }

    #[test]
    fn a_size_is_read_in_its_units_and_what_is_in_use_is_forgotten() {
        let text = TEXT.replace("ovf:diskId", "ovf:populatedSize=\"7\" ovf:diskId");
        let package = OvfPackage::read(text.clone()).unwrap();
        assert_eq!(package.files[0].capacity_bytes(), Some(16 << 30));
        assert_eq!(package.files[1].capacity_bytes(), None);
        assert!(!package.changed(&[change(16 << 30)]).contains("populated"));
        let copied = OvfChange {
            is_rewritten: false,
            ..change(16 << 30)
        };
        assert!(package.changed(&[copied]).contains("populatedSize=\"7\""));
        for odd in ["${size}", "-1", "99999999999999999999"] {
            let odd = text.replace("\"16\"", &format!("\"{odd}\""));
            assert_eq!(
                OvfPackage::read(odd).unwrap().files[0].capacity_bytes(),
                None
            );
        }
    }

    #[test]
    fn a_disk_of_two_files_is_changed_once() {
        let text = TEXT.replace("file2", "file1");
        let package = OvfPackage::read(text).unwrap();
        let second = OvfChange {
            href: "x.nvram".to_owned(),
            ..change(17 << 30)
        };
        let changed = package.changed(&[change(17 << 30), second]);
        assert_eq!(
            changed.matches("ovf:capacity=\"17\"").count(),
            1,
            "{changed}"
        );
        assert!(OvfPackage::read(changed).is_ok());
    }

    #[test]
    fn a_file_that_is_named_twice_is_changed_twice() {
        let text = TEXT.replace("x.nvram", "a&amp;b.vmdk");
        let package = OvfPackage::read(text).unwrap();
        let changed = package.changed(&[change(17 << 30), change(17 << 30)]);
        let again = OvfPackage::read(changed).unwrap();
        assert!(again.files.iter().all(|file| file.href == "a&b.vhdx"));
    }

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused() {
        for href in [
            "../a.vmdk",
            "/etc/passwd",
            "http://host/a.vmdk",
            "",
            "a/../../b",
            "C:a",
            "a\\b",
        ] {
            let text = TEXT.replace("a&amp;b.vmdk", href);
            assert!(OvfPackage::read(text).is_err(), "{href}");
        }
        for other in [
            "<html/>",
            "<!DOCTYPE a><Envelope/>",
            "<Envelope>",
            "<Envelope x='&evil;'/>",
            "",
            "\0",
        ] {
            assert!(OvfPackage::read(other.to_owned()).is_err(), "{other}");
        }
    }

    #[test]
    fn disks_that_are_no_whole_file_say_why() {
        let with = |attribute: &str, at: &str| {
            let text = TEXT.replace(at, &format!("{attribute} {at}"));
            OvfPackage::read(text).unwrap().files[0].refusal()
        };
        let file = "ovf:id=\"file1\"";
        assert!(with("ovf:chunkSize=\"5\"", file).is_some());
        assert!(with("ovf:compression=\"gzip\"", file).is_some());
        assert_eq!(with("ovf:compression=\"identity\"", file), None);
        assert!(with("ovf:parentRef=\"p\"", "ovf:capacity=").is_some());
    }

    #[test]
    fn units_are_products() {
        for (text, bytes) in [
            ("byte", Some(1)),
            ("byte * 2^20", Some(1 << 20)),
            ("byte*2^10*2", Some(2048)),
            ("MegaBytes", Some(1 << 20)),
            ("bit", None),
            ("byte * 2^99", None),
            ("byte * 0", None),
        ] {
            assert_eq!(unit(text), bytes, "{text}");
        }
    }
}
