//! How addresses of one layer become addresses of the layer below.

use crate::units::Bytes;

/// `count` pieces of `len` bytes at regular steps.
///
/// Piece `i` covers `[from + i·step_from, +len)` here and `[to + i·step_to, +len)` below. One run
/// holds a whole dynamic VHD that was filled in order, where each 2 MiB block is preceded by
/// a 512-byte bitmap: `step_from` 2 MiB, `step_to` 2 MiB + 512.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Address of the first piece here.
    pub from: u64,
    /// Address of the first piece below.
    pub to: u64,
    /// Length of each piece; not zero.
    pub len: u64,
    /// How many pieces; not zero.
    pub count: u64,
    /// Distance between pieces here; meaningless when `count` is 1.
    pub step_from: u64,
    /// Distance between pieces below; may be negative.
    pub step_to: i64,
}

impl Run {
    /// A single piece.
    pub const fn piece(from: u64, to: u64, len: u64) -> Self {
        Self {
            from,
            to,
            len,
            count: 1,
            step_from: 0,
            step_to: 0,
        }
    }

    /// Piece `i` as `(from, to)`.
    pub const fn nth(&self, i: u64) -> (u64, u64) {
        let to = self
            .to
            .wrapping_add(self.step_to.cast_unsigned().wrapping_mul(i));
        (self.from.wrapping_add(self.step_from.wrapping_mul(i)), to)
    }

    /// The least step of pieces of this length; a single one has none.
    const fn steps_of(&self, len: u64) -> u64 {
        if self.count > 1 { len } else { 0 }
    }

    /// The address after the last piece here; `None` past 64 bits.
    fn checked_end(&self) -> Option<u64> {
        let last = self.step_from.checked_mul(self.count - 1)?;
        self.from.checked_add(last)?.checked_add(self.len)
    }

    /// The address after the last piece here.
    pub const fn end(&self) -> u64 {
        self.nth(self.count - 1).0.saturating_add(self.len)
    }
}

/// A piecewise map in runs, in order of `from`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    runs: Vec<Run>,
    truncated: bool,
}

/// More runs than this are not kept: 40 bytes each, 10 MiB in all.
const MOST_RUNS: usize = 1 << 18;

impl Runs {
    /// A map without pieces.
    pub const fn new() -> Self {
        Self {
            runs: Vec::new(),
            truncated: false,
        }
    }

    /// Adds a piece behind all others; pieces must come in order of `from` and not overlap.
    ///
    /// Contiguous pieces are joined and regular ones become one run. Past 262,144 runs the
    /// rest is left out and [`Runs::truncated`] says so.
    pub fn push(&mut self, from: u64, to: u64, len: u64) {
        if len == 0 {
            return;
        }
        if let Some(last) = self.runs.last_mut()
            && absorb(last, from, to, len)
        {
            return;
        }
        if self.runs.len() >= MOST_RUNS {
            self.truncated = true;
            return;
        }
        self.runs.push(Run::piece(from, to, len));
    }

    /// The map of runs that are in order of `from` and do not overlap; `None` where they are not so, are
    /// empty or too many.
    pub fn from_runs(runs: Vec<Run>) -> Option<Self> {
        let whole =
            |run: &Run| run.len > 0 && run.count > 0 && run.step_from >= run.steps_of(run.len);
        let apart = runs.windows(2).all(|pair| match pair {
            [a, b] => a.checked_end().is_some_and(|end| end <= b.from),
            _ => true,
        });
        let ends = runs.last().is_none_or(|last| last.checked_end().is_some());
        let good = runs.len() <= MOST_RUNS && runs.iter().all(whole) && apart && ends;
        good.then_some(Self {
            runs,
            truncated: false,
        })
    }

    /// Whether pieces were left out because there were too many.
    pub const fn truncated(&self) -> bool {
        self.truncated
    }

    /// The runs, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter()
    }

    /// Whether nothing is mapped.
    pub const fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The address below of `address`, and how many bytes follow it there; `None` in a hole.
    pub fn resolve(&self, address: u64) -> Option<(u64, u64)> {
        let index = self
            .runs
            .partition_point(|run| run.from <= address)
            .checked_sub(1)?;
        let run = self.runs.get(index)?;
        let past = address - run.from;
        let i = past
            .checked_div(run.step_from)
            .map_or(0, |i| i.min(run.count - 1));
        let (from, to) = run.nth(i);
        let within = address
            .checked_sub(from)
            .filter(|within| *within < run.len)?;
        Some((to.checked_add(within)?, run.len - within))
    }

    /// `self` followed by `below`: where every piece lies two layers down.
    ///
    /// Used where both are short lists (LVM on LVM); pieces are cut at each other's edges.
    pub fn then(&self, below: &Self) -> Self {
        let mut out = Self {
            runs: Vec::new(),
            truncated: self.truncated || below.truncated,
        };
        for run in &self.runs {
            for i in 0..run.count {
                let (from, to) = run.nth(i);
                below.carry(from, to, run.len, &mut out);
                if out.truncated {
                    return out;
                }
            }
        }
        out
    }

    /// Adds to `out` what `[to, to + len)` becomes, as pieces that start at `from`.
    fn carry(&self, from: u64, to: u64, len: u64, out: &mut Self) {
        let mut done = 0;
        while done < len {
            let Some(address) = to.checked_add(done) else {
                return;
            };
            match self.resolve(address) {
                Some((lower, room)) => {
                    let part = room.min(len - done);
                    out.push(from + done, lower, part);
                    done += part;
                }
                None => match self.next_piece(address) {
                    Some(next) => done = done.saturating_add(next - address),
                    None => return,
                },
            }
        }
    }

    /// The first mapped address after `address`, which lies in a hole.
    pub fn next_piece(&self, address: u64) -> Option<u64> {
        let index = self.runs.partition_point(|run| run.from <= address);
        let inside = index.checked_sub(1).and_then(|i| {
            let run = self.runs.get(i)?;
            let i = (address - run.from).checked_div(run.step_from)? + 1;
            (i < run.count).then(|| run.nth(i).0)
        });
        inside.or_else(|| self.runs.get(index).map(|run| run.from))
    }
}

/// Whether the piece could be made part of `last`.
fn absorb(last: &mut Run, from: u64, to: u64, len: u64) -> bool {
    if last.count == 1 && last.from + last.len == from && last.to.checked_add(last.len) == Some(to)
    {
        last.len += len;
        return true;
    }
    if last.len != len {
        return false;
    }
    let (last_from, last_to) = last.nth(last.count - 1);
    let Some(step_from) = from.checked_sub(last_from).filter(|step| *step >= len) else {
        return false;
    };
    let step_to = to.wrapping_sub(last_to).cast_signed();
    if last.count == 1 {
        (last.step_from, last.step_to) = (step_from, step_to);
    } else if (last.step_from, last.step_to) != (step_from, step_to) {
        return false;
    }
    last.count += 1;
    true
}

/// How addresses here lie in one layer below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Map {
    /// Address `a` here is `start + a` below: partition, LUKS payload, linear LV.
    Shift {
        /// The address below of address 0.
        start: Bytes,
    },
    /// Piece by piece: LV of several segments, image container, file extents.
    Linear(Runs),
    /// Every byte is on each leg: md RAID 1, dm-raid1. One edge a leg.
    Mirror {
        /// The address below of address 0.
        start: Bytes,
    },
    /// Chunks dealt out over several members: RAID 0, 4, 5, 6, 10, striped LV. One edge a member.
    Striped {
        /// The start of the member's first chunk.
        start: Bytes,
        /// Bytes a chunk (stripe element); not zero.
        chunk: Bytes,
        /// Data chunks a full stripe: N, N−1, N−2 or N/2.
        data: u64,
        /// Which of the data chunks this member holds; `None` where it rotates (RAID 5, 6).
        column: Option<u64>,
    },
    /// Granules placed anywhere, each at a multiple of `granule` past `start`: thin LV, snapshot.
    Scattered {
        /// The address below of granule 0.
        start: Bytes,
        /// Bytes a granule; not zero.
        granule: Bytes,
    },
    /// One of several places, and it is not known which: a start that a program printed rounded. The
    /// candidates are `low`, `low + step`, … up to `high`.
    Within {
        /// Smallest possible start below.
        low: Bytes,
        /// Largest possible start below.
        high: Bytes,
        /// Distance of the candidates: the sector; not zero.
        step: Bytes,
    },
    /// No linear relation: deduplication, IMSM, a format that is recognised and not followed.
    Opaque(String),
}

impl Map {
    /// The interface's word for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Shift { .. } => "shift",
            Self::Linear(_) => "linear",
            Self::Mirror { .. } => "mirror",
            Self::Striped { .. } => "striped",
            Self::Scattered { .. } => "scattered",
            Self::Within { .. } => "within",
            Self::Opaque(_) => "opaque",
        }
    }

    /// The address below of address 0, if it is known.
    pub fn start(&self) -> Option<Bytes> {
        match self {
            Self::Shift { start } | Self::Mirror { start } | Self::Striped { start, .. } => {
                Some(*start)
            }
            Self::Linear(runs) => runs.resolve(0).map(|(to, _)| Bytes::new(to)),
            Self::Scattered { .. } | Self::Within { .. } | Self::Opaque(_) => None,
        }
    }
}
