//! `ioalign plan`: where every layer should start, the proof, and what to type.

mod document;
mod ground;
mod text;

use anyhow::Result;
use ioalign_core::Bytes;
use ioalign_repair::planner::{self, Array, Label, Maker, Part, PartRole, Volume, Want};
use ioalign_repair::platforms::{self, Names, Platform};

use crate::args::PlanArgs;
use crate::exit::{Exit, UsageError};
use crate::look;

/// Disks of a default letter are named up to here.
const LETTERS: u32 = 25;

/// Runs the verb.
pub fn run(arguments: &PlanArgs) -> Result<Exit> {
    let platform = arguments.platform;
    let mut want = want(arguments, platform)?;
    if let Some(path) = &arguments.from {
        ground::fill(&mut want, path)?;
    }
    let plan = match planner::plan(&want) {
        Ok(plan) => plan,
        Err(refusal) => {
            anstream::eprintln!("ioalign: there is no such layout: {refusal}");
            return Ok(Exit::Code(1));
        }
    };
    let steps = platforms::steps(&plan, platform, &names(arguments, platform));
    if arguments.look.json {
        look::json(&document::of(&plan, &steps, platform.name()))?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&text::render(&plan, &steps, &options))?;
    }
    let whole = plan.solution.given_up.is_empty();
    Ok(if whole { Exit::Done } else { Exit::Code(1) })
}

fn want(arguments: &PlanArgs, platform: Platform) -> Result<Want> {
    let named = arguments.profile_grid.iter().flat_map(|set| &set.0);
    let label = arguments.label.map_or(
        match platform {
            Platform::Solaris => Label::Efi,
            _ => Label::Gpt,
        },
        Label::from,
    );
    Ok(Want {
        array: array(arguments)?,
        logical: arguments.logical,
        physical: arguments.physical,
        physical_phase: Bytes::ZERO,
        indirection_unit: arguments.unit,
        volume_block: arguments.volume_block,
        grids: arguments.grid.iter().chain(named).cloned().collect(),
        habit: habit(arguments, platform, label),
        size: arguments.size,
        label,
        partitions: partitions(arguments),
        given_start: arguments.partition_at,
        volumes: volumes(arguments),
        filesystem: arguments.fs,
        database: arguments.db,
    })
}

/// What starts are multiples of where no grid says more. An MBR of ESX and the labels of Solaris are
/// older than the mebibyte: they keep the track, and the half of it.
fn habit(arguments: &PlanArgs, platform: Platform, label: Label) -> Option<Bytes> {
    match platform {
        _ if arguments.tight || arguments.partition_at.is_some() => None,
        Platform::Solaris => Some(Bytes::new(32 << 10)),
        Platform::Esxi if label == Label::Dos => Some(Bytes::new(64 << 10)),
        _ => Some(Bytes::MIB),
    }
}

fn array(arguments: &PlanArgs) -> Result<Option<Array>> {
    let named = u32::try_from(arguments.device.len()).unwrap_or(u32::MAX);
    let Some(level) = arguments.raid else {
        if arguments.controller || named > 1 {
            return Err(
                UsageError("several disks, or a controller: say --raid LEVEL".to_owned()).into(),
            );
        }
        return Ok(None);
    };
    // A controller shows its array as one disk: the number of its own has to be said.
    let count = if arguments.controller { 0 } else { named };
    let disks = arguments.disks.unwrap_or(count);
    if disks == 0 {
        return Err(UsageError("how many disks make the array? --disks N".to_owned()).into());
    }
    if count > 1 && disks != count {
        return Err(UsageError(format!("--disks says {disks}, and {count} are named")).into());
    }
    Ok(Some(Array {
        level,
        disks,
        element: arguments.element,
        maker: if arguments.controller {
            Maker::Controller
        } else {
            Maker::Md
        },
    }))
}

fn partitions(arguments: &PlanArgs) -> Vec<Part> {
    if arguments.partition.is_empty() {
        let data = Part {
            role: PartRole::Data,
            size: None,
        };
        return vec![data];
    }
    arguments.partition.clone()
}

fn volumes(arguments: &PlanArgs) -> Vec<Volume> {
    let bcache = arguments.bcache.then_some(Volume::Bcache);
    let luks = arguments.luks.map(|version| Volume::Luks { version });
    let lvm = arguments.lvm.then_some(Volume::Lvm {
        thin: arguments.thin,
        stripes: arguments.stripes,
    });
    [bcache, luks, lvm].into_iter().flatten().collect()
}

/// The disks as named, or as the platform would name the first that is free.
fn names(arguments: &PlanArgs, platform: Platform) -> Names {
    if !arguments.device.is_empty() {
        return Names {
            disks: arguments.device.clone(),
        };
    }
    let count = match (platform, arguments.controller) {
        (Platform::Linux, false) => arguments.disks.unwrap_or(1).min(LETTERS),
        (Platform::Linux, true) => 1,
        _ => 0,
    };
    let disks = (1..=count).filter_map(|index| char::from_u32(u32::from('a') + index));
    Names {
        disks: disks.map(|letter| format!("/dev/sd{letter}")).collect(),
    }
}
