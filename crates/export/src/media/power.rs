//! What a loss of power does, by rules and by chance.

use std::os::unix::fs::FileExt;

use super::{BlockFault, Media, MediaState, fault, torn};

/// What becomes of writes that are complete and not flushed when the power is lost.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum UnflushedFate {
    /// They are on the disks: there is no cache that forgets.
    #[default]
    Kept,
    /// All are lost.
    LostAll,
    /// Each of them is lost, kept or torn, by chance.
    LostSome,
}

/// What a loss of power does.
#[derive(Copy, Clone, Debug, Default)]
pub struct PowerRules {
    /// A write that is cut leaves whole units of this many bytes, at multiples of it; `None`: all of it or nothing.
    pub tear: Option<u64>,
    /// What becomes of writes that are complete and not flushed.
    pub unflushed: UnflushedFate,
    /// Of the chance.
    pub seed: u64,
}

/// What a loss of power took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerLoss {
    /// Writes in flight.
    pub in_flight: u64,
    /// Those of them that left a part.
    pub torn: u64,
    /// Those of them that left nothing.
    pub undone: u64,
    /// Writes that were complete and not flushed.
    pub unflushed: u64,
    /// Those of them that were lost, all or a part of each.
    pub forgotten: u64,
}

/// A write that was not complete when the power was lost.
#[derive(Debug)]
pub struct WriteInFlight {
    /// Where.
    pub at: u64,
    /// What.
    pub data: Vec<u8>,
}

impl Media {
    /// Switches the power off. `in_flight` is asked once no I/O can get through any more.
    pub fn power_off(
        &self,
        in_flight: impl FnOnce() -> Vec<WriteInFlight>,
    ) -> Result<PowerLoss, BlockFault> {
        let mut state = self.powered_mut()?;
        state.is_on = false;
        let MediaState { chance, cache, .. } = &mut *state;
        let mut loss = PowerLoss::default();
        if let Some(cache) = cache {
            let lost = cache.lose(&self.disks, &self.rules, chance);
            (loss.unflushed, loss.forgotten) = lost.map_err(fault)?;
        }
        for write in in_flight() {
            let len = write.data.len() as u64;
            let left = torn::left_of(chance, write.at, len, self.rules.tear);
            loss.in_flight += 1;
            loss.undone += u64::from(left.is_empty());
            loss.torn += u64::from(torn::is_part(&left, len));
            for piece in left {
                let of = |at: u64| usize::try_from(at - write.at).unwrap_or(usize::MAX);
                let data = write.data.get(of(piece.start)..of(piece.end));
                self.disks
                    .write_all_at(data.unwrap_or_default(), piece.start)
                    .map_err(fault)?;
            }
        }
        Ok(loss)
    }

    /// Switches it on again.
    pub fn power_on(&self) {
        self.state_mut().is_on = true;
    }
}
