//! Workloads, and which cells are measured for them.

use ioalign_testkit::Random;
use ioalign_testkit::served::ServedWorkload;

use super::laws::Named;

/// Cases of each law.
const EACH: usize = 7;

/// A workload on a device, with the measurement that is at hand.
pub struct Case<'a> {
    pub law: &'a Named,
    pub workload: ServedWorkload,
    pub cells: Cells,
    pub seed: u64,
}

/// The cells that a measurement has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// 4, 16 and 64 KiB, reads and writes, in order and not, one and 16 in flight; random 4 KiB of 70 % reads.
    All,
    /// Of these the reads.
    Reads,
    /// Those with one in flight.
    OneInFlight,
    /// The random ones.
    Random,
}

impl Case<'_> {
    pub fn name(&self) -> String {
        let ServedWorkload {
            sizes,
            reads_percent,
            sequential,
            depth,
        } = &self.workload;
        let sizes: Vec<_> = sizes
            .iter()
            .map(|(bytes, _)| format!("{}k", bytes / 1024))
            .collect();
        let order = if *sequential { "sequential" } else { "random" };
        format!(
            "{}: {order} {} of {reads_percent} % reads, {depth} in flight, cells: {:?}",
            self.law.name,
            sizes.join("+"),
            self.cells
        )
    }
}

/// Drawn for this law, the same in every run.
pub fn of(law: &Named, index: usize) -> Vec<Case<'_>> {
    let mut random = Random(4100 + index as u64);
    let kib = |sizes: &[(u64, u64)]| {
        sizes
            .iter()
            .map(|(kib, weight)| (kib << 10, *weight))
            .collect()
    };
    let sizes: [Vec<(u64, u64)>; 6] = [
        kib(&[(4, 1)]),
        kib(&[(4, 1)]),
        kib(&[(8, 1)]),
        kib(&[(16, 1)]),
        kib(&[(32, 1)]),
        kib(&[(4, 7), (64, 3)]),
    ];
    let cells = [
        Cells::All,
        Cells::All,
        Cells::All,
        Cells::All,
        Cells::Reads,
        Cells::OneInFlight,
        Cells::Random,
    ];
    (0..EACH)
        .map(|number| Case {
            law,
            workload: ServedWorkload {
                sizes: random.pick(&sizes).clone(),
                reads_percent: *random.pick(&[0, 30, 50, 70, 100]),
                sequential: random.below(4) == 0,
                depth: *random.pick(&[1, 1, 2, 8, 16, 16, 32]),
            },
            cells: cells[number],
            seed: random.next(),
        })
        .collect()
}
