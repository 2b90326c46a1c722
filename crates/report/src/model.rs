//! The model of a report: the input of every renderer.

use ioalign_core::atomic_write::AtomicCertificate;
use ioalign_core::direct_io::DirectIoContract;
pub use ioalign_core::judge::{LayerPhases, Missed};
use ioalign_core::machine::Machine;
use ioalign_core::severity::verdict;
use ioalign_core::write_unit::WriteUnit;
use ioalign_core::{Finding, LayerId, PhaseSet, Severity, Stack};

/// The result of one run over any number of targets.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order of the command line or the folder.
    pub targets: Vec<Target>,
    /// Name and version of the program: `ioalign 0.1.0`.
    pub tool: String,
    /// The machine that it ran on, if a target is one of its devices.
    pub machine: Option<Machine>,
    /// When it was made, in seconds since 1970 UTC; renderers have no clock of their own.
    pub scanned_at_seconds: Option<u64>,
    /// The failing severities: from suboptimal on, unless a policy sets another.
    pub fail: FailOn,
    /// The policy file that decided what counts and what is waived, if there was one.
    pub policy: Option<String>,
}

/// Which findings fail a build. Severities stay what they are: this decides what counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOn {
    /// This severity and all that are worse.
    pub severity: Severity,
    /// Rules that fail at any severity.
    pub rules: Vec<String>,
}

impl Default for FailOn {
    fn default() -> Self {
        Self {
            severity: Severity::Suboptimal,
            rules: Vec::new(),
        }
    }
}

impl FailOn {
    /// Whether `finding` fails. An unknown is no failure: it is counted by itself.
    pub fn fails(&self, finding: &Finding) -> bool {
        let named = || self.rules.iter().any(|rule| rule == finding.rule);
        finding.counts()
            && finding.severity != Severity::Unknown
            && (finding.severity >= self.severity || named())
    }

    /// The severity for which it counts: a note that fails counts as misaligned, and what does not
    /// fail as a note.
    fn counted(&self, finding: &Finding) -> Severity {
        match finding.severity {
            Severity::Unknown if finding.counts() => Severity::Unknown,
            Severity::Ok | Severity::Note if self.fails(finding) => Severity::Misaligned,
            severity if self.fails(finding) => severity,
            _ => Severity::Note,
        }
    }

    /// The worst severity of a target that counts for exit codes and monitoring.
    pub fn counted_of(&self, target: &Target) -> Severity {
        if *self == Self::default() {
            return target.verdict;
        }
        let findings = target.findings.iter().map(|finding| self.counted(finding));
        verdict(findings.chain(target.error.iter().map(|_| Severity::Unknown)))
    }
}

impl Report {
    /// The worst verdict of all targets; without any nothing is known.
    pub fn verdict(&self) -> Severity {
        self.worst(|target| target.verdict)
    }

    /// The worst severity that counts for exit codes and monitoring.
    pub fn counted(&self) -> Severity {
        self.worst(|target| self.fail.counted_of(target))
    }

    fn worst(&self, of: impl Fn(&Target) -> Severity) -> Severity {
        match self.targets.is_empty() {
            true => Severity::Unknown,
            false => verdict(self.targets.iter().map(of)),
        }
    }

    /// How many targets could not be read.
    pub fn errors(&self) -> usize {
        self.targets.iter().filter(|t| t.error.is_some()).count()
    }
}

/// The origin of a target.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// A device of the running machine.
    #[default]
    Host,
    /// An image file.
    Image,
    /// A bundle or text taken on another machine.
    Capture,
}

impl SourceKind {
    /// The word of the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Image => "image",
            Self::Capture => "capture",
        }
    }
}

/// One device, image or capture, with everything that is known and judged of it.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// As the operator named it. Untrusted.
    pub name: String,
    /// Its origin.
    pub source: SourceKind,
    /// The worst severity that concerns data.
    pub verdict: Severity,
    /// Its layers and grids.
    pub stack: Stack,
    /// The phases of each layer on each grid below it: by layer, then by grid.
    pub phases: Vec<LayerPhases>,
    /// What the judge says of the layers that are off a grid: by layer, then by grid.
    pub missed: Vec<Missed>,
    /// The findings, in any order.
    pub findings: Vec<Finding>,
    /// What direct I/O to it demands, where that was asked.
    pub direct_io: Option<DirectIoContract>,
    /// Whether pages are written whole in it, where that was asked.
    pub atomic: Option<AtomicCertificate>,
    /// The unit in which each of its disks is really written, where that was asked.
    pub write_units: Vec<WriteUnit>,
    /// Why it could not be read; the stack then holds what was read before.
    pub error: Option<ErrorInfo>,
    /// Time it took, in microseconds.
    pub elapsed_us: u64,
}

impl Target {
    /// The phases of one layer, in the order of the grids.
    pub fn phases_of(&self, layer: LayerId) -> impl Iterator<Item = &LayerPhases> {
        let first = self.phases.partition_point(|one| one.layer < layer);
        let from = self.phases.get(first..).unwrap_or_default();
        from.iter().take_while(move |one| one.layer == layer)
    }

    /// What the judge says of a layer that is off a grid.
    pub fn missed_on(&self, layer: LayerId, grid: usize) -> Option<&Missed> {
        let key = |one: &Missed| (one.layer, one.grid);
        let found = self.missed.binary_search_by_key(&(layer, grid), key);
        self.missed.get(found.ok()?)
    }

    /// The phases of one layer on one grid, where they were computed.
    pub fn phases_on(&self, layer: LayerId, grid: usize) -> Option<&PhaseSet> {
        self.phases_of(layer)
            .find(|one| one.grid == grid)
            .map(|one| &one.phases)
    }
}

/// Why a target could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorInfo {
    /// A stable kebab-case word: `malformed`, `permission`, …
    pub kind: String,
    /// One sentence.
    pub message: String,
    /// The file, where known.
    pub path: Option<String>,
    /// The byte offset in the file, where known.
    pub offset: Option<u64>,
    /// The field of the on-disk structure, where known.
    pub field: Option<String>,
}
