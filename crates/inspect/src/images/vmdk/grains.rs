//! Grain directory and grain tables: the two levels that all sparse VMDK extents share.
//!
//! Every reading of a table is bounded by the file's length, however the entries lead in circles.

use super::coding::{Coding, Grain};
use super::descriptor::SECTOR;
use crate::error::{Error, Result};
use crate::images::mapped::Damage;
use crate::view::View;

/// No tool writes grains over 64 KiB; QEMU refuses more than 1 GiB.
const MOST_GRAIN_BYTES: u64 = 1 << 30;

/// The tables of one sparse extent. All numbers are bytes unless they say otherwise.
#[derive(Clone)]
pub(super) struct Grains {
    view: View,
    /// Guest bytes that the extent covers.
    capacity: u64,
    /// Bytes a grain.
    grain: u64,
    /// Grains a grain table.
    per_table: u64,
    /// The place of the grain directory.
    directory: u64,
    /// The redundant directory, asked where the first is out of the file.
    spare: Option<u64>,
    /// Whether the redundant directory had to take the first one's place.
    replaced: bool,
    coding: Coding,
}

/// The facts of a header about its tables, before it is checked.
pub(super) struct VmdkGrainLayout {
    /// Guest size in sectors.
    pub(super) capacity: u64,
    /// Grain in sectors.
    pub(super) grain: u64,
    /// Entries a grain table.
    pub(super) per_table: u64,
    /// Sector of the grain directory.
    pub(super) directory: u64,
    /// Sector of the redundant one.
    pub(super) spare: Option<u64>,
    /// Entries' coding.
    pub(super) coding: Coding,
}

impl Grains {
    /// Checks the layout; the directory must lie in the file as a whole.
    pub(super) fn new(view: &View, layout: &VmdkGrainLayout) -> Result<Self> {
        let bytes = |sectors: u64, what: &'static str| {
            let bytes = sectors.checked_mul(SECTOR);
            bytes.ok_or_else(|| bad(view, 0, what, format!("{sectors} sectors are past 64 bits")))
        };
        let grain = bytes(layout.grain, "grainSize")?;
        if grain == 0 || grain > MOST_GRAIN_BYTES || layout.per_table == 0 {
            let per_table = layout.per_table;
            let what = format!("Grains of {grain} bytes (1 GiB at most), {per_table} to a table");
            return Err(bad(view, 0, "grainSize", what));
        }
        let spare = layout.spare.map(|at| bytes(at, "rgdOffset")).transpose()?;
        let mut out = Self {
            view: view.clone(),
            capacity: bytes(layout.capacity, "capacity")?,
            grain,
            per_table: layout.per_table,
            directory: bytes(layout.directory, "gdOffset")?,
            spare,
            replaced: false,
            coding: layout.coding,
        };
        out.choose_directory()?;
        Ok(out)
    }

    /// Takes the redundant directory where only that one lies in the file.
    fn choose_directory(&mut self) -> Result<()> {
        let len = self.tables().saturating_mul(self.coding.entry_bytes());
        let inside = |at: u64| {
            at.checked_add(len)
                .is_some_and(|end| end <= self.view.len())
        };
        self.spare = self.spare.filter(|at| inside(*at));
        if inside(self.directory) {
            return Ok(());
        }
        let Some(spare) = self.spare else {
            let what = format!(
                "A grain directory of {len} bytes at byte {} ends past the file's {} bytes",
                self.directory,
                self.view.len()
            );
            return Err(bad(&self.view, self.directory, "gdOffset", what));
        };
        (self.directory, self.replaced) = (spare, true);
        Ok(())
    }

    /// Bytes a grain.
    pub(super) const fn grain(&self) -> u64 {
        self.grain
    }

    /// Guest bytes covered.
    pub(super) const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Whether the redundant directory is used because the first lies outside the file.
    pub(super) const fn replaced(&self) -> bool {
        self.replaced
    }

    /// The file.
    pub(super) const fn view(&self) -> &View {
        &self.view
    }

    /// The bytes at guest byte `address` of the extent, and for how many bytes.
    pub(super) fn find(&self, address: u64) -> Result<(Grain, u64)> {
        let number = address / self.grain;
        let within = address % self.grain;
        let room = (self.grain - within).min(self.capacity.saturating_sub(address).max(1));
        let Some(table) = self.table(number / self.per_table)? else {
            return Ok((Grain::Below, room));
        };
        let index = number % self.per_table;
        let raw = self.coding.raw(&self.view, table, index)?;
        Ok(match self.coding.decode(raw, self.grain) {
            Some(Grain::At(at)) => (Grain::At(at.saturating_add(within)), room),
            Some(other) => (other, room),
            None => return Err(self.bad_entry(table, index, raw)),
        })
    }

    /// Calls `each` with guest offset, place and length of every grain that is not
    /// [`Grain::Below`], in guest order; true when all tables were read.
    ///
    /// Work is bounded by `budget`, which is what all tables of the disk may yet cost, and by the
    /// file: the tables of a sound extent are distinct, so no more than the file's length is
    /// read. A directory that names one table a million times runs out of that.
    pub(super) fn walk(
        &self,
        budget: &mut u64,
        damage: &mut Damage,
        mut each: impl FnMut(u64, Grain, u64, &mut Damage),
    ) -> Result<bool> {
        let mut left = Left {
            file: self.view.len(),
            budget: *budget,
            cut: false,
        };
        if left.take(self.tables().saturating_mul(self.coding.entry_bytes())) {
            let mut one = |number: u64, raw: u64| match self.locate(self.directory, number, raw) {
                Ok(None) => Ok(()),
                Ok(Some(table)) => self.walk_table(number, table, &mut left, damage, &mut each),
                Err(error) => match self.spare_table(number) {
                    Some(table) => self.walk_table(number, table, &mut left, damage, &mut each),
                    None => {
                        damage.add(|| error);
                        Ok(())
                    }
                },
            };
            self.coding
                .for_each_entry(&self.view, self.directory, self.tables(), &mut one)?;
        }
        *budget = left.budget;
        Ok(!left.cut)
    }

    fn walk_table(
        &self,
        number: u64,
        table: u64,
        left: &mut Left,
        damage: &mut Damage,
        each: &mut impl FnMut(u64, Grain, u64, &mut Damage),
    ) -> Result<()> {
        let count = self.grains_of(number);
        if !left.take(count.saturating_mul(self.coding.entry_bytes())) {
            if !left.cut {
                damage.add(|| self.shared_tables(number));
            }
            return Ok(());
        }
        let first = number * self.per_table;
        self.coding
            .for_each_entry(&self.view, table, count, &mut |index, raw| {
                if raw != 0 {
                    let start = (first + index).saturating_mul(self.grain);
                    let len = self.grain.min(self.capacity.saturating_sub(start));
                    match self.coding.decode(raw, self.grain) {
                        Some(grain) => each(start, grain, len, damage),
                        None => damage.add(|| self.bad_entry(table, index, raw)),
                    }
                }
                Ok(())
            })
    }

    /// Grain tables that the capacity needs.
    const fn tables(&self) -> u64 {
        self.capacity.div_ceil(self.grain).div_ceil(self.per_table)
    }

    /// Grains of table `number`: the last table may cover past the capacity.
    fn grains_of(&self, number: u64) -> u64 {
        let all = self.capacity.div_ceil(self.grain);
        let before = number.saturating_mul(self.per_table);
        all.saturating_sub(before).min(self.per_table)
    }

    /// Byte offset of grain table `number`, from the directory or, where that points out of the
    /// file, from the redundant one. `None` where no table is allocated.
    fn table(&self, number: u64) -> Result<Option<u64>> {
        let raw = self.coding.raw(&self.view, self.directory, number)?;
        let found = self.locate(self.directory, number, raw);
        found.or_else(|error| self.spare_table(number).map(Some).ok_or(error))
    }

    fn spare_table(&self, number: u64) -> Option<u64> {
        let spare = self.spare?;
        let raw = self.coding.raw(&self.view, spare, number).ok()?;
        self.locate(spare, number, raw).ok()?
    }

    /// Where the table is that the directory's entry `raw` names; it must lie in the file.
    fn locate(&self, directory: u64, number: u64, raw: u64) -> Result<Option<u64>> {
        if raw == 0 {
            return Ok(None);
        }
        let at = self.coding.table(raw, self.per_table);
        let len = self
            .grains_of(number)
            .saturating_mul(self.coding.entry_bytes());
        let end = at.and_then(|at| at.checked_add(len));
        match at {
            Some(at) if end.is_some_and(|end| end <= self.view.len()) => Ok(Some(at)),
            _ => Err(self.bad_table(directory, number, raw)),
        }
    }

    fn bad_table(&self, directory: u64, number: u64, raw: u64) -> Error {
        let at = directory.saturating_add(number.saturating_mul(self.coding.entry_bytes()));
        let what = format!(
            "Entry {number} of the grain directory is {raw:#x}: that table is not in the file of {} bytes",
            self.view.len()
        );
        bad(&self.view, at, "grain directory", what)
    }

    fn bad_entry(&self, table: u64, index: u64, raw: u64) -> Error {
        let at = table.saturating_add(index.saturating_mul(self.coding.entry_bytes()));
        let what = format!("A grain table entry of {raw:#x}, which means nothing");
        bad(&self.view, at, "grain table", what)
    }

    fn shared_tables(&self, number: u64) -> Error {
        let past = number.saturating_mul(self.coding.entry_bytes());
        let at = self.directory.saturating_add(past);
        let what = "The grain tables together are longer than the file: several entries of the \
            directory name the same table";
        bad(&self.view, at, "grain directory", what.to_owned())
    }
}

/// Bytes of tables that may yet be read.
struct Left {
    /// Of this file, at most its length.
    file: u64,
    /// Of all files of the disk.
    budget: u64,
    /// Whether the budget was too small.
    cut: bool,
}

impl Left {
    /// Takes `bytes`, if they are there.
    const fn take(&mut self, bytes: u64) -> bool {
        self.cut |= bytes > self.budget;
        if self.cut || bytes > self.file {
            return false;
        }
        self.file -= bytes;
        self.budget -= bytes;
        true
    }
}

fn bad(view: &View, at: u64, field: &'static str, what: String) -> Error {
    view.malformed(at, what).field(field)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::MemorySource;

    fn grains(bytes: Vec<u8>, coding: Coding) -> Result<Grains> {
        let view = View::new(Arc::new(MemorySource::new(bytes)));
        let layout = VmdkGrainLayout {
            capacity: 40,
            grain: 8,
            per_table: 4,
            directory: 0,
            spare: None,
            coding,
        };
        Grains::new(&view, &layout)
    }

    #[test]
    fn one_table_named_by_all_is_reported_not_walked_for_ever() {
        // Two directory entries, both naming sector 0, which is the directory itself.
        let coding = Coding::Sectors { zero_grain: false };
        let grains = grains(vec![1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], coding);
        let mut damage = Damage::default();
        grains
            .unwrap()
            .walk(&mut (1 << 20), &mut damage, |_, _, _, _| panic!("outside"))
            .unwrap();
        let remark = damage.remark("x", "tables").unwrap();
        assert!(remark.why.starts_with("2 tables"), "{}", remark.why);
    }

    #[test]
    fn absurd_layouts_are_refused() {
        let coding = Coding::Sectors { zero_grain: false };
        assert!(
            grains(vec![0; 4], coding).is_err(),
            "the directory has 8 bytes"
        );
        let view = View::new(Arc::new(MemorySource::new(vec![0; 512])));
        for (capacity, grain, per_table) in
            [(1, 0, 1), (1, 1, 0), (u64::MAX, 8, 512), (1, 1 << 40, 1)]
        {
            let layout = VmdkGrainLayout {
                capacity,
                grain,
                per_table,
                directory: 0,
                spare: None,
                coding,
            };
            assert!(Grains::new(&view, &layout).is_err());
        }
    }
}
