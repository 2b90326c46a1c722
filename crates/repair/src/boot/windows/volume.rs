//! As much of NTFS as finding one file takes: records of the MFT, folders by their index, data by their runs.
//! What is unusual (a compressed file, a list of attributes outside of its record) is not found.

use std::ops::Range;

use super::attributes::{self, Attribute, Run, is_name, places, word};
use super::{folder, sectors};
use crate::boot::survey::Survey;
use crate::tables::{Slot, le32, le64};

const LIST: u32 = 0x20;
const INFORMATION: u32 = 0x70;
const DATA: u32 = 0x80;
const VOLUME_RECORD: u64 = 3;
const ROOT: u64 = 5;

/// An NTFS volume in a partition.
pub struct Volume {
    start: u64,
    bytes: u64,
    /// Bytes of a cluster.
    pub cluster: u64,
    record: usize,
    mft: Vec<Run>,
}

/// A file whose data lie in clusters of their own.
pub struct File {
    /// Its bytes on the disk, in order.
    pub places: Vec<Range<u64>>,
}

/// Where a file is, in a record: its number, and how often that record was used.
pub type Reference = u64;

impl Volume {
    /// The volume in a partition, `None` where there is none.
    pub fn open(survey: &mut Survey<'_>, slot: &Slot) -> Option<Self> {
        let boot = survey.sector(slot.start)?;
        let sector = u64::try_from(word(&boot, 0x0b)).ok()?;
        let sound = boot.get(3..11) == Some(b"NTFS    ") && sector.is_power_of_two();
        let sectors = match boot.get(0x0d).copied()? {
            count @ 1..=128 if sound => u64::from(count),
            power @ 240..=249 if sound => 1 << (256 - u32::from(power)),
            _ => return None,
        };
        let cluster = sector * sectors;
        let record = match boot.get(0x40).copied()? {
            count @ 1..=64 => usize::try_from(cluster * u64::from(count)).ok()?,
            power @ 0xf0..=0xf7 => 1 << (256 - u32::from(power)),
            _ => return None,
        };
        let first = Run {
            first: Some(le64(&boot, 0x30)),
            count: 16,
        };
        let mut volume = Self {
            start: slot.start,
            bytes: slot.size,
            cluster,
            record,
            mft: vec![first],
        };
        // Its own list can be in records further on, which the first part of it leads to.
        for _ in 0..2 {
            let own = volume.record(survey, 0)?;
            volume.mft = volume.runs(survey, &own, DATA, "").or_else(|| {
                let data = attributes::all(&own).into_iter();
                let mut data = data.filter(|one| one.is(DATA, ""));
                data.next()?.runs()
            })?;
        }
        Some(volume)
    }

    /// Whether it was not shut down, and its log has still to be gone through.
    pub fn is_dirty(&self, survey: &mut Survey<'_>) -> Option<bool> {
        let record = self.record(survey, VOLUME_RECORD)?;
        let all = attributes::all(&record);
        let information = all.iter().find(|one| one.is(INFORMATION, ""))?;
        Some(word(information.value()?, 10) & 1 != 0)
    }

    /// A file by its path, whatever the case.
    pub fn file(&self, survey: &mut Survey<'_>, path: &[&str]) -> Option<File> {
        let mut record = self.record(survey, ROOT)?;
        for name in path {
            let reference = folder::entry(self, survey, &record, name)?;
            record = self.referred(survey, reference)?;
        }
        let all = attributes::all(&record);
        let special = |one: &Attribute<'_>| one.is(DATA, "") && one.is_special();
        if all.iter().any(special) {
            return None;
        }
        let runs = self.runs(survey, &record, DATA, "")?;
        let bytes = self.written(survey, &record)?;
        Some(File {
            places: self.on_disk(&runs, &(0..bytes))?,
        })
    }

    fn written(&self, survey: &mut Survey<'_>, record: &[u8]) -> Option<u64> {
        let parts = self.parts(survey, record, DATA, "")?;
        let first = attributes::all(parts.first()?).into_iter();
        let mut first = first.filter(|one| one.is(DATA, "") && one.first() == 0);
        Some(first.next()?.written_bytes())
    }

    /// Clusters as bytes of the disk; `None` where they leave the partition.
    fn on_disk(&self, runs: &[Run], value: &Range<u64>) -> Option<Vec<Range<u64>>> {
        let inside = places(runs, self.cluster, value)?;
        let on_disk = inside.into_iter().map(|place| {
            let end = self.start.checked_add(place.end)?;
            (place.end <= self.bytes).then_some(self.start + place.start..end)
        });
        on_disk.collect()
    }

    /// Bytes of a value; at most what a survey reads at once.
    pub fn bytes(
        &self,
        survey: &mut Survey<'_>,
        runs: &[Run],
        value: &Range<u64>,
    ) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for place in self.on_disk(runs, value)? {
            let len = usize::try_from(place.end - place.start).ok()?;
            out.extend(survey.read(place.start, len)?);
        }
        Some(out)
    }

    /// A record by number.
    fn record(&self, survey: &mut Survey<'_>, number: u64) -> Option<Vec<u8>> {
        let size = u64::try_from(self.record).ok()?;
        let start = number.checked_mul(size)?;
        let mut record = self.bytes(survey, &self.mft, &(start..start.checked_add(size)?))?;
        (record.get(..4) == Some(b"FILE") && sectors::mend(&mut record)).then_some(record)
    }

    /// A record by reference: it has to be in use, and to be the same file still.
    pub fn referred(&self, survey: &mut Survey<'_>, reference: Reference) -> Option<Vec<u8>> {
        let record = self.record(survey, reference & 0xffff_ffff_ffff)?;
        let same = u64::try_from(word(&record, 0x10)).ok()? == reference >> 48;
        (same && word(&record, 0x16) & 1 != 0).then_some(record)
    }

    /// The records that hold parts of an attribute, in order: this one, or those that its list names.
    pub fn parts(
        &self,
        survey: &mut Survey<'_>,
        record: &[u8],
        kind: u32,
        name: &str,
    ) -> Option<Vec<Vec<u8>>> {
        let all = attributes::all(record);
        let Some(list) = all.iter().find(|one| one.is(LIST, "")) else {
            return Some(vec![record.to_vec()]);
        };
        let mut out: Vec<Vec<u8>> = Vec::new();
        let mut rest = list.value()?;
        let mut last = None;
        while rest.len() >= 0x1a {
            let len = word(rest, 4);
            let named = is_name(
                rest,
                usize::from(*rest.get(7)?),
                usize::from(*rest.get(6)?),
                name,
            );
            let reference = le64(rest, 0x10);
            if le32(rest, 0) == kind && named && last != Some(reference) {
                out.push(self.referred(survey, reference)?);
                last = Some(reference);
            }
            rest = rest.get(len..).filter(|_| len >= 0x1a)?;
        }
        Some(out)
    }

    /// The runs of an attribute.
    pub fn runs(
        &self,
        survey: &mut Survey<'_>,
        record: &[u8],
        kind: u32,
        name: &str,
    ) -> Option<Vec<Run>> {
        let mut out = Vec::new();
        let mut next = 0;
        for part in self.parts(survey, record, kind, name)? {
            for one in attributes::all(&part)
                .iter()
                .filter(|one| one.is(kind, name))
            {
                let runs = one.runs()?;
                if one.first() != next {
                    return None;
                }
                next = runs
                    .iter()
                    .try_fold(next, |sum, run| sum.checked_add(run.count))?;
                out.extend(runs);
            }
        }
        (!out.is_empty()).then_some(out)
    }
}
