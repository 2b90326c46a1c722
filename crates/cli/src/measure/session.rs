//! One run: cell after cell, always with the results so far.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use ioalign_core::comparison::{Comparison, Conditions, SCHEMA};
use ioalign_core::workload::Data;
use ioalign_device::Target;
use ioalign_measure::engine::{ArmPlace, Bench, CellSpec, EngineOptions, PageBench, PageWay};
use ioalign_measure::experiment::{self, Design, ExperimentSubject};
use ioalign_measure::{Error, ErrorKind};

use super::amplification::AmplificationPlan;
use super::arms::Arms;
use super::live::Live;
use super::open::Opener;
use super::{cells, open, output, reach};
use crate::args::{HowArgs, ShownArgs};
use crate::exit::Exit;
use crate::interrupt::Interrupt;

/// The conditions of all cells.
pub struct MeasureSession<'a> {
    /// The results so far.
    pub comparison: Comparison,
    /// The places of the arms.
    pub places: Vec<ArmPlace>,
    /// How the arms write pages; empty: the arms are places.
    pub ways: Vec<PageWay>,
    /// What the drive's counters are asked after the cells.
    pub amplification: Option<AmplificationPlan>,
    /// How the engine works.
    pub options: EngineOptions,
    /// How certain the answer has to be.
    pub design: Design,
    /// Load before a cell counts.
    pub ramp: Duration,
    /// How it is shown.
    pub shown: &'a ShownArgs,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
    begun: Instant,
}

/// The measurement that a command requests.
pub struct MeasureRequest<'a> {
    /// The compared arms.
    pub arms: &'a Arms,
    /// By which I/O.
    pub specs: &'a [CellSpec],
    /// Sizes of writes that have to be atomic.
    pub atomic: &'a [u64],
    /// How much of each target is used, where the arguments do not say.
    pub usual_size: Option<u64>,
    /// The default of the written data.
    pub data: Data,
    /// The run that this one is to be like.
    pub like: Option<&'a Conditions>,
    /// Notes for the reader of the report that exist in advance.
    pub notes: &'a [String],
    /// Load before a cell counts.
    pub ramp_ms: u64,
    /// The most for a cell.
    pub time_ms: u64,
}

/// How a cell ended.
enum Ended {
    /// It has its answer, or its time was up.
    Done,
    /// The operator, or the device, ended all.
    Stop(String),
}

impl<'a> MeasureSession<'a> {
    /// Opens the targets; nothing is measured yet.
    pub fn open(
        wanted: &MeasureRequest<'_>,
        how: &'a HowArgs,
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        let io = open::like(&how.io, wanted.like);
        let opener = Opener {
            arguments: &io,
            write: wanted.specs.iter().any(|spec| spec.read_ratio < 1.0),
            atomic: wanted.atomic.to_vec(),
            usual_size: wanted.usual_size,
            interrupt,
        };
        let targets = opener.all(&wanted.arms.targets)?;
        let (arms, replaced) = reach::reachable(wanted.arms, &targets);
        let data = open::data(&wanted.data, &how.data);
        let conditions = Conditions {
            cold: io.cold,
            buffered: io.buffered,
            size_bytes: wanted
                .arms
                .targets
                .first()
                .and_then(|path| opener.size_of(path)),
            data: data.clone(),
        };
        let options = open::options(&io, &how.engine, data);
        let arms = Arms {
            list: arms,
            targets: wanted.arms.targets.clone(),
            ..Arms::default()
        };
        let mut session = Self::new(&arms, &targets, options, &how.shown, interrupt);
        session.comparison.conditions = Some(conditions);
        session.comparison.notes.extend(replaced);
        session.comparison.notes.extend_from_slice(wanted.notes);
        session.design = Design {
            confidence: how.stats.confidence,
            rope_ratio: how.stats.rope,
            max_time: Duration::from_millis(wanted.time_ms),
            saturate: !how.stats.no_saturate,
            seed: how.engine.seed,
            ..Design::default()
        };
        session.ramp = Duration::from_millis(wanted.ramp_ms);
        Ok(session)
    }

    fn new(
        arms: &Arms,
        targets: &[Arc<Target>],
        options: EngineOptions,
        shown: &'a ShownArgs,
        interrupt: &'a Interrupt,
    ) -> Self {
        let place = |arm| {
            let target = targets.get(arms.target_of(arm))?;
            Some(ArmPlace {
                target: Arc::clone(target),
                offset_bytes: arm.offset_bytes,
            })
        };
        let first = targets.first();
        Self {
            comparison: Comparison {
                schema: SCHEMA.to_owned(),
                tool: crate::check::tool(),
                machine: super::machine_of(targets),
                target: first
                    .map_or_else(String::new, |target| target.path().display().to_string()),
                arms: arms.list.clone(),
                notes: open::notes(targets),
                ..Comparison::default()
            },
            places: arms.list.iter().filter_map(place).collect(),
            ways: Vec::new(),
            amplification: None,
            options,
            design: Design::default(),
            ramp: Duration::ZERO,
            shown,
            interrupt,
            begun: Instant::now(),
        }
    }

    /// Measures all cells, shows what was found, and says how it ended.
    pub fn all(mut self, specs: &[CellSpec]) -> Result<(Comparison, Exit)> {
        let of_a_cell = self.ramp + self.design.max_time;
        let quiet = self.shown.look.quiet;
        let live = Live::new(&self.comparison, specs.len(), of_a_cell, quiet);
        self.design.cells = u32::try_from(specs.len()).unwrap_or(u32::MAX);
        let mut refused = None;
        for (index, spec) in specs.iter().enumerate() {
            match self.cell(spec, index, &live) {
                Ok(Ended::Done) => {}
                Ok(Ended::Stop(why)) => {
                    self.comparison.partial = Some(why);
                    break;
                }
                // One cell that cannot be, as 1 KiB on sectors of 4 KiB, does not end the others.
                Err(error) if error.kind() == ErrorKind::Unsupported => {
                    let what = ioalign_report::comparison::words::cell(&cells::cell(spec));
                    self.note(format!("{what} is left out: {error}"));
                    refused.get_or_insert(error);
                }
                Err(error) if self.comparison.cells.is_empty() => return Err(open::refusal(error)),
                Err(error) => {
                    self.comparison.partial = Some(error.to_string());
                    break;
                }
            }
            self.keep(specs.len())?;
        }
        if let Some(plan) = self.amplification.take() {
            self.amplify(&plan, &live);
        }
        live.finish();
        if let Some(error) =
            refused.filter(|_| self.comparison.cells.is_empty() && !self.interrupt.asked())
        {
            return Err(open::refusal(error));
        }
        self.sum_up();
        let exit = match &self.comparison.partial {
            _ if self.interrupt.asked() => Exit::Interrupted,
            Some(_) => Exit::Unreadable,
            None => Exit::Done,
        };
        Ok((self.comparison, exit))
    }

    fn cell(&mut self, spec: &CellSpec, index: usize, live: &Live) -> Result<Ended, Error> {
        if self.interrupt.asked() {
            return Ok(Ended::Stop(INTERRUPTED.to_owned()));
        }
        let options = EngineOptions {
            write: self.options.write && spec.read_ratio < 1.0,
            ..self.options.clone()
        };
        let mut cell = cells::cell(spec);
        live.begin(&cell);
        let mut bench = self.bench(spec, &options)?;
        if !self.ramped(&mut *bench, live)? {
            return Ok(Ended::Stop(INTERRUPTED.to_owned()));
        }
        let names: Vec<_> = self
            .comparison
            .arms
            .iter()
            .map(|arm| arm.name.clone())
            .collect();
        let design = Design {
            seed: self.design.seed.wrapping_add(index as u64),
            block_bytes: Some(spec.block_bytes),
            ..self.design
        };
        let outcome = experiment::run(&mut *bench, &names, &design, &mut |snapshot| {
            live.show(snapshot);
            self.interrupt.flow()
        })?;
        cell.levels = outcome.levels;
        cell.estimates = outcome.estimates;
        cell.placebo = outcome.placebo;
        cell.ios = outcome.ios;
        cell.duration_s = outcome.elapsed.as_secs_f64();
        live.row(&self.comparison, &cell);
        self.comparison.cells.push(cell);
        Ok(outcome.partial.map_or(Ended::Done, Ended::Stop))
    }

    /// The subject of a cell, with its notes.
    fn bench(
        &mut self,
        spec: &CellSpec,
        options: &EngineOptions,
    ) -> Result<Box<dyn ExperimentSubject>, Error> {
        if let (false, Some(place)) = (self.ways.is_empty(), self.places.first()) {
            let bench = PageBench::new(&place.target, &self.ways, spec, options)?;
            return Ok(Box::new(bench));
        }
        let bench = Bench::new(&self.places, spec, options)?;
        for note in bench.notes().to_vec() {
            self.note(note);
        }
        Ok(Box::new(bench))
    }

    /// Keeps all arms busy by turns, so that what has to settle has settled; `false`: Ctrl-C.
    fn ramped(&self, bench: &mut dyn ExperimentSubject, live: &Live) -> Result<bool, Error> {
        const TURN: Duration = Duration::from_millis(100);
        let begun = Instant::now();
        let mut arm = 0;
        while begun.elapsed() < self.ramp {
            if self.interrupt.asked() {
                return Ok(false);
            }
            live.ramp(self.ramp.saturating_sub(begun.elapsed()));
            if arm == 0 {
                bench.begin_round()?;
            }
            bench.saturate(arm, TURN.min(self.ramp.saturating_sub(begun.elapsed())))?;
            arm = (arm + 1) % self.places.len().max(1);
        }
        Ok(true)
    }

    fn note(&mut self, note: String) {
        if !self.comparison.notes.contains(&note) {
            self.comparison.notes.push(note);
        }
    }

    fn sum_up(&mut self) {
        self.comparison.sum_up();
        self.comparison.duration_s = self.begun.elapsed().as_secs_f64();
    }

    /// Results survive any failure: the file is rewritten after each cell.
    fn keep(&mut self, of: usize) -> Result<()> {
        let done = self.comparison.cells.len();
        if self.shown.output.is_none() || done == of {
            return Ok(());
        }
        self.sum_up();
        let mut so_far: Comparison = self.comparison.clone();
        so_far
            .partial
            .get_or_insert_with(|| format!("{done} of {of} cells are measured"));
        output::write(&so_far, self.shown)
    }
}

/// The word in reports for Ctrl-C.
pub const INTERRUPTED: &str = "interrupted";

/// The options that writes need besides `--write`.
pub const DESTROY: &str =
    " (and --destroy-data TARGET where the target holds data, which is lost then)";

/// Cells that are written need `--write`; without it the others are measured, and that is said.
pub fn readable(specs: Vec<CellSpec>, write: bool) -> (Vec<CellSpec>, Option<String>) {
    let (reads, writes): (Vec<_>, Vec<_>) = specs
        .into_iter()
        .partition(|spec| write || spec.read_ratio >= 1.0);
    let note = (!writes.is_empty()).then(|| {
        format!(
            "{} cells that write are left out: --write measures them{DESTROY}",
            writes.len()
        )
    });
    (reads, note)
}
