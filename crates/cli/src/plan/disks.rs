//! The disks of a plan: how many, what they are called, and what joins them.

use anyhow::Result;
use ioalign_repair::planner::{Maker, PlannedArray, RaidLevel};
use ioalign_repair::platforms::DiskNames;

use crate::args::PlanArgs;
use crate::exit::UsageError;

/// The disks as named; where none are, placeholders that are no disks.
pub fn names(arguments: &PlanArgs) -> Result<DiskNames> {
    if !arguments.device.is_empty() {
        let names = DiskNames::given(arguments.platform, &arguments.device);
        return Ok(names.map_err(UsageError)?);
    }
    let members = arguments.disks.filter(|_| !arguments.controller);
    let count = usize::try_from(members.unwrap_or(1)).unwrap_or(1);
    Ok(DiskNames::placeholders(arguments.platform, count))
}

/// The array of the disks; an error if names, number and level contradict each other.
pub fn array(arguments: &PlanArgs) -> Result<Option<PlannedArray>> {
    let named = u32::try_from(arguments.device.len()).unwrap_or(u32::MAX);
    let Some(level) = arguments.raid else {
        let several = named > 1 || arguments.disks.is_some_and(|disks| disks > 1);
        if arguments.controller || several {
            return Err(wrong("several disks, or a controller: say --raid LEVEL"));
        }
        return Ok(None);
    };
    let disks = if arguments.controller {
        behind_a_controller(arguments, named)?
    } else {
        members(arguments, level, named)?
    };
    let array = PlannedArray {
        level,
        disks,
        element: arguments.element,
        maker: if arguments.controller {
            Maker::Controller
        } else {
            Maker::Md
        },
    };
    match array.fault() {
        Some(fault) => Err(wrong(fault)),
        None => Ok(Some(array)),
    }
}

/// A controller shows its array as one disk: the number of its own has to be said.
fn behind_a_controller(arguments: &PlanArgs, named: u32) -> Result<u32> {
    if named > 1 {
        return Err(wrong(format!(
            "a controller shows its array as one disk, and {named} are named: name that one, and say --disks N"
        )));
    }
    let unknown = || wrong("how many disks make the array? --disks N");
    arguments.disks.ok_or_else(unknown)
}

/// The members of an array of Linux md: all are named, or none.
fn members(arguments: &PlanArgs, level: RaidLevel, named: u32) -> Result<u32> {
    match (arguments.disks, named) {
        (None, 0) => Err(wrong("how many disks make the array? --disks N")),
        (Some(disks), 0) => Ok(disks),
        (Some(disks), named) if disks != named => Err(wrong(format!(
            "--disks says {disks}, and {named} {} named",
            if named == 1 { "is" } else { "are" }
        ))),
        (_, 1) => Err(wrong(format!(
            "RAID {} joins {} disks or more, and one is named: name all with --device, or say --controller where \
             that disk is the array",
            level.name(),
            level.least_disks()
        ))),
        (_, named) => Ok(named),
    }
}

fn wrong(why: impl Into<String>) -> anyhow::Error {
    UsageError(why.into()).into()
}
