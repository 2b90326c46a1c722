//! libvirt domain XML: the sector sizes that a guest's disk gets (`<blockio>`).
//!
//! Tags are scanned by hand: fragments in tickets are no documents, only attributes of five elements
//! count, and no entity is ever expanded beyond the five of XML.

use ioalign_core::{ImageFormat, Kind};

use super::super::{Text, TextEvidence, TextFormat};
use super::{sector, sizes};
use crate::error::Result;
use crate::host::hints::{Claims, Transport};

/// `virsh dumpxml`.
pub const FORMAT: TextFormat = TextFormat {
    name: "libvirt",
    command: "virsh dumpxml",
    sniff: |text| text.any(|line| line.trim_start().starts_with("<disk ")),
    read,
};

/// A disk of a guest, while its element is open.
#[derive(Default)]
struct LibvirtDisk {
    source: String,
    format: String,
    target: String,
    bus: String,
    logical: Option<u64>,
    physical: Option<u64>,
    stated: bool,
}

fn read(text: &Text, evidence: &mut TextEvidence) -> Result<()> {
    let whole = text.joined();
    let mut rest = whole.as_str();
    let mut domain = String::new();
    let mut disk: Option<LibvirtDisk> = None;
    while let Some((before, after)) = rest.split_once('<') {
        let _ = before;
        let Some((tag, after)) = after.split_once('>') else {
            break;
        };
        rest = after;
        let element = tag.trim_end_matches('/');
        let name = element.split_whitespace().next().unwrap_or_default();
        match name {
            "name" if disk.is_none() => {
                let text = after.split('<').next().unwrap_or_default();
                plain(text).clone_into(&mut domain);
            }
            "disk" => disk = Some(LibvirtDisk::default()),
            "/disk" => disk
                .take()
                .into_iter()
                .for_each(|disk| disk.tell(&domain, evidence)),
            _ => disk.iter_mut().for_each(|disk| disk.take(name, element)),
        }
    }
    Ok(())
}

/// The value of an attribute in either kind of quotes.
fn attribute(tag: &str, key: &str) -> Option<String> {
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('=') {
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, next) = after.get(1..)?.split_once(quote)?;
        if before.split_whitespace().last() == Some(key) {
            return Some(plain(value));
        }
        rest = next;
    }
    None
}

fn plain(text: &str) -> String {
    let text = text.trim().replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}

impl LibvirtDisk {
    fn take(&mut self, name: &str, tag: &str) {
        let get = |key: &str| attribute(tag, key);
        match name {
            "source" if self.source.is_empty() => {
                let place = ["file", "dev", "name", "volume"]
                    .iter()
                    .find_map(|key| get(key));
                self.source = place.unwrap_or_default();
            }
            "driver" if self.format.is_empty() => self.format = get("type").unwrap_or_default(),
            "target" => {
                self.target = get("dev").unwrap_or_default();
                self.bus = get("bus").unwrap_or_default();
            }
            "blockio" => {
                self.stated = true;
                let size = |key: &str| get(key).and_then(|size| sizes::whole(&size));
                self.logical = size("logical_block_size");
                self.physical = size("physical_block_size");
            }
            _ => {}
        }
    }

    /// Adds the disk as the guest sees it: `guest/vda`.
    fn tell(self, domain: &str, evidence: &mut TextEvidence) {
        if self.target.is_empty() {
            return;
        }
        let guest = if domain.is_empty() { "guest" } else { domain };
        let said = evidence.device(&format!("{guest}/{}", self.target));
        said.kind = Some(Kind::Disk);
        said.sector = self.logical.and_then(sector);
        if !self.source.is_empty() {
            said.parents
                .push(self.source.trim_start_matches("/dev/").to_owned());
        }
        let mut known = ImageFormat::ALL.into_iter();
        said.image = known.find(|format| format.name() == self.format);
        if said.image.is_none() && !self.format.is_empty() {
            said.facts.push(("format", self.format));
        }
        said.facts.push(("bus", self.bus.clone()));
        said.claims = self.stated.then(|| Claims {
            logical: self.logical,
            physical: self.physical,
            transport: transport(&self.bus),
            ..Claims::default()
        });
    }
}

fn transport(bus: &str) -> Transport {
    match bus {
        "virtio" => Transport::Virtio,
        "usb" => Transport::Usb,
        "xen" => Transport::Xen,
        "sd" => Transport::Mmc,
        "nvme" => Transport::Nvme,
        "scsi" | "sata" | "ide" => Transport::Scsi,
        _ => Transport::Unknown,
    }
}
