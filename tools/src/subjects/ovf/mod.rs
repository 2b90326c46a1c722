//! Packages as a folder holds them and as an OVA: no file lies outside of its tarball or has a name that leads out, and of
//! a changed description only what was changed is another.

mod package;

use std::collections::HashSet;
use std::path::{Component, Path};
use std::sync::Arc;

use ioalign_inspect::archive::files;
use ioalign_inspect::source::{MemorySource, Source};
use ioalign_repair::ovf::{OvfChange, OvfPackage, SPARSE, manifest};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

/// The new name of every file.
const NEW: &str = "a&\"b\"<'.vhdx";
const DESCRIPTION: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment -->
<ovf:Envelope xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1" xmlns="http://schemas.dmtf.org/ovf/envelope/1">
  <ovf:References>
    <ovf:File ovf:id="file1" ovf:href="a&amp;b.vmdk" ovf:size="100"/>
    <File id='file2' href='x/y.nvram' compression="identity"></File>
    <ovf:File ovf:id="file3" ovf:href="c.vmdk" ovf:chunkSize="7" />
  </ovf:References>
  <ovf:DiskSection>
    <ovf:Info>Disks</ovf:Info>
    <ovf:Disk ovf:capacity="16" ovf:capacityAllocationUnits="byte * 2^30" ovf:diskId="d1" ovf:fileRef="file1" ovf:format="http://x#streamOptimized"/>
    <ovf:Disk ovf:capacity="512" ovf:diskId="d2" ovf:fileRef="file3" ovf:parentRef="d1"/>
  </ovf:DiskSection>
  <VirtualSystem ovf:id="vm"><Name>a &#38; <![CDATA[b]]></Name></VirtualSystem>
</ovf:Envelope>
"##;
const MANIFEST: &str =
    "SHA1(vm.ovf)= da39a3ee5e6b4b0d3255bfef95601890afd80709\nSHA2-256 (a&b.vmdk) = 0b\r\n";

/// Descriptions and manifests are made of these, with a bar between two.
const PIECES: &str = "<|>|/>|&|&amp;|&#x26;|\"|'|=|(|)|..|/|\\|:|\0|\r\n|é|\u{202e}|byte * 2^|18446744073709551616|<!DOCTYPE a [<!ENTITY b 'c'>]>|<File href='d' id='file1'/>|xmlns:ovf='u' ";

/// Each digest of a manifest is one pass over all bytes.
const MOST_DIGESTS: usize = 16;
/// One in so many is read.
const LEAST: u64 = 20;

pub fn all() -> Vec<Subject> {
    let of_text = |name, text: &'static str, run: fn(&[u8]) -> Answer| {
        let seed = move || vec![text.as_bytes().to_vec()];
        Subject::of_bytes("ovf", name, seed, damage_text, run).with_least(LEAST)
    };
    let seed = || vec![package::ova(DESCRIPTION, MANIFEST)];
    vec![
        of_text("description", DESCRIPTION, description),
        of_text("manifest", MANIFEST, manifest),
        Subject::of_bytes("ovf", "package", seed, damage_package, package).with_least(LEAST),
    ]
}

fn damage_text(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(3) {
        let at = random.below(bytes.len());
        bytes.splice(at..at, damage::word(PIECES, '|', random).bytes());
    }
    if random.below(2) == 0 {
        damage::any_fields(bytes, 0..=1, random);
    } else {
        damage::text(bytes, random);
    }
}

/// Half of the packages have a damaged description and manifest too.
fn damage_package(bytes: &mut Vec<u8>, random: &mut Random) {
    if random.below(2) == 0 {
        let mut texts = [DESCRIPTION, MANIFEST].map(|text| text.as_bytes().to_vec());
        texts.iter_mut().for_each(|text| damage_text(text, random));
        let [description, manifest] = texts.map(|text| lossy(&text));
        *bytes = package::ova(&description, &manifest);
    }
    package::damage(bytes, random);
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn manifest(bytes: &[u8]) -> Answer {
    let entries = manifest::entries(&lossy(bytes));
    for entry in entries.iter().take(MOST_DIGESTS) {
        let _ = entry.is_of(bytes).unwrap();
    }
    Answer::mine(!entries.is_empty())
}

/// Whether it is a description; then it is changed, and read again.
fn description(bytes: &[u8]) -> Answer {
    let text = lossy(bytes);
    let Ok(package) = OvfPackage::read(text.clone()) else {
        return Answer::NotMine;
    };
    let changes = package.files.iter().map(|file| OvfChange {
        href: file.href.clone(),
        new_href: NEW.to_owned(),
        size_bytes: u64::MAX,
        capacity_bytes: Some(513),
        format: Some(SPARSE),
        is_rewritten: true,
    });
    let changes: Vec<_> = changes.collect();
    assert_eq!(package.changed(&[]), text);
    let again = OvfPackage::read(package.changed(&changes)).unwrap();
    assert_eq!(again.files.len(), package.files.len());
    for (old, new) in package.files.iter().zip(&again.files) {
        assert!(is_below(Path::new(&old.href)));
        assert_eq!((&*new.href, new.is_disk()), (NEW, old.is_disk()));
        assert_eq!(new.refusal(), old.refusal());
    }
    Answer::Mine
}

/// Whether it is an OVA; then all of its files are read.
fn package(bytes: &[u8]) -> Answer {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    let Ok(Some(files)) = files::files(&source) else {
        return Answer::NotMine;
    };
    let mut names = HashSet::new();
    for file in &files {
        assert!(is_below(&file.name) && names.insert(&file.name));
        let (start, len) = file.place;
        let [start, end] = [start, start + len].map(|at| usize::try_from(at).unwrap());
        let part = file.source(&source, &file.name);
        let mut read = vec![0; end - start];
        part.read_at(0, &mut read).unwrap();
        assert!(part.len() == len && read == bytes[start..end]);
        if std::str::from_utf8(&read).is_ok() {
            description(&read);
            let _ = manifest::entries(&lossy(&read));
        }
    }
    Answer::Mine
}

fn is_below(name: &Path) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    name.components().next().is_some() && name.components().all(is_plain)
}
