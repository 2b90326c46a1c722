//! Arrays laid out sector by sector, in tables: slow, and without a formula of the model.

use std::collections::{BTreeMap, BTreeSet};

use ioalign_core::array::{Maker, RaidLevel};
use ioalign_simulate::geometry::{ArrayShape, CopyLayout};

pub const SECTOR: u64 = 512;

/// A sector of a disk.
pub type DiskSpot = (u32, u64);

/// The sectors of one place in all units of a stripe.
#[derive(Clone, Debug, Default)]
pub struct StripeSlice {
    pub data: Vec<DiskSpot>,
    pub parity: Vec<DiskSpot>,
}

/// Units that are written in a page, and whether in full.
type Covers = Vec<(usize, bool)>;

pub struct ArrayTwin {
    pub shape: ArrayShape,
    /// The copies of each data sector.
    pub copies: Vec<Vec<DiskSpot>>,
    /// Parity levels: by stripe and sector in it.
    pub slices: BTreeMap<(u64, u64), StripeSlice>,
    /// Where each data sector is in the slices: stripe, sector, index.
    pub places: Vec<(u64, u64, usize)>,
    element: u64,
}

impl ArrayTwin {
    pub fn new(shape: &ArrayShape) -> Self {
        let array = &shape.array;
        let whole = array.level == RaidLevel::Raid1 || array.disks == 1;
        let sectors = shape.disk_bytes / SECTOR;
        let element = if whole {
            sectors
        } else {
            array.element.get() / SECTOR
        };
        let mut twin = Self {
            shape: shape.clone(),
            copies: Vec::new(),
            slices: BTreeMap::new(),
            places: Vec::new(),
            element,
        };
        match array.level {
            RaidLevel::Raid5 => twin.deal_parity(1),
            RaidLevel::Raid6 => twin.deal_parity(2),
            _ => twin.deal_copies(),
        }
        twin
    }

    fn works(&self, disk: u32) -> bool {
        !self.shape.failed.contains(&disk)
    }

    fn deal_copies(&mut self) {
        let n = self.shape.array.disks;
        let level = self.shape.array.level;
        let far = level == RaidLevel::Raid10 && self.shape.copies == CopyLayout::Far;
        let each = match level {
            RaidLevel::Raid1 => n,
            RaidLevel::Raid10 if !far => 2,
            _ => 1,
        };
        let half = self.shape.disk_bytes / SECTOR / 2 / self.element * self.element;
        let rows = if far {
            half
        } else {
            self.shape.disk_bytes / SECTOR
        } / self.element;
        // The next free place: along the disks, then down.
        let (mut disk, mut row) = (0, 0);
        while row < rows {
            let mut spots = vec![Vec::new(); usize::try_from(self.element).unwrap()];
            for _ in 0..each {
                if row == rows {
                    return;
                }
                for (sector, spots) in (0..).zip(&mut spots) {
                    spots.push((disk, row * self.element + sector));
                    if far {
                        spots.push(((disk + 1) % n, half + row * self.element + sector));
                    }
                }
                disk += 1;
                if disk == n {
                    (disk, row) = (0, row + 1);
                }
            }
            self.copies.extend(spots);
        }
    }

    fn deal_parity(&mut self, parities: u32) {
        let n = self.shape.array.disks;
        let rows = self.shape.disk_bytes / SECTOR / self.element;
        let mut last = n - 1;
        for stripe in 0..rows {
            // Parity on the last disk, then one before; what follows goes round.
            let mut order: Vec<u32> = (0..n).collect();
            order.rotate_left(last as usize);
            let (parity, data) = order.split_at(parities as usize);
            for (index, disk) in data.iter().enumerate() {
                for sector in 0..self.element {
                    self.copies
                        .push(vec![(*disk, stripe * self.element + sector)]);
                    self.places.push((stripe, sector, index));
                }
            }
            for sector in 0..self.element {
                let at = |disk: &u32| (*disk, stripe * self.element + sector);
                let slice = StripeSlice {
                    data: data.iter().map(at).collect(),
                    parity: parity.iter().map(at).collect(),
                };
                self.slices.insert((stripe, sector), slice);
            }
            last = if last == 0 { n - 1 } else { last - 1 };
        }
    }

    /// What a write to a parity array reads and writes: sets of sectors, one for each group.
    pub fn parity_write(
        &self,
        sectors: std::ops::Range<u64>,
    ) -> Vec<(BTreeSet<DiskSpot>, BTreeSet<DiskSpot>)> {
        let mut stripes: BTreeMap<u64, BTreeMap<u64, BTreeSet<usize>>> = BTreeMap::new();
        for sector in sectors {
            let (stripe, at, index) = self.places[usize::try_from(sector).unwrap()];
            stripes
                .entry(stripe)
                .or_default()
                .entry(at)
                .or_default()
                .insert(index);
        }
        let mut groups = Vec::new();
        for (stripe, rows) in stripes {
            for band in self.bands(&rows) {
                groups.push(self.band(stripe, &band, &rows));
            }
        }
        groups
    }

    /// The sectors that are decided on together.
    fn bands(&self, rows: &BTreeMap<u64, BTreeSet<usize>>) -> Vec<Vec<u64>> {
        let (first, last) = (*rows.keys().next().unwrap(), *rows.keys().last().unwrap());
        if self.shape.array.maker == Maker::Controller {
            return vec![(first..=last).collect()];
        }
        let mut bands: Vec<(Covers, Vec<u64>)> = Vec::new();
        for page in first / 8..=last / 8 {
            let all: Vec<u64> = (page * 8..page * 8 + 8).collect();
            let touched: BTreeSet<usize> = all
                .iter()
                .filter_map(|s| rows.get(s))
                .flatten()
                .copied()
                .collect();
            let full = |index: &usize| {
                all.iter()
                    .all(|s| rows.get(s).is_some_and(|set| set.contains(index)))
            };
            let cover: Vec<_> = touched.iter().map(|index| (*index, full(index))).collect();
            if cover.is_empty() {
                continue;
            }
            match bands.last_mut() {
                Some((like, band)) if *like == cover && band.last() == Some(&(page * 8 - 1)) => {
                    band.extend(all)
                }
                _ => bands.push((cover, all)),
            }
        }
        bands.into_iter().map(|(_, band)| band).collect()
    }

    fn band(
        &self,
        stripe: u64,
        band: &[u64],
        rows: &BTreeMap<u64, BTreeSet<usize>>,
    ) -> (BTreeSet<DiskSpot>, BTreeSet<DiskSpot>) {
        let md = self.shape.array.maker == Maker::Md;
        let written = |index: usize, s: &u64| rows.get(s).is_some_and(|set| set.contains(&index));
        let slice = |s: &u64| &self.slices[&(stripe, *s)];
        let data = slice(&band[0]).data.len();
        let parities = slice(&band[0]).parity.len();
        let touched: Vec<usize> = (0..data)
            .filter(|i| band.iter().any(|s| written(*i, s)))
            .collect();
        let partial: Vec<usize> = (0..data)
            .filter(|i| !band.iter().all(|s| written(*i, s)))
            .collect();
        let modifies = match (touched.len() + parities, partial.len()) {
            (_, 0) => None,
            (a, b) if a == b => Some(!md),
            (a, b) => Some(a < b),
        };
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for s in band {
            let slice = slice(s);
            writes.extend(&slice.parity);
            for (index, spot) in slice.data.iter().enumerate() {
                let is_touched = touched.contains(&index);
                let is_written = if md { is_touched } else { written(index, s) };
                writes.extend(is_written.then_some(*spot));
                match modifies {
                    Some(true) if is_written => _ = reads.insert(*spot),
                    Some(false) if partial.contains(&index) && (md || !written(index, s)) => {
                        reads.insert(*spot);
                    }
                    _ => {}
                }
            }
            if modifies == Some(true) {
                reads.extend(&slice.parity);
            }
        }
        (reads, writes)
    }

    /// Whether the new parity of everything that is written follows from what was read, and nothing is missed.
    pub fn prove(
        &self,
        sectors: std::ops::Range<u64>,
        reads: &BTreeSet<DiskSpot>,
        writes: &BTreeSet<DiskSpot>,
    ) -> Result<(), String> {
        let new: BTreeSet<DiskSpot> = sectors
            .clone()
            .map(|s| self.copies[usize::try_from(s).unwrap()][0])
            .collect();
        for spot in &new {
            if self.works(spot.0) && !writes.contains(spot) {
                return Err(format!("{spot:?} is not written"));
            }
        }
        let changed: BTreeSet<_> = sectors
            .map(|s| self.places[usize::try_from(s).unwrap()])
            .map(|(a, b, _)| (a, b))
            .collect();
        for (key, slice) in &self.slices {
            let known = |spot: &DiskSpot| reads.contains(spot) || new.contains(spot);
            // With as many units as there are data elements everything follows.
            let all: Vec<_> = slice.data.iter().chain(&slice.parity).collect();
            let read = all.iter().filter(|spot| reads.contains(**spot)).count();
            let everything = read >= slice.data.len() || slice.data.iter().all(known);
            let old = |spot: &&DiskSpot| !new.contains(*spot) || reads.contains(*spot);
            let modified = slice.data.iter().all(|spot| old(&spot));
            for parity in slice.parity.iter().filter(|spot| self.works(spot.0)) {
                if changed.contains(key) && !writes.contains(parity) {
                    return Err(format!("parity {parity:?} is not written"));
                }
                let computed = everything || (modified && reads.contains(parity));
                if writes.contains(parity) && !computed {
                    return Err(format!("parity {parity:?} cannot be known"));
                }
            }
            for spot in slice.data.iter().filter(|spot| writes.contains(*spot)) {
                if !new.contains(spot) && !reads.contains(spot) && !everything {
                    return Err(format!("{spot:?} is overwritten"));
                }
            }
        }
        let failed = reads.iter().chain(writes).find(|spot| !self.works(spot.0));
        failed.map_or(Ok(()), |spot| Err(format!("{spot:?} is on a failed disk")))
    }
}

/// How many I/Os touch these sectors: runs of neighbours on one disk.
pub fn runs(spots: &BTreeSet<DiskSpot>) -> usize {
    let starts = |spot: &&DiskSpot| spot.1 == 0 || !spots.contains(&(spot.0, spot.1 - 1));
    spots.iter().filter(starts).count()
}
