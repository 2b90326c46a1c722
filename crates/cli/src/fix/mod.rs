//! `ioalign fix`: partitions that are off their grids are moved onto them.

mod abandon;
mod command;
mod convert;
mod document;
mod enlarge;
mod estimate;
mod flight;
mod forget;
mod fresh;
mod image_room;
mod migrate;
mod next;
mod output;
mod overlays;
mod owner;
mod perform;
mod place;
mod precautions;
mod progress;
mod refuse;
mod room;
mod same_target;
mod search;
mod shrink;
mod standing;
mod survey;
mod target;
mod trust;

use anyhow::Result;
use ioalign_core::fix_document::FixResult;
use ioalign_core::{Bytes, GridClaim};
use ioalign_repair::fix::{self, Choices, RepairPlan};
use ioalign_repair::{Disk, mover};

use crate::args::FixArgs;
use crate::exit::{Exit, UsageError};
use crate::look;
use ioalign_report::RenderOptions;
use room::FixRoom;

pub use refuse::Refusal;

/// How a dry run ends with `--exit-code` where something would move.
const WOULD_MOVE: Exit = Exit::Code(1);

/// Runs the verb. What ends without a document of its own has one of the refusal.
pub fn run(arguments: &FixArgs) -> Result<Exit> {
    let ended = begin(arguments);
    if let Err(error) = &ended
        && arguments.look.json
        && !migrate::is_for(&arguments.target)
        && !document::was_written()
    {
        document::refused(arguments, error)?;
    }
    ended
}

fn begin(arguments: &FixArgs) -> Result<Exit> {
    let mode = &arguments.mode;
    if migrate::is_for(&arguments.target) {
        return migrate::run(arguments);
    }
    if arguments.how.verify.is_nothing() && (mode.apply || mode.resume || mode.rollback) {
        let what = "--verify none is for --output, whose original stays: what is moved in place is read back";
        return Err(UsageError(what.to_owned()).into());
    }
    if mode.resume || mode.rollback {
        return perform::go_on(arguments);
    }
    if mode.forget {
        return forget::run(arguments);
    }
    if mode.adopt || mode.trust_disk {
        let next = command::line(arguments, command::FixStep::Resume(None));
        let what =
            format!("--adopt and --trust-disk are for --resume and --rollback; next: `{next}`");
        return Err(UsageError(what).into());
    }
    if let Some(again) = &mode.abandon {
        return abandon::run(arguments, again);
    }
    if let Some(to) = arguments.change.convert_sector_size {
        return convert::run(arguments, u64::from(to.get()));
    }
    if arguments.change.universal {
        return convert::run(arguments, convert::UNIVERSAL);
    }
    match &arguments.output {
        Some(new) if !mode.plan => output::run(arguments, new),
        _ if mode.apply => perform::apply(arguments),
        _ => show(arguments),
    }
}

/// The dry run. A plan that would be refused is shown first, and ends with the code of the refusal.
fn show(arguments: &FixArgs) -> Result<Exit> {
    flight::refuse_unfinished(arguments)?;
    // Before it is locked here.
    let unused = target::unused(&arguments.target);
    let mut disk = target::open(arguments, false)?;
    let plan = plan(&mut *disk, arguments)?;
    refuse::expected(&plan, arguments)?;
    let page = FixPage {
        rate: estimate::rate(&mut *disk, &plan, arguments),
        room: FixRoom::of(&mut *disk, &plan.job, &arguments.target),
        ..FixPage::of(arguments, &plan)
    };
    page.write()?;
    if plan.is_empty() {
        return Ok(Exit::Done);
    }
    refuse::without_consent(&plan, arguments)?;
    match &arguments.output {
        Some(new) => refuse::free_name(arguments, new)?,
        None => {
            overlays::refuse(arguments)?;
            unused?;
            target::writable(&arguments.target)?;
            possible_in_place(&mut *disk, &plan, arguments, page.room)?;
        }
    }
    let would_move = arguments.exit_code;
    Ok(if would_move { WOULD_MOVE } else { Exit::Done })
}

/// The reasons against doing it in place.
fn possible_in_place(
    disk: &mut dyn Disk,
    plan: &RepairPlan,
    arguments: &FixArgs,
    room: Option<FixRoom>,
) -> Result<()> {
    shrink::possible(disk, plan, arguments)?;
    match room {
        Some(room) => room.enough(arguments, &plan.job),
        None => Ok(()),
    }
}

/// The plan for an open disk.
pub fn plan(disk: &mut dyn Disk, arguments: &FixArgs) -> Result<RepairPlan> {
    let path = &arguments.target;
    let mut survey = survey::of(disk, path, grids(arguments), arguments.sector_size)?;
    let choices = Choices {
        enlarge: enlarge::wanted(arguments, &mut survey)?,
        ..choices(arguments)
    };
    enlarge::all_fit(&survey, path)?;
    fix::plan(disk, &survey, &choices).map_err(|error| refuse::unplanned(error, path))
}

/// The grids that were named.
fn grids(arguments: &FixArgs) -> Vec<GridClaim> {
    let named = arguments.profile_grid.iter().flat_map(|set| &set.grids);
    arguments.grid.iter().chain(named).cloned().collect()
}

fn choices(arguments: &FixArgs) -> Choices {
    Choices {
        only: arguments.partition.clone(),
        align: arguments.align.map(Bytes::get),
        grow: arguments.change.grow,
        shrink_last: arguments.change.shrink_last,
        anywhere: arguments.change.anywhere,
        enlarge: None,
    }
}

/// The plan, if there is something to do and every consent is given. If nothing needs moving, that is shown
/// instead. `was_shrunk`: a file system has just been shrunk, so the plan differs from the expected one.
pub fn agreed(
    disk: &mut dyn Disk,
    arguments: &FixArgs,
    was_shrunk: bool,
) -> Result<Option<RepairPlan>> {
    let plan = plan(disk, arguments)?;
    if !was_shrunk {
        refuse::expected(&plan, arguments)?;
    }
    let converts = arguments.output.is_some() && plan.survey.container.is_some();
    if plan.is_empty() && !converts {
        FixPage::of(arguments, &plan).write()?;
        return Ok(None);
    }
    refuse::without_consent(&plan, arguments)?;
    if arguments.output.is_none() {
        overlays::refuse(arguments)?;
    }
    Ok(Some(plan))
}

/// How data are moved, as the arguments say.
pub fn options(arguments: &FixArgs) -> mover::MoverOptions {
    let usual = mover::MoverOptions::default();
    mover::MoverOptions {
        chunk: arguments.how.chunk.map_or(usual.chunk, Bytes::get),
        limit: arguments.how.limit.map(Bytes::get),
        read_errors: arguments.how.read_errors.into(),
        verify: arguments.how.verify.into(),
        trust_disk: arguments.mode.trust_disk,
        ..usual
    }
}

/// All that is shown.
pub struct FixPage<'a> {
    /// The arguments.
    pub arguments: &'a FixArgs,
    /// The plan, done or not; `None` if only a journal has it.
    pub plan: Option<&'a RepairPlan>,
    /// Bytes a second, for the estimate.
    pub rate: Option<estimate::Rate>,
    /// The space that it allocates, for a file.
    pub room: Option<FixRoom>,
    /// How it ended.
    pub ended: FixResult,
    /// The result, and its duration.
    pub done: Option<(mover::Done, std::time::Duration)>,
}

impl<'a> FixPage<'a> {
    /// A plan of which nothing is done yet.
    pub const fn of(arguments: &'a FixArgs, plan: &'a RepairPlan) -> Self {
        Self {
            arguments,
            plan: Some(plan),
            rate: None,
            room: None,
            ended: FixResult::Planned,
            done: None,
        }
    }

    /// To standard output.
    pub fn write(&self) -> Result<()> {
        let look = RenderOptions {
            width: look::width(),
            ..look::options(&self.arguments.look)
        };
        document::write(self.arguments, &document::of(self), &look)
    }
}
