//! What an I/O costs, by a law.

use super::ServedIo;

/// The law of a device; times in µs.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceLaw {
    /// Distance of the boundaries.
    pub unit: u64,
    /// Requests that are served at the same time.
    pub servers: usize,
    /// What a read takes, whatever its size.
    pub read_us: f64,
    /// What a write takes.
    pub write_us: f64,
    /// What each KiB adds.
    pub kib_us: f64,
    /// What is left of the first two where an I/O follows the one before it.
    pub sequential: f64,
    /// What each cell adds that is touched beyond the fewest possible.
    pub extra_cell_us: f64,
    /// What each cell adds that a write covers in part: it is read first.
    pub partial_cell_us: f64,
    /// Who serves an I/O.
    pub split: ServerSplit,
}

/// Who serves the parts of an I/O.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ServerSplit {
    /// The next server that is free serves all of it.
    Whole,
    /// Each cell belongs to one server, in turn, which is asked for its part: a stripe.
    Striped,
}

/// What one server has to do.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ServerPart {
    /// Which server; `None`: any.
    pub server: Option<usize>,
    /// How long.
    pub us: f64,
}

impl DeviceLaw {
    /// The parts of an I/O: it is complete when all of them are.
    pub fn parts(&self, io: &ServedIo) -> Vec<ServerPart> {
        match self.split {
            ServerSplit::Whole => vec![ServerPart {
                server: None,
                us: self.fixed_us(io) + self.bytes_us(io.bytes) + self.boundaries_us(io),
            }],
            ServerSplit::Striped => self.chunks(io),
        }
    }

    fn fixed_us(&self, io: &ServedIo) -> f64 {
        let base = if io.write {
            self.write_us
        } else {
            self.read_us
        };
        if io.sequential {
            base * self.sequential
        } else {
            base
        }
    }

    fn bytes_us(&self, bytes: u64) -> f64 {
        self.kib_us * float(bytes) / 1024.0
    }

    fn boundaries_us(&self, io: &ServedIo) -> f64 {
        let (first, last) = self.cells(io);
        let extra = last - first + 1 - io.bytes.div_ceil(self.unit);
        let end = io.offset + io.bytes;
        let head = u64::from(!io.offset.is_multiple_of(self.unit));
        let tail = u64::from(!end.is_multiple_of(self.unit));
        let partial = if first == last {
            head.max(tail)
        } else {
            head + tail
        };
        let partial = if io.write { partial } else { 0 };
        self.extra_cell_us * float(extra) + self.partial_cell_us * float(partial)
    }

    fn chunks(&self, io: &ServedIo) -> Vec<ServerPart> {
        let (first, last) = self.cells(io);
        let end = io.offset + io.bytes;
        let part = |cell: u64| {
            let from = io.offset.max(cell * self.unit);
            let to = end.min((cell + 1) * self.unit);
            ServerPart {
                server: Some(usize::try_from(cell).unwrap() % self.servers),
                us: self.fixed_us(io) + self.bytes_us(to - from),
            }
        };
        (first..=last).map(part).collect()
    }

    fn cells(&self, io: &ServedIo) -> (u64, u64) {
        (
            io.offset / self.unit,
            (io.offset + io.bytes - 1) / self.unit,
        )
    }
}

/// A count of bytes or cells of one I/O.
fn float(value: u64) -> f64 {
    f64::from(u32::try_from(value).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: DeviceLaw = DeviceLaw {
        unit: 4096,
        servers: 4,
        read_us: 100.0,
        write_us: 200.0,
        kib_us: 1.0,
        sequential: 0.5,
        extra_cell_us: 30.0,
        partial_cell_us: 70.0,
        split: ServerSplit::Whole,
    };

    fn io(write: bool, offset: u64, bytes: u64) -> ServedIo {
        ServedIo {
            write,
            offset,
            bytes,
            sequential: false,
        }
    }

    #[test]
    fn boundaries_are_paid_for() {
        let us = |io: ServedIo| LAW.parts(&io).iter().map(|part| part.us).sum::<f64>();
        assert_eq!(us(io(false, 0, 4096)), 104.0);
        assert_eq!(us(io(false, 512, 4096)), 134.0);
        assert_eq!(us(io(true, 0, 8192)), 208.0);
        // One cell more, and one at each end is read first.
        assert_eq!(us(io(true, 3584, 8192)), 208.0 + 30.0 + 140.0);
        assert_eq!(us(io(true, 0, 2048)), 202.0 + 70.0);
    }

    #[test]
    fn a_stripe_asks_each_of_its_disks() {
        let law = DeviceLaw {
            split: ServerSplit::Striped,
            ..LAW
        };
        let parts = law.parts(&io(false, 3 * 4096 + 2048, 4096));
        let servers: Vec<_> = parts.iter().map(|part| part.server).collect();
        assert_eq!(servers, [Some(3), Some(0)]);
        assert!(parts.iter().all(|part| part.us == 102.0));
    }
}
