//! I/Os column by column: what is counted in tight loops reads only the columns that it needs.

use super::{Io, Op};

/// I/Os, a vector a field.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// When they were issued.
    pub time: Vec<i64>,
    /// Where they start.
    pub offset: Vec<u64>,
    /// How long they took.
    pub latency: Vec<u64>,
    /// Their bytes.
    pub len: Vec<u32>,
    /// Their devices.
    pub device: Vec<u32>,
    /// Whose they are.
    pub process: Vec<u32>,
    /// What they do.
    pub op: Vec<Op>,
}

/// Some of them.
#[derive(Copy, Clone, Debug, Default)]
pub struct Batch<'a> {
    /// When they were issued.
    pub time: &'a [i64],
    /// Where they start.
    pub offset: &'a [u64],
    /// How long they took.
    pub latency: &'a [u64],
    /// Their bytes.
    pub len: &'a [u32],
    /// Their devices.
    pub device: &'a [u32],
    /// Whose they are.
    pub process: &'a [u32],
    /// What they do.
    pub op: &'a [Op],
}

impl Columns {
    /// Empties it; the space stays.
    pub fn clear(&mut self) {
        self.time.clear();
        self.offset.clear();
        self.latency.clear();
        self.len.clear();
        self.device.clear();
        self.process.clear();
        self.op.clear();
    }

    /// Adds I/Os.
    pub fn extend(&mut self, ios: &[Io]) {
        self.time.extend(ios.iter().map(|io| io.time));
        self.offset.extend(ios.iter().map(|io| io.offset));
        self.latency.extend(ios.iter().map(|io| io.latency));
        self.len.extend(ios.iter().map(|io| io.len));
        self.device.extend(ios.iter().map(|io| io.device));
        self.process.extend(ios.iter().map(|io| io.process));
        self.op.extend(ios.iter().map(|io| io.op));
    }

    /// Keeps those of the first that are `good`, and all after them.
    pub fn retain(&mut self, good: &[bool]) {
        retain(&mut self.time, good);
        retain(&mut self.offset, good);
        retain(&mut self.latency, good);
        retain(&mut self.len, good);
        retain(&mut self.device, good);
        retain(&mut self.process, good);
        retain(&mut self.op, good);
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> Batch<'_> {
        Batch {
            time: &self.time,
            offset: &self.offset,
            latency: &self.latency,
            len: &self.len,
            device: &self.device,
            process: &self.process,
            op: &self.op,
        }
    }
}

impl<'a> Batch<'a> {
    /// How many there are.
    pub const fn count(&self) -> usize {
        self.time.len()
    }

    /// The first `count`, and the others.
    pub fn split_at(&self, count: usize) -> (Self, Self) {
        let [mut first, mut rest] = [*self; 2];
        (first.time, rest.time) = halves(self.time, count);
        (first.offset, rest.offset) = halves(self.offset, count);
        (first.latency, rest.latency) = halves(self.latency, count);
        (first.len, rest.len) = halves(self.len, count);
        (first.device, rest.device) = halves(self.device, count);
        (first.process, rest.process) = halves(self.process, count);
        (first.op, rest.op) = halves(self.op, count);
        (first, rest)
    }

    /// One after the other.
    pub fn ios(&self) -> impl Iterator<Item = Io> + Clone + use<'a> {
        let places = self.offset.iter().zip(self.len).zip(self.latency);
        let names = self.device.iter().zip(self.process).zip(self.op);
        let all = self.time.iter().zip(places).zip(names);
        all.map(
            |((time, ((offset, len), latency)), ((device, process), op))| Io {
                time: *time,
                offset: *offset,
                latency: *latency,
                len: *len,
                device: *device,
                process: *process,
                op: *op,
            },
        )
    }
}

fn retain<T>(all: &mut Vec<T>, good: &[bool]) {
    let mut good = good.iter();
    all.retain(|_| good.next().copied().unwrap_or(true));
}

fn halves<T>(all: &[T], count: usize) -> (&[T], &[T]) {
    all.split_at(count.min(all.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_out_as_they_went_in() {
        let one = |time: i64| Io {
            time,
            offset: 1,
            latency: 2,
            len: 3,
            device: 4,
            process: 5,
            op: Op::Discard,
        };
        let ios: Vec<_> = (0..9).map(one).collect();
        let mut columns = Columns::default();
        columns.extend(&ios);
        let (first, rest) = columns.all().split_at(4);
        assert_eq!((first.count(), rest.count(), columns.len()), (4, 5, 9));
        assert!(first.ios().chain(rest.ios()).eq(ios.iter().copied()));
        columns.retain(&[false, true, false]);
        let kept = ios
            .iter()
            .enumerate()
            .filter(|(at, _)| ![0, 2].contains(at));
        assert!(columns.all().ios().eq(kept.map(|(_, io)| *io)));
    }
}
