//! A live drive whose counters are read.

use std::fs::File;

use ioalign_core::write_counters::{UnitCounter, WriteCounters};

use super::{counters, ioctl};
use crate::host::root::Root;
use crate::host::{node_inside, reason};

/// An NVMe drive that counts what it writes to its media.
#[derive(Debug)]
pub struct CountingDrive {
    name: String,
    device: File,
    page: MediaPage,
}

/// The log page that is read.
#[derive(Copy, Clone, Debug)]
enum MediaPage {
    Ocp,
    /// Of this group.
    Endurance(u16),
}

impl CountingDrive {
    /// The drive with this kernel name, `nvme0n1`; else why its counters cannot be read, in words.
    pub fn open(root: &Root, name: &str) -> Result<Self, String> {
        let inside = node_inside(name);
        let device = root.device(&inside).map_err(|error| reason(&error))?;
        let group = group(root, name, &device);
        let pages = [Some(MediaPage::Ocp), group.map(MediaPage::Endurance)];
        let mut found = pages.into_iter().flatten();
        let page = found.find(|page| matches!(page.read(&device), Ok(Some(_))));
        let page = page.ok_or_else(|| none(&device))?;
        Ok(Self {
            name: name.to_owned(),
            device,
            page,
        })
    }

    /// Its kernel name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The log page that counts, in words.
    pub const fn counter(&self) -> &'static str {
        match self.page {
            MediaPage::Ocp => "OCP log page C0h",
            MediaPage::Endurance(_) => "endurance group log page 09h",
        }
    }

    /// What it has counted by now.
    pub fn read(&self) -> Result<WriteCounters, String> {
        let media = self.page.read(&self.device)?;
        let media = media.ok_or_else(|| format!("the {} counts no longer", self.counter()))?;
        let smart = page(&self.device, counters::SMART, 0).ok();
        Ok(WriteCounters {
            host: smart.and_then(|bytes| counters::smart_written(&bytes)),
            media,
        })
    }
}

impl MediaPage {
    fn read(self, device: &File) -> Result<Option<UnitCounter>, String> {
        Ok(match self {
            Self::Ocp => counters::ocp_media(&page(device, counters::OCP_SMART, 0)?),
            Self::Endurance(group) => {
                counters::endurance_media(&page(device, counters::ENDURANCE_GROUP, group)?)
            }
        })
    }
}

fn page(device: &File, number: u8, specific: u16) -> Result<Vec<u8>, String> {
    ioctl::log_page(device, number, specific)
        .map_err(|error| format!("log page {number:02X}h cannot be read: {error}"))
}

/// The endurance group that its namespace is in.
fn group(root: &Root, name: &str, device: &File) -> Option<u16> {
    let nsid = root.number(&format!("sys/block/{name}/nsid"))?;
    let id_ns = ioctl::namespace(device, u32::try_from(nsid).ok()?).ok()?;
    counters::endurance_group(&id_ns)
}

/// Why no page counts: where not even SMART can be read, that is why.
fn none(device: &File) -> String {
    match page(device, counters::SMART, 0) {
        Err(why) => why,
        Ok(_) => "the drive counts no writes to its media: it has neither the OCP log page C0h nor Media Units Written of an \
                  endurance group"
            .to_owned(),
    }
}
