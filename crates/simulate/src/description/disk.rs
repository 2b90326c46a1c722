//! Disks, in a file.

use serde::Deserialize;

use super::words::{nanoseconds, percent, size, within};
use crate::disk::{DiskModel, FlashDisk, SpinningDisk};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpinningFile {
    least_seek: String,
    full_seek: String,
    rpm: u32,
    track: String,
    #[serde(default)]
    fixed: Option<String>,
    #[serde(default)]
    queue: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlashFile {
    channels: u32,
    page: String,
    read: String,
    write: String,
    /// What is mapped as one piece; as a page where nothing is said.
    #[serde(default)]
    unit: Option<String>,
    /// A buffer that keeps writes without power.
    #[serde(default)]
    buffer: Option<String>,
    #[serde(default)]
    buffer_time: Option<String>,
    /// More flash than the disk shows, and how much of what it shows holds data: with them random writes move
    /// what is still valid.
    #[serde(default)]
    spare: Option<String>,
    #[serde(default)]
    filled: Option<String>,
}

impl SpinningFile {
    pub(super) fn model(&self, disk_bytes: u64) -> Result<DiskModel, String> {
        const MINUTE_NS: u64 = 60_000_000_000;
        let track_bytes = size("track", Some(&self.track))?.unwrap_or(0);
        let within = (1..=1_000_000).contains(&self.rpm) && (512..=1 << 30).contains(&track_bytes);
        if !within {
            return Err("hdd: rpm is 1 to 1000000, track 512 to 1G".to_owned());
        }
        Ok(DiskModel::Spinning(SpinningDisk {
            least_seek_ns: nanoseconds(&self.least_seek)?,
            full_seek_ns: nanoseconds(&self.full_seek)?,
            revolution_ns: MINUTE_NS / u64::from(self.rpm),
            track_bytes,
            fixed_ns: self.fixed.as_deref().map_or(Ok(0), nanoseconds)?,
            queue: usize::try_from(self.queue.unwrap_or(1)).unwrap_or(1),
            disk_bytes,
        }))
    }
}

impl FlashFile {
    pub(super) fn model(&self) -> Result<DiskModel, String> {
        let page_bytes = within("ssd.page", &self.page, 512, 1 << 24)?;
        let unit = self.unit.as_deref();
        let unit_bytes = unit.map_or(Ok(page_bytes), |unit| {
            within("ssd.unit", unit, 512, 1 << 26)
        })?;
        if !(1..=64).contains(&self.channels) {
            return Err("ssd.channels is 1 to 64".to_owned());
        }
        if !unit_bytes.is_multiple_of(page_bytes) {
            return Err("ssd.unit is not of whole pages".to_owned());
        }
        let spare = self.spare.as_deref();
        let spare = spare.map(|text| percent("ssd.spare", text)).transpose()?;
        let filled = self.filled.as_deref();
        let filled = filled.map_or(Ok(1.0), |text| percent("ssd.filled", text))?;
        if spare == Some(0.0) || !(0.01..=1.0).contains(&filled) {
            let what = "ssd: some spare flash, and 1% to 100% filled, or nothing can be collected";
            return Err(what.to_owned());
        }
        let mut disk = FlashDisk {
            channels: self.channels,
            page_bytes,
            unit_bytes,
            read_ns: nanoseconds(&self.read)?,
            write_ns: nanoseconds(&self.write)?,
            buffer_bytes: size("ssd.buffer", self.buffer.as_deref())?.unwrap_or(0),
            buffer_ns: self
                .buffer_time
                .as_deref()
                .map_or(Ok(20_000), nanoseconds)?,
            amplification: 1.0,
            spare_ratio: spare,
        };
        disk.fill(filled);
        Ok(DiskModel::Flash(disk))
    }
}
