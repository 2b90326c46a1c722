//! RAID 5 and 6, left-symmetric: parity moves back by one disk each stripe, data start behind it.
//!
//! What a write reads first is decided for a *band*: a range of addresses within the elements of a stripe. A
//! controller takes one band for a whole write, from the first byte to the last; md takes each page.

use super::copies::disk_number;
use super::{ArrayGeometry, DiskIo, DiskSteps, PAGE, SmallWrite};

/// A stripe, and where its parity is.
#[derive(Copy, Clone, Debug)]
pub(super) struct StripeRow {
    pub stripe: u64,
    /// The disk of its first parity.
    pub parity: u64,
}

/// The part of a write in one stripe: consecutive data elements, the first from `first`, the last to `last`.
#[derive(Copy, Clone, Debug)]
pub(super) struct StripePiece {
    pub row: StripeRow,
    /// Data elements that are written.
    pub from: u64,
    pub to: u64,
    /// Where the first begins and the last ends.
    pub first: u64,
    pub last: u64,
}

impl StripePiece {
    /// The written range of a data element; an empty one where it is not written.
    pub const fn range(&self, data: u64, element: u64) -> (u64, u64) {
        if data < self.from || data > self.to {
            return (0, 0);
        }
        let low = if data == self.from { self.first } else { 0 };
        let high = if data == self.to { self.last } else { element };
        (low, high)
    }
}

/// A range of addresses in all elements of a stripe.
#[derive(Copy, Clone, Debug)]
pub(super) struct StripeBand {
    pub low: u64,
    pub high: u64,
}

/// How old data become new parity.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ParityWay {
    /// Nothing has to be known: a full stripe, or no parity that works.
    Nothing,
    /// Old data and parity of what is written.
    Modify,
    /// The data that are not written.
    Reconstruct,
    /// Everything that works: what is needed is on a failed disk.
    Rebuild,
}

impl ArrayGeometry {
    pub(super) const fn parities(&self) -> u64 {
        self.disks - self.bearing
    }

    const fn row(&self, stripe: u64) -> StripeRow {
        StripeRow {
            stripe,
            parity: self.disks - 1 - stripe % self.disks,
        }
    }

    /// The disk of a data element; past those, of P and Q. `parity` is where the first parity of the stripe is.
    const fn disk_of(&self, parity: u64, unit: u64) -> u64 {
        let place = if unit < self.bearing {
            parity + self.parities() + unit
        } else {
            parity + unit - self.bearing
        };
        // Less than two rounds.
        if place < self.disks {
            place
        } else {
            place - self.disks
        }
    }

    fn unit_works(&self, parity: u64, unit: u64) -> bool {
        self.works(self.disk_of(parity, unit))
    }

    /// An I/O of a part of a unit.
    #[inline]
    fn unit_io(&self, row: StripeRow, unit: u64, write: bool, (low, high): (u64, u64)) -> DiskIo {
        DiskIo {
            disk: disk_number(self.disk_of(row.parity, unit)),
            write,
            any_copy: false,
            at: row.stripe * self.element + low,
            len: high - low,
        }
    }

    /// A read goes to the disks that hold the data; for one that fails, to as many others as there are data
    /// elements.
    pub(super) fn parity_read(&self, at: u64, len: u64, out: &mut DiskSteps) {
        let from = out.ios.len();
        let (mut at, end) = (at, at + len);
        while at < end {
            let (chunk, low) = self.in_element(at);
            let high = self.element.min(low + end - at);
            let (stripe, data) = (chunk / self.bearing, chunk % self.bearing);
            let row = self.row(stripe);
            if self.unit_works(row.parity, data) {
                out.join(from, self.unit_io(row, data, false, (low, high)));
            } else {
                let page = if self.is_md() { PAGE } else { 1 };
                let part = (low / page * page, high.next_multiple_of(page));
                self.survivors(row, |unit| {
                    out.join(from, self.unit_io(row, unit, false, part));
                });
            }
            at += high - low;
        }
        // One group: the request is complete when all of it was read.
        let reads = out.ios.len() - from;
        out.group(reads, from);
    }

    /// The units from which any other follows.
    fn survivors(&self, row: StripeRow, mut each: impl FnMut(u64)) {
        let working = (0..self.disks).filter(|unit| self.unit_works(row.parity, *unit));
        let enough = usize::try_from(self.bearing).unwrap_or(usize::MAX);
        working.take(enough).for_each(&mut each);
    }

    /// Stripe after stripe, as the owner of the array does it.
    pub(super) fn parity_write(&self, at: u64, len: u64, out: &mut DiskSteps) {
        let (mut at, end) = (at, at + len);
        while at < end {
            let (chunk, first) = self.in_element(at);
            let (stripe, from) = (chunk / self.bearing, chunk % self.bearing);
            let next = (stripe + 1) * self.bearing;
            let stop = end.min(next * self.element);
            let (until, last) = self.in_element(stop - 1);
            let piece = StripePiece {
                row: self.row(stripe),
                from,
                to: from + until - chunk,
                first,
                last: last + 1,
            };
            if self.is_md() {
                self.md_write(&piece, out);
            } else {
                self.controller_write(&piece, out);
            }
            at = stop;
        }
    }

    /// Adds the group of a band: what it reads, and what it then writes. `whole` bands read and write all of
    /// the band where they touch it, others only the bytes that are written or missing.
    pub(super) fn band_group(
        &self,
        piece: &StripePiece,
        band: StripeBand,
        whole: bool,
        out: &mut DiskSteps,
    ) {
        if piece.from == piece.to && self.is_whole() {
            return self.small_write(piece, band, whole, out);
        }
        let from = out.ios.len();
        let way = self.way(piece, band);
        for unit in 0..self.disks {
            if let Some(part) = self.to_read(piece, band, whole, way, unit) {
                out.ios.push(self.unit_io(piece.row, unit, false, part));
            }
        }
        let reads = out.ios.len() - from;
        for unit in 0..self.disks {
            let part = self.written(piece, band, whole, unit);
            if part.0 < part.1 && self.unit_works(piece.row.parity, unit) {
                out.ios.push(self.unit_io(piece.row, unit, true, part));
            }
        }
        out.group(reads, from);
    }

    /// The most frequent write, of one element where all disks work: what [`ArrayGeometry::way`] and
    /// [`ArrayGeometry::to_read`] say of it.
    fn small_write(&self, piece: &StripePiece, band: StripeBand, whole: bool, out: &mut DiskSteps) {
        let from = out.ios.len();
        let row = piece.row;
        let (element, all) = (piece.from, (band.low, band.high));
        let data = self.written(piece, band, whole, element);
        let covers = self.covered(piece, band, element) == BandCover::All;
        let others = self.bearing - u64::from(covers);
        if others > 0 && self.prefers_modify(self.parities() + 1, others) {
            out.ios.push(self.unit_io(row, element, false, data));
            for parity in self.bearing..self.disks {
                out.ios.push(self.unit_io(row, parity, false, all));
            }
        } else {
            for more in u64::from(covers)..self.bearing {
                let unit = element + more;
                let unit = unit.checked_sub(self.bearing).unwrap_or(unit);
                out.ios.push(self.unit_io(row, unit, false, all));
            }
        }
        let reads = out.ios.len() - from;
        out.ios.push(self.unit_io(row, element, true, data));
        for parity in self.bearing..self.disks {
            out.ios.push(self.unit_io(row, parity, true, all));
        }
        out.group(reads, from);
    }

    /// What is written of a unit within the band; parity all of it.
    fn written(&self, piece: &StripePiece, band: StripeBand, whole: bool, unit: u64) -> (u64, u64) {
        if unit >= self.bearing {
            return (band.low, band.high);
        }
        let (low, high) = piece.range(unit, self.element);
        let (low, high) = (low.max(band.low), high.min(band.high));
        if low < high && whole {
            (band.low, band.high)
        } else {
            (low, high)
        }
    }

    /// How far the request itself covers the band of a data element.
    pub(super) const fn covered(
        &self,
        piece: &StripePiece,
        band: StripeBand,
        data: u64,
    ) -> BandCover {
        let (low, high) = piece.range(data, self.element);
        if low <= band.low && high >= band.high {
            BandCover::All
        } else if low < band.high && high > band.low {
            BandCover::Part
        } else {
            BandCover::None
        }
    }

    /// The choice of `handle_stripe_dirtying` in the kernel: the way with fewer reads. Between equals md
    /// reconstructs and controllers modify.
    fn way(&self, piece: &StripePiece, band: StripeBand) -> ParityWay {
        let works = |unit: &u64| self.unit_works(piece.row.parity, *unit);
        let parities = (self.bearing..self.disks).filter(works).count();
        let (mut modify, mut reconstruct) = (parities as u64, 0);
        let (mut can_modify, mut can_reconstruct) = (true, true);
        for data in 0..self.bearing {
            let cover = self.covered(piece, band, data);
            let works = works(&data);
            if cover != BandCover::None {
                modify += 1;
                can_modify &= works;
            }
            if cover != BandCover::All {
                reconstruct += 1;
                can_reconstruct &= works;
            }
        }
        if reconstruct == 0 {
            return ParityWay::Nothing;
        }
        if self.is_md() {
            can_modify &= parities as u64 == self.parities();
        } else if parities == 0 {
            return ParityWay::Nothing;
        }
        let modifies = self.prefers_modify(modify, reconstruct);
        match (can_modify, can_reconstruct) {
            (true, true) if modifies => ParityWay::Modify,
            (_, true) => ParityWay::Reconstruct,
            (true, false) => ParityWay::Modify,
            (false, false) => ParityWay::Rebuild,
        }
    }

    /// Whether old data and parity are read, by the disks that are read from in either way.
    fn prefers_modify(&self, modify: u64, reconstruct: u64) -> bool {
        match self.shape.small_write {
            SmallWrite::Modify => true,
            SmallWrite::Reconstruct => false,
            SmallWrite::Fewest if self.is_md() => modify < reconstruct,
            SmallWrite::Fewest => modify <= reconstruct,
        }
    }

    /// What is read of a unit; `None`: nothing.
    fn to_read(
        &self,
        piece: &StripePiece,
        band: StripeBand,
        whole: bool,
        way: ParityWay,
        unit: u64,
    ) -> Option<(u64, u64)> {
        let all = (band.low, band.high);
        let is_data = unit < self.bearing;
        let cover = if is_data {
            self.covered(piece, band, unit)
        } else {
            BandCover::None
        };
        let wanted = match way {
            ParityWay::Nothing => None,
            ParityWay::Modify if !is_data => Some(all),
            ParityWay::Modify if cover == BandCover::None => None,
            ParityWay::Modify => Some(self.written(piece, band, whole, unit)),
            ParityWay::Reconstruct if !is_data || cover == BandCover::All => None,
            ParityWay::Reconstruct if whole => Some(all),
            ParityWay::Reconstruct => Some(self.missing(piece, band, unit)),
            ParityWay::Rebuild => {
                let mut needed = false;
                self.survivors(piece.row, |one| needed |= one == unit);
                needed.then_some(all)
            }
        };
        wanted.filter(|_| self.unit_works(piece.row.parity, unit))
    }

    /// The part of a data element in the band that is not written: one I/O, also where what is written lies
    /// in its middle.
    fn missing(&self, piece: &StripePiece, band: StripeBand, data: u64) -> (u64, u64) {
        let (low, high) = piece.range(data, self.element);
        if low <= band.low && high > band.low {
            (high, band.high)
        } else if high >= band.high && low < band.high {
            (band.low, low)
        } else {
            (band.low, band.high)
        }
    }
}

/// How much of a band of one element a request writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum BandCover {
    None,
    Part,
    All,
}
