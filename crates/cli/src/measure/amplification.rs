//! `--write-amplification`: what the drive's own counters say of the writes of each arm.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ioalign_core::comparison::{CountedArm, WriteAmplification, least_bytes};
use ioalign_core::numbers::{size_of, thousands};
use ioalign_core::write_counters::WriteCounters;
use ioalign_inspect::host::nvme::CountingDrive;
use ioalign_inspect::host::{Root, machine};
use ioalign_measure::amplification::{CountedArms, run};
use ioalign_measure::engine::{Bench, CellSpec};
use ioalign_measure::{Error, ErrorKind};

use super::arms::Arms;
use super::cells;
use super::live::Live;
use super::session::MeasureSession;
use crate::exit::UsageError;

/// What is written and counted after the cells.
pub struct AmplificationPlan {
    bytes_per_arm: u64,
    specs: Vec<CellSpec>,
    targets: Arms,
    /// The drive of each target; or why it counts nothing that would help.
    drives: Result<Vec<CountingDrive>, String>,
}

impl AmplificationPlan {
    /// Finds the drives, before anything is sent. Nothing is written where their counters say too little.
    pub fn new(bytes_per_arm: u64, targets: &[PathBuf], cells: &[CellSpec]) -> Result<Self> {
        let specs = writes(cells);
        if specs.is_empty() {
            let what = "--write-amplification: no cell of this run writes (--ops write)";
            return Err(UsageError(what.to_owned()).into());
        }
        let root = Root::live()?;
        let names = targets.iter().map(|target| drive_below(&root, target));
        let names: Vec<_> = names.collect::<Result<_>>()?;
        let drives = names
            .iter()
            .map(|name| counting(&root, name, bytes_per_arm));
        Ok(Self {
            bytes_per_arm,
            specs,
            targets: Arms {
                targets: targets.to_vec(),
                ..Arms::default()
            },
            drives: drives.collect(),
        })
    }
}

/// Each size and pattern that is written, once, with the most in flight: how many are does not change what a drive
/// writes, and reads among them neither.
fn writes(cells: &[CellSpec]) -> Vec<CellSpec> {
    let mut specs: Vec<CellSpec> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.read_ratio < 1.0) {
        let spec = CellSpec {
            read_ratio: 0.0,
            ..*cell
        };
        let load = |spec: &CellSpec| u64::from(spec.queue_depth) * u64::from(spec.workers);
        let same = |known: &&mut CellSpec| {
            (known.block_bytes, known.pattern) == (spec.block_bytes, spec.pattern)
        };
        match specs.iter_mut().find(same) {
            Some(known) if load(known) < load(&spec) => *known = spec,
            Some(_) => {}
            None => specs.push(spec),
        }
    }
    specs
}

/// The one NVMe drive below a target.
fn drive_below(root: &Root, target: &Path) -> Result<String> {
    // A file that is still to be made will lie where its folder is.
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let there = if target.exists() {
        target
    } else {
        folder.unwrap_or_else(|| Path::new("."))
    };
    let disks = machine::disks_below(root, there);
    let why = match disks.as_slice() {
        [only] if only.starts_with("nvme") => return Ok(only.clone()),
        [] => "the disk below it is not known".to_owned(),
        [only] => format!("{only} below it is no NVMe drive"),
        several => format!("there are several disks below it: {}", several.join(", ")),
    };
    let what = format!("--write-amplification: {}: {why}", target.display());
    Err(UsageError(what).into())
}

/// Its counters, where they are fine enough for what an arm writes.
fn counting(root: &Root, name: &str, bytes_per_arm: u64) -> Result<CountingDrive, String> {
    let of_drive = |why: String| format!("{name}: {why}");
    let drive = CountingDrive::open(root, name).map_err(of_drive)?;
    let counters = drive.read().map_err(of_drive)?;
    let least = least_bytes(&counters);
    if bytes_per_arm < least {
        return Err(of_drive(format!(
            "the {} or its SMART page counts units of {} bytes, too large for {} an arm: nothing was written. \
             --write-amplification {}M would do",
            drive.counter(),
            thousands(counters.coarsest_unit()),
            size_of(bytes_per_arm),
            least.div_ceil(1 << 20)
        )));
    }
    Ok(drive)
}

impl MeasureSession<'_> {
    /// Lets the arms write, and adds what was counted to the comparison. A partial comparison is left as it is.
    pub fn amplify(&mut self, plan: &AmplificationPlan, live: &Live) {
        for spec in &plan.specs {
            if self.interrupt.asked() || self.comparison.partial.is_some() {
                return;
            }
            match self.amplified(plan, spec, live) {
                Ok(Some(found)) => self.comparison.write_amplification.push(found),
                Ok(None) => self.comparison.partial = Some(super::session::INTERRUPTED.to_owned()),
                Err(error) => {
                    self.comparison.partial = Some(format!("write amplification: {error}"))
                }
            }
        }
    }

    /// `None`: Ctrl-C.
    fn amplified(
        &self,
        plan: &AmplificationPlan,
        spec: &CellSpec,
        live: &Live,
    ) -> Result<Option<WriteAmplification>, Error> {
        let cell = cells::cell(spec);
        let of = WriteAmplification {
            block_bytes: cell.block_bytes,
            pattern: cell.pattern,
            queue_depth: cell.queue_depth,
            workers: cell.workers,
            bytes_per_arm: plan.bytes_per_arm,
            ..WriteAmplification::default()
        };
        let drives = match &plan.drives {
            Ok(drives) => drives,
            Err(why) => {
                return Ok(Some(WriteAmplification {
                    unknown: Some(why.clone()),
                    ..of
                }));
            }
        };
        let arms = self.comparison.arms.iter();
        let drive = |arm| drives.get(plan.targets.target_of(arm));
        let drives: Vec<_> = arms.clone().filter_map(drive).collect();
        let mut subject = CountedBench {
            bench: Bench::new(&self.places, spec, &self.options)?,
            drives: &drives,
        };
        let all = plan.bytes_per_arm.saturating_mul(drives.len() as u64);
        let halves = run(&mut subject, plan.bytes_per_arm, &mut |done| {
            live.writing(done, all);
            if self.interrupt.asked() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let counted = |((arm, drive), halves): ((_, &&CountingDrive), _)| {
            let arm: &ioalign_core::comparison::Arm = arm;
            CountedArm {
                arm: arm.name.clone(),
                drive: drive.name().to_owned(),
                counter: drive.counter().to_owned(),
                halves,
            }
        };
        Ok(halves.map(|halves| {
            let arms: Vec<_> = arms.zip(&drives).zip(halves).map(counted).collect();
            of.counted(&arms)
        }))
    }
}

/// The arms on real drives.
struct CountedBench<'a> {
    bench: Bench,
    /// By arm.
    drives: &'a [&'a CountingDrive],
}

impl CountedArms for CountedBench<'_> {
    fn arms(&self) -> usize {
        self.drives.len()
    }

    fn write(&mut self, arm: usize, bytes: u64) -> Result<u64, Error> {
        self.bench.send(arm, bytes)
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.bench.settle()
    }

    fn counters(&mut self, arm: usize) -> Result<WriteCounters, Error> {
        let drive = self.drives.get(arm);
        let drive =
            drive.ok_or_else(|| Error::new(ErrorKind::Unsupported, "there is no such arm"))?;
        drive
            .read()
            .map_err(|why| Error::new(ErrorKind::Device, why))
    }
}

#[cfg(test)]
mod tests {
    use ioalign_core::workload::Pattern;

    use super::*;

    #[test]
    fn each_kind_of_write_is_counted_once() {
        let cell = |block_bytes, read_ratio, queue_depth| CellSpec {
            block_bytes,
            read_ratio,
            pattern: Pattern::Random,
            queue_depth,
            workers: 1,
        };
        let cells = [
            cell(4096, 0.0, 1),
            cell(4096, 0.7, 16),
            cell(4096, 1.0, 32),
            cell(65536, 0.0, 4),
            cell(4096, 0.0, 2),
        ];
        let expected = [cell(4096, 0.0, 16), cell(65536, 0.0, 4)];
        assert_eq!(writes(&cells), expected);
        assert!(AmplificationPlan::new(1, &[], &[cell(4096, 1.0, 1)]).is_err());
    }
}
