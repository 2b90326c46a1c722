//! A new image in the new layout, in one pass over the old one, which stays as it is.
//!
//! What moves is read at its source and written at its destination; what stays is copied; what a move has
//! left, and nothing else has taken, is not written and reads as zeros. Tables and boot sectors are put in
//! on the way. Everything is hashed when it is read and compared after it was written.

mod plan;

use std::ops::Range;

use super::store::{is_zero, length};
use crate::mover::disk_check::before_starting;
use crate::mover::reading::read;
use crate::mover::verify::looks_at;
use crate::mover::{Done, Meter, MoverOptions, MoverOutcome, Task, Watch, check, digest};
use crate::overlay::{ByteOrigin, Origins, OverlayView, fill};
use crate::{Disk, Error, ErrorKind, Job, Patch, Result};
use plan::CopyPlan;

/// The grain of what is left out where it is zeros.
const HOLE_BYTES: usize = 64 << 10;
/// What goes out to the medium at once.
const OUT_BYTES: u64 = 32 << 20;

/// Writes the disk of `source` to `to` in the layout of `job`. `to` is new, so that all of it reads as zeros,
/// and at least as large.
pub fn write_new(
    source: &mut dyn Disk,
    job: &Job,
    to: &mut dyn Disk,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    write_new_with(source, job, to, &MoverOptions::default(), watch)
}

/// [`write_new`] with a limit, a choice about places that cannot be read, and how much is read back.
pub fn write_new_with(
    source: &mut dyn Disk,
    job: &Job,
    to: &mut dyn Disk,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let (size, logical) = (source.size_bytes(), source.logical_bytes());
    check(job, size, logical)?;
    if logical != to.logical_bytes() {
        return Err(no_fit((size, logical), to));
    }
    fits((size, logical), to)?;
    before_starting(source, job)?;
    let new = New {
        size,
        origins: &CopyPlan::new(job, size),
        patches: &job.patches,
        moved: job.moved_bytes(),
    };
    copied(source, &new, to, options, watch)
}

/// Writes what a view shows to a new image. That may have other logical blocks than the view is for: an image
/// that does not tell its blocks serves disks with any.
pub fn write_view(
    view: &mut OverlayView<'_>,
    to: &mut dyn Disk,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    fits((view.size_bytes(), view.logical_bytes()), to)?;
    let (source, shown) = view.parts();
    let new = New {
        size: shown.size,
        origins: &shown,
        patches: &[],
        moved: 0,
    };
    copied(source, &new, to, options, watch)
}

/// Whether another image holds what a view shows, and zeros behind it. Both are read, nothing is written.
pub fn holds_view(
    view: &mut OverlayView<'_>,
    there: &mut dyn Disk,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<bool> {
    let size = view.size_bytes();
    if there.size_bytes() < size {
        return Ok(false);
    }
    let whole = there.size_bytes();
    let mut meter = Meter::new(watch, options.limit, Task::Moving, whole);
    let mut wanted = vec![0; length(options.piece).map_err(cannot_compare)?];
    let mut found = wanted.clone();
    for place in pieces(whole, options.piece) {
        let bytes = place.end - place.start;
        let shown = size.saturating_sub(place.start).min(bytes);
        let both_zeros = (shown == 0 || view.zeros_from(place.start) >= shown)
            && there.zeros_from(place.start) >= bytes;
        if !both_zeros {
            let part = length(bytes).map_err(cannot_compare)?;
            let shown = length(shown).map_err(cannot_compare)?;
            let (Some(wanted), Some(found)) = (wanted.get_mut(..part), found.get_mut(..part))
            else {
                return Ok(false);
            };
            wanted.fill(0);
            if let Some(wanted) = wanted.get_mut(..shown) {
                view.read_at(place.start, wanted).map_err(cannot_compare)?;
            }
            there.read_at(place.start, found).map_err(cannot_compare)?;
            if wanted != found {
                return Ok(false);
            }
        }
        meter.moved(bytes)?;
    }
    Ok(true)
}

fn cannot_compare(error: std::io::Error) -> Error {
    Error::io("cannot be read to be compared", error)
}

/// Whether `to` has room, and can be written to the last byte.
fn fits(disk: (u64, u64), to: &dyn Disk) -> Result<()> {
    let (size, _) = disk;
    let whole = size.is_multiple_of(to.logical_bytes().max(1));
    let fits = whole && to.size_bytes() >= size;
    if fits { Ok(()) } else { Err(no_fit(disk, to)) }
}

fn no_fit((size, logical): (u64, u64), to: &dyn Disk) -> Error {
    let what = format!(
        "a disk of {size} bytes in blocks of {logical} does not fit into one of {} in blocks of {}",
        to.size_bytes(),
        to.logical_bytes()
    );
    Error::new(ErrorKind::Unsupported, what)
}

fn cannot_write(error: std::io::Error) -> Error {
    Error::io("the new image cannot be written", error).advise("the original is as it was")
}

/// What is written.
struct New<'a> {
    size: u64,
    /// Where its bytes come from.
    origins: &'a dyn Origins,
    /// What lies over them.
    patches: &'a [Patch],
    /// Bytes of what moves, for the report.
    moved: u64,
}

fn copied(
    source: &mut dyn Disk,
    new: &New<'_>,
    to: &mut dyn Disk,
    options: &MoverOptions,
    watch: &mut Watch<'_>,
) -> Result<Done> {
    let copy = DiskCopy {
        new,
        to,
        meter: Meter::new(watch, options.limit, Task::Moving, new.size),
        options,
        piece: vec![0; length(options.piece).map_err(cannot_write)?],
        hashes: Vec::new(),
        unreadable: Vec::new(),
    };
    copy.run(source)
}

struct DiskCopy<'a> {
    new: &'a New<'a>,
    to: &'a mut dyn Disk,
    meter: Meter<'a>,
    options: &'a MoverOptions,
    piece: Vec<u8>,
    /// Of every piece; `None` where it is zeros.
    hashes: Vec<Option<u128>>,
    unreadable: Vec<Range<u64>>,
}

impl DiskCopy<'_> {
    fn run(mut self, source: &mut dyn Disk) -> Result<Done> {
        let size = self.new.size;
        let mut out = 0;
        for place in pieces(size, self.options.piece) {
            let end = place.end;
            self.one(source, place)?;
            if end - out >= OUT_BYTES {
                self.to.release(out, end - out);
                out = end;
            }
        }
        self.to.flush().map_err(cannot_write)?;
        self.to.release(0, size);
        self.verify(size)?;
        Ok(Done {
            outcome: MoverOutcome::Moved,
            moved_bytes: self.new.moved,
            written_bytes: self.meter.written,
            verified_bytes: self.meter.verified,
            unreadable: self.unreadable,
        })
    }

    fn one(&mut self, source: &mut dyn Disk, place: Range<u64>) -> Result<()> {
        let bytes = place.end - place.start;
        if self.is_hole(source, &place) {
            self.hashes.push(None);
        } else {
            let mut piece = std::mem::take(&mut self.piece);
            let part = piece.get_mut(..length(bytes).map_err(cannot_write)?);
            let done = part.map_or(Ok(()), |part| self.copy(source, &place, part));
            self.piece = piece;
            done?;
        }
        self.meter.moved(bytes).map_err(stopped)
    }

    /// Whether nothing of it has to be read.
    fn is_hole(&self, source: &mut dyn Disk, place: &Range<u64>) -> bool {
        if plan::patches(self.new.patches, place).next().is_some() {
            return false;
        }
        let mut at = place.start;
        while at < place.end {
            let (origin, room) = self.new.origins.origin(at);
            let room = room.min(place.end - at);
            let is_zeros = match origin {
                ByteOrigin::Zeros => true,
                ByteOrigin::Old(from) => source.zeros_from(from) >= room,
                ByteOrigin::Bytes(_) => false,
            };
            if !is_zeros {
                return false;
            }
            at += room;
        }
        true
    }

    fn copy(&mut self, source: &mut dyn Disk, place: &Range<u64>, piece: &mut [u8]) -> Result<()> {
        self.gather(source, place.start, piece)?;
        for patch in plan::patches(self.new.patches, place) {
            plan::lay(patch.at, &patch.after, place.start, piece);
        }
        let zeros = is_zero(piece);
        self.hashes.push((!zeros).then(|| digest::of(piece)));
        if zeros {
            return Ok(());
        }
        self.put(place.start, piece).map_err(cannot_write)
    }

    /// What is to be at `at`, from wherever it is now.
    fn gather(&mut self, source: &mut dyn Disk, at: u64, piece: &mut [u8]) -> Result<()> {
        let (policy, bad) = (self.options.read_errors, &mut self.unreadable);
        fill(self.new.origins, at, piece, |from, part| {
            read(source, from, part, policy, bad)
        })
    }

    /// Writes a piece without its holes.
    fn put(&mut self, at: u64, piece: &[u8]) -> std::io::Result<()> {
        let mut grains = piece.chunks(HOLE_BYTES);
        let mut at = at;
        let mut rest = piece;
        while !rest.is_empty() {
            let zeros = grains.clone().take_while(|grain| is_zero(grain));
            let hole: usize = zeros.map(<[u8]>::len).sum();
            let data = grains.clone().skip(hole.div_ceil(HOLE_BYTES));
            let data: usize = data
                .take_while(|grain| !is_zero(grain))
                .map(<[u8]>::len)
                .sum();
            let (_, behind) = rest.split_at(hole);
            let (now, later) = behind.split_at(data);
            at += hole as u64;
            if !now.is_empty() {
                self.to.write_at(at, now)?;
                self.meter.written += now.len() as u64;
            }
            at += data as u64;
            rest = later;
            grains = rest.chunks(HOLE_BYTES);
        }
        Ok(())
    }

    fn verify(&mut self, size: u64) -> Result<()> {
        let hashes = std::mem::take(&mut self.hashes);
        let count = hashes.len();
        let all = pieces(size, self.options.piece).zip(hashes).enumerate();
        for (index, (place, hash)) in all {
            if !looks_at(self.options.verify, index, count) {
                continue;
            }
            let bytes = place.end - place.start;
            self.meter.verified += bytes;
            if hash.is_none() && self.to.zeros_from(place.start) >= bytes {
                continue;
            }
            let part = length(bytes)
                .ok()
                .and_then(|part| self.piece.get_mut(..part));
            let Some(part) = part else { continue };
            self.to.read_at(place.start, part).map_err(cannot_write)?;
            let there = (!is_zero(part)).then(|| digest::of(part));
            if there != hash {
                return Err(wrong(place.start));
            }
            self.meter.ask().map_err(stopped)?;
        }
        Ok(())
    }
}

fn wrong(at: u64) -> Error {
    let what = format!("the new image does not keep what is written at byte {at} of the disk");
    Error::new(ErrorKind::Device, what).advise("the original is as it was")
}

fn stopped(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Interrupted => Error::new(
            ErrorKind::Interrupted,
            "stopped; the new image is not complete, the original is as it was",
        ),
        _ => error,
    }
}

fn pieces(size: u64, piece: u64) -> impl Iterator<Item = Range<u64>> {
    let piece = piece.max(1);
    (0..size.div_ceil(piece)).map(move |index| {
        let start = index * piece;
        start..start.saturating_add(piece).min(size)
    })
}
