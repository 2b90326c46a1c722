//! The program in the kernel: configured for the devices, loaded and attached.
//!
//! Typed tracepoints (`tp_btf`) come first: they hand over the request itself, so that a completion is
//! matched by its tag. Plain tracepoints serve kernels without type information.

use std::time::Duration;

use aya::maps::{MapData, RingBuf};
use aya::programs::{BtfTracePoint, Program, ProgramError, TracePoint};
use aya::{Btf, Ebpf};
use rustix::process::{Resource, Rlimit, setrlimit};

use super::btf::Types;
use super::device::WatchedDevice;
use super::layout::{GRIDS, ONLY_FILES, SLOTS};
use super::load::{KernelFacts, QUEUE_FIRST, grids, load, refused};
use super::options::WatchOptions;
use super::totals::WatchTotals;
use super::tracefs;
use crate::error::{ObserveError, ObserveErrorKind, Result};

/// How I/O is seen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Means {
    /// BPF on typed tracepoints.
    Typed,
    /// BPF on plain tracepoints: no type information in this kernel.
    Plain,
}

/// The program at work. It ends when this is dropped.
pub struct Watch {
    bpf: Ebpf,
    options: WatchOptions,
    means: Means,
}

/// The cost of the programs as reported by the kernel, while its run-time statistics are on.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramCost {
    /// Nanoseconds in all programs.
    pub nanos: u64,
    /// Runs of them.
    pub runs: u64,
    /// Nanoseconds in empty programs on issue and completion.
    pub empty_nanos: u64,
    /// Runs of those.
    pub empty_runs: u64,
}

impl Watch {
    /// Devices at most.
    pub const MOST: usize = SLOTS;

    /// Files and folders that can be counted alone, at most.
    pub const MOST_FILES: usize = ONLY_FILES;

    /// Loads and attaches.
    pub fn start(mut options: WatchOptions) -> Result<Self> {
        options.devices.truncate(Self::MOST);
        for device in &mut options.devices {
            device.grids.truncate(GRIDS);
        }
        // Until Linux 5.11 maps count as locked memory. If the limit cannot be raised, small maps
        // still fit.
        let unlimited = Rlimit {
            current: None,
            maximum: None,
        };
        let _ = setrlimit(Resource::Memlock, unlimited);
        let types = Types::running().filter(|_| !options.plain);
        match types {
            Some(types) => Self::typed(options, &types),
            None if options.only_group.is_some() => Err(ObserveError::new(
                ObserveErrorKind::Unsupported,
                "I/O of one control group is counted only on kernels with type information (BTF)",
            )),
            None if !options.only_files.is_empty() => Err(ObserveError::new(
                ObserveErrorKind::Unsupported,
                "I/O of single files is counted only on kernels with type information (BTF)",
            )),
            None => Self::plainly(options),
        }
    }

    fn typed(options: WatchOptions, types: &Types) -> Result<Self> {
        let kernel =
            Btf::from_sys_fs().map_err(|error| refused("read the kernel's types", error))?;
        let early = types.arguments("block_io_start").is_some();
        let queue_first = |tracepoint| u32::from(types.arguments(tracepoint) == Some(2));
        let facts = KernelFacts {
            kernel: Some(&kernel),
            early,
            queue_first: QUEUE_FIRST.map(|(_, tracepoint)| queue_first(tracepoint)),
            places: tracefs::TracepointPlaces::default(),
        };
        let mut bpf = load(&options, &facts)?;
        let wanted = programs(&options, early);
        attach_all(
            &mut bpf,
            &wanted,
            |program: &mut BtfTracePoint, tracepoint| program.load(tracepoint, &kernel),
            |program, _| program.attach().map(drop),
        )?;
        Ok(Self {
            bpf,
            options,
            means: Means::Typed,
        })
    }

    fn plainly(options: WatchOptions) -> Result<Self> {
        let facts = KernelFacts {
            places: tracefs::places()?,
            ..KernelFacts::default()
        };
        let mut bpf = load(&options, &facts)?;
        attach_all(
            &mut bpf,
            &PLAIN,
            |program: &mut TracePoint, _| program.load(),
            |program, tracepoint| program.attach("block", tracepoint).map(drop),
        )?;
        Ok(Self {
            bpf,
            options,
            means: Means::Plain,
        })
    }

    fn unload(&mut self, which: impl Fn(&str) -> bool) {
        let chosen = self.bpf.programs_mut().filter(|(name, _)| which(name));
        for (_, program) in chosen {
            // One that was not loaded, or is unloaded already, has nothing to unload.
            let _ = match program {
                Program::BtfTracePoint(program) => program.unload(),
                Program::TracePoint(program) => program.unload(),
                _ => Ok(()),
            };
        }
    }

    /// How I/O is seen.
    pub const fn means(&self) -> Means {
        self.means
    }

    /// The devices, in the order of [`WatchTotals::devices`].
    pub fn devices(&self) -> &[WatchedDevice] {
        &self.options.devices
    }

    /// All counters as they are now.
    pub fn totals(&self) -> Result<WatchTotals> {
        let mut totals = WatchTotals::read(&self.bpf, &self.options, grids(&self.options))?;
        totals.missed = self.sum("recursion_misses");
        Ok(totals)
    }

    /// The cost as reported by the kernel; nothing while `kernel.bpf_stats_enabled` is 0.
    pub fn cost(&self) -> ProgramCost {
        let part = |what, empty| self.sum_of(what, |name| name.starts_with("empty") == empty);
        ProgramCost {
            nanos: part("run_time_ns", false),
            runs: part("run_cnt", false),
            empty_nanos: part("run_time_ns", true),
            empty_runs: part("run_cnt", true),
        }
    }

    /// A figure of the kernel about the programs, over all of them.
    fn sum(&self, what: &str) -> u64 {
        self.sum_of(what, |_| true)
    }

    fn sum_of(&self, what: &str, wanted: impl Fn(&str) -> bool) -> u64 {
        use std::os::fd::{AsFd, AsRawFd};
        let programs = self.bpf.programs().filter(|(name, _)| wanted(name));
        let fds = programs.filter_map(|(_, program)| program.fd().ok());
        let texts = fds.filter_map(|fd| {
            let number = fd.as_fd().as_raw_fd();
            std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).ok()
        });
        texts.filter_map(|text| figure(&text, what)).sum()
    }

    /// The ring of events; `None` where there is none, or when it was taken before.
    pub(super) fn ring(&mut self) -> Option<RingBuf<MapData>> {
        self.options.ring?;
        RingBuf::try_from(self.bpf.take_map("ring")?).ok()
    }

    /// A map of the program.
    pub(super) fn map(&self, name: &str) -> Option<&aya::maps::Map> {
        self.bpf.map(name)
    }

    /// Detaches; the counters stay as they are. No more issues first, so that most I/O in flight still completes.
    pub fn stop(&mut self) -> WatchTotals {
        let missed = self.sum("recursion_misses");
        self.unload(|name| ISSUES.contains(&name));
        std::thread::sleep(GRACE);
        self.unload(|_| true);
        let mut totals = self.totals().unwrap_or_default();
        totals.missed = missed;
        totals
    }
}

/// Programs on plain tracepoints, completions first as in [`programs`].
const PLAIN: [(&str, &str); 3] = [
    ("plain_complete", "block_rq_complete"),
    ("plain_requeue", "block_rq_requeue"),
    ("plain_issue", "block_rq_issue"),
];
/// The programs that count I/O as it is issued.
const ISSUES: [&str; 4] = ["bio_queue", "io_start", "rq_issue", "plain_issue"];
/// So long I/O in flight may complete at the end.
const GRACE: Duration = Duration::from_millis(10);

fn figure(text: &str, what: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(what))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Loads all programs before it attaches the first: that takes long, and all should begin at once.
fn attach_all<P>(
    bpf: &mut Ebpf,
    wanted: &[(&str, &str)],
    load: impl Fn(&mut P, &str) -> ProgramResult,
    attach: impl Fn(&mut P, &str) -> ProgramResult,
) -> Result<()>
where
    for<'a> &'a mut P: TryFrom<&'a mut Program>,
{
    for (name, tracepoint) in wanted {
        load(program(bpf, name)?, tracepoint)
            .map_err(|error| refused(&format!("load what goes to {tracepoint}"), error))?;
    }
    for (name, tracepoint) in wanted {
        attach(program(bpf, name)?, tracepoint)
            .map_err(|error| refused(&format!("attach to {tracepoint}"), error))?;
    }
    Ok(())
}

type ProgramResult = std::result::Result<(), ProgramError>;

fn program<'a, P>(bpf: &'a mut Ebpf, name: &str) -> Result<&'a mut P>
where
    &'a mut P: TryFrom<&'a mut Program>,
{
    let found = bpf
        .program_mut(name)
        .and_then(|program| program.try_into().ok());
    found.ok_or_else(|| {
        ObserveError::new(
            ObserveErrorKind::Malformed,
            format!("There is no program {name}"),
        )
    })
}

/// The programs that this kernel and these devices need. Completions go first: what is issued is then
/// never missed when it completes.
fn programs(options: &WatchOptions, early: bool) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    if options.devices.iter().any(|device| device.by_bio) {
        all.push(("bio_complete", "block_bio_complete"));
        all.push(("bio_queue", "block_bio_queue"));
    }
    if options.devices.iter().any(|device| !device.by_bio) {
        all.push(("rq_complete", "block_rq_complete"));
        all.push(("rq_requeue", "block_rq_requeue"));
        if options.owners && early {
            all.push(("io_start", "block_io_start"));
        }
        all.push(("rq_issue", "block_rq_issue"));
        if options.cost {
            all.push(("empty_complete", "block_rq_complete"));
            all.push(("empty_issue", "block_rq_issue"));
        }
    }
    all
}
