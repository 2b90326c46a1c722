//! `ioalign fix`: partitions that are off their grids are moved onto them.

mod convert;
mod demand;
mod document;
mod estimate;
mod fresh;
mod output;
mod perform;
mod place;
mod progress;
mod refuse;
mod shrink;
mod survey;
mod target;
mod text;
mod trail;

use anyhow::Result;
use ioalign_core::{Bytes, GridSpec};
use ioalign_repair::fix::{self, Choices, Plan};
use ioalign_repair::{Disk, mover};

use crate::args::FixArgs;
use crate::exit::Exit;
use crate::look;
use document::Ended;

/// How a run ends that finds nothing to do.
const NOTHING: Exit = Exit::Code(1);

/// Runs the verb.
pub fn run(arguments: &FixArgs) -> Result<Exit> {
    let mode = &arguments.mode;
    if mode.resume || mode.rollback {
        return perform::go_on(arguments);
    }
    if let Some(to) = arguments.change.convert_sector_size {
        return convert::run(arguments, u64::from(to.get()));
    }
    match &arguments.output {
        Some(new) if !mode.plan => output::run(arguments, new),
        _ if mode.apply => perform::apply(arguments),
        _ => show(arguments),
    }
}

/// The dry run.
fn show(arguments: &FixArgs) -> Result<Exit> {
    place::no_unfinished(arguments)?;
    let mut disk = target::open(arguments, false)?;
    let plan = plan(&mut *disk, arguments)?;
    refuse::expected(&plan, arguments)?;
    let page = Page {
        rate: estimate::rate(&mut *disk, &plan, arguments),
        ..Page::of(arguments, &plan)
    };
    page.write()?;
    Ok(page.exit())
}

/// What is to be done on an open disk.
pub fn plan(disk: &mut dyn Disk, arguments: &FixArgs) -> Result<Plan> {
    let named = arguments.profile_grid.iter().flat_map(|set| &set.0);
    let grids: Vec<GridSpec> = arguments.grid.iter().chain(named).cloned().collect();
    let survey = survey::of(disk, &arguments.target, grids, arguments.sector_size)?;
    let choices = Choices {
        only: arguments.partition.clone(),
        align: arguments.align.map(Bytes::get),
        grow: arguments.change.grow,
        shrink_last: arguments.change.shrink_last,
    };
    fix::plan(disk, &survey, &choices).map_err(|error| refuse::error(error, &arguments.target))
}

/// The plan, where there is something to do and every consent that it needs. Where nothing needs moving, that is
/// shown instead. `was_shrunk`: a file system was made smaller a moment ago, which makes it another plan than the
/// expected one.
pub fn agreed(disk: &mut dyn Disk, arguments: &FixArgs, was_shrunk: bool) -> Result<Option<Plan>> {
    let plan = plan(disk, arguments)?;
    if !was_shrunk {
        refuse::expected(&plan, arguments)?;
    }
    if plan.is_empty() {
        Page::of(arguments, &plan).write()?;
        return Ok(None);
    }
    refuse::without_consent(&plan, arguments)?;
    Ok(Some(plan))
}

/// How data are moved, as the arguments say.
pub fn options(arguments: &FixArgs) -> mover::Options {
    let usual = mover::Options::default();
    mover::Options {
        chunk: arguments.how.chunk.map_or(usual.chunk, Bytes::get),
        limit: arguments.how.limit.map(Bytes::get),
        read_errors: arguments.how.read_errors.into(),
        verify: arguments.how.verify.into(),
        ..usual
    }
}

/// All that is shown.
pub struct Page<'a> {
    /// What was typed.
    pub arguments: &'a FixArgs,
    /// What is, or was, to be done; `None` where only a journal says so.
    pub plan: Option<&'a Plan>,
    /// Bytes a second, for the estimate.
    pub rate: Option<estimate::Rate>,
    /// How it ended.
    pub ended: Ended,
    /// What was done, and how long it took.
    pub done: Option<(mover::Done, std::time::Duration)>,
}

impl<'a> Page<'a> {
    /// A plan of which nothing is done yet.
    pub const fn of(arguments: &'a FixArgs, plan: &'a Plan) -> Self {
        Self {
            arguments,
            plan: Some(plan),
            rate: None,
            ended: Ended::Planned,
            done: None,
        }
    }

    /// To standard output.
    pub fn write(&self) -> Result<()> {
        if self.arguments.look.json {
            return look::json(&document::of(self));
        }
        look::write(&text::render(self, &look::options(&self.arguments.look)))
    }

    /// 1 where nothing needs moving.
    pub fn exit(&self) -> Exit {
        let nothing = self.plan.is_some_and(Plan::is_empty);
        if nothing { NOTHING } else { Exit::Done }
    }
}
