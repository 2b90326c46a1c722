//! `ovf_fuzz RUNS [SEED]`: damaged packages, as a folder holds them and as an OVA. Nothing may panic or hang; no file may
//! lie outside of its tarball or have a name that leads out; a changed description has to be one, and only what was
//! changed is another. `cargo xtask fuzz --ovf`.

use std::collections::HashSet;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Instant;

use ioalign_inspect::archive::files;
use ioalign_inspect::source::{MemorySource, Source};
use ioalign_repair::ovf::{OvfChange, OvfPackage, SPARSE, manifest};
use ioalign_testkit::Random;
use ioalign_testkit::bundle::{BundleBuilder, BundleMember, seal};

const BLOCK: usize = 512;
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

/// What descriptions and manifests are made of.
const PIECES: [&str; 24] = [
    "<",
    ">",
    "/>",
    "&",
    "&amp;",
    "&#x26;",
    "\"",
    "'",
    "=",
    "(",
    ")",
    "..",
    "/",
    "\\",
    ":",
    "\0",
    "\r\n",
    "é",
    "\u{202e}",
    "byte * 2^",
    "18446744073709551616",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "<File href='d' id='file1'/>",
    "xmlns:ovf='u' ",
];

pub fn main() {
    let (runs, mut random) = Random::of_arguments(100_000);
    let started = Instant::now();
    let (mut described, mut packed) = (0_u64, 0_u64);
    assert!(described_as(DESCRIPTION) && packed_as(&ova(DESCRIPTION, MANIFEST)));
    for _ in 0..runs {
        let text = damaged_text(DESCRIPTION, &mut random);
        let manifest = damaged_text(MANIFEST, &mut random);
        described += u64::from(described_as(&text));
        for entry in manifest::entries(&manifest) {
            let _ = entry.is_of(text.as_bytes()).unwrap();
        }
        let mut bytes = match random.below(2) {
            0 => ova(DESCRIPTION, MANIFEST),
            _ => ova(&text, &manifest),
        };
        damage(&mut bytes, &mut random);
        packed += u64::from(packed_as(&bytes));
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "ovf: {runs} runs in {seconds:.1} s, {described} descriptions and {packed} OVAs read, no panic"
    );
    assert!(
        described * 20 > runs && packed * 20 > runs,
        "too few get behind the first check"
    );
}

/// Whether it is a description; then it is changed, and read again.
fn described_as(text: &str) -> bool {
    let Ok(package) = OvfPackage::read(text.to_owned()) else {
        return false;
    };
    let changes = package.files.iter().map(|file| OvfChange {
        href: file.href.clone(),
        new_href: NEW.to_owned(),
        size_bytes: u64::MAX,
        capacity_bytes: Some(513),
        format: Some(SPARSE),
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
    true
}

/// Whether it is an OVA; then all of its files are read.
fn packed_as(bytes: &[u8]) -> bool {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
    let Ok(Some(files)) = files::files(&source) else {
        return false;
    };
    let mut names = HashSet::new();
    for file in &files {
        assert!(is_below(&file.name) && names.insert(&file.name));
        let (start, len) = file.place;
        let (start, end) = (to_index(start), to_index(start + len));
        let part = file.source(&source, &file.name);
        let mut read = vec![0; to_index(part.len())];
        part.read_at(0, &mut read).unwrap();
        assert!(read == bytes[start..end]);
        if let Ok(text) = String::from_utf8(read) {
            described_as(&text);
            let _ = manifest::entries(&text);
        }
    }
    true
}

fn is_below(name: &Path) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    name.components().next().is_some() && name.components().all(is_plain)
}

fn to_index(value: u64) -> usize {
    usize::try_from(value).unwrap()
}

fn ova(description: &str, manifest: &str) -> Vec<u8> {
    let long = BundleMember {
        flag: b'L',
        ..BundleMember::file("././@LongLink", "x/y.nvram\0")
    };
    let record = BundleMember {
        flag: b'x',
        ..BundleMember::file("PaxHeaders/c", "15 path=c.vmdk\n10 size=9\n")
    };
    BundleBuilder::new("")
        .file("vm.ovf", description)
        .file("vm.mf", manifest)
        .file("a&b.vmdk", vec![7; 700])
        .member(long)
        .file("short", "settings")
        .member(record)
        .file("c", "9 bytes..")
        .tar()
}

fn damaged_text(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = random.pick(&PIECES).bytes();
                drop(bytes.splice(at..at, piece));
            }
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                drop(bytes.splice(to..to, piece));
            }
            4 => {
                // A number elsewhere in the text.
                let digit = bytes.iter().position(u8::is_ascii_digit).unwrap_or(at);
                bytes[digit] = b'0' + u8::try_from(random.below(10)).unwrap();
            }
            _ => bytes.truncate(end.max(1)),
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Damages headers and data; half of the headers have a checksum that holds.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        let block = random.below(bytes.len() / BLOCK) * BLOCK;
        match random.below(8) {
            0 => bytes[block + random.below(BLOCK)] ^= 1 << random.below(8),
            1 => {
                let size = *random.pick(&[0, 1, 511, 512, 0o77777, u64::MAX >> 2]);
                let field = format!("{size:011o}\0");
                bytes[block + 124..block + 136].copy_from_slice(&field.as_bytes()[..12]);
            }
            2 => bytes[block + 124..block + 136].fill(*random.pick(&[0, 0x80, 0xff, b'7'])),
            3 => bytes[block + 156] = *random.pick(b"0123456LKxgSMVD7\0"),
            4 => {
                let name = random.pick(&["..", "/a", "vm.ovf", "./vm.mf", ".", "a/../b", ""]);
                bytes[block..block + 10].fill(0);
                bytes[block..block + name.len()].copy_from_slice(name.as_bytes());
            }
            5 => bytes.truncate((block + random.below(BLOCK)).max(BLOCK)),
            6 => {
                let piece = bytes[block..block + BLOCK].to_vec();
                let to = random.below(bytes.len() / BLOCK) * BLOCK;
                drop(bytes.splice(to..to, piece));
            }
            _ => bytes[block..block + BLOCK].fill(0),
        }
        let header = bytes.get_mut(block..block + BLOCK);
        if random.below(2) == 0
            && let Some(header) = header.and_then(|header| header.first_chunk_mut())
            && header[257..262] == *b"ustar"
        {
            seal(header);
        }
    }
}
