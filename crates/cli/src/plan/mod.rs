//! `ioalign plan`: where every layer should start, the proof, and what to type.

mod disks;
mod ground;

use anyhow::Result;
use ioalign_core::plan_document::PlanDocument;
use ioalign_core::{Bytes, Confidence, GridClaim, Origin};
use ioalign_repair::planner::{
    self, Filesystem, PartRole, PlanRequest, PlannedLabel, PlannedPartition, PlannedVolume,
};
use ioalign_repair::platforms::{self, Platform};
use ioalign_report::plan::{self as report, sentences};

use crate::args::PlanArgs;
use crate::exit::{Exit, UsageError};
use crate::look;
use crate::say::note;

/// Runs the verb.
pub fn run(arguments: &PlanArgs) -> Result<Exit> {
    let platform = arguments.platform;
    let names = disks::names(arguments)?;
    let want = want(arguments, platform)?;
    if let Some(reason) = platforms::unsupported(&want, platform) {
        return Err(UsageError(reason).into());
    }
    let plan = match planner::plan(&want) {
        Ok(plan) => plan,
        Err(refusal) => {
            note(format_args!("there is no such layout: {refusal}"));
            return Ok(Exit::Code(1));
        }
    };
    let machine = arguments.from.as_deref().map(ground::machine).transpose()?;
    let document = PlanDocument {
        machine: machine.flatten(),
        ..platforms::document(&plan, platform, &names)
    };
    if arguments.look.json {
        look::json(&document)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&report::render(&document, &options))?;
    }
    if arguments.look.quiet {
        sentences::warnings(&document).iter().for_each(note);
    }
    let whole = document.given_up.is_empty() && document.missed.is_none();
    Ok(if whole { Exit::Done } else { Exit::Code(1) })
}

fn want(arguments: &PlanArgs, platform: Platform) -> Result<PlanRequest> {
    let named = arguments.profile_grid.iter().flat_map(|set| &set.grids);
    let label = arguments.label.map_or(
        match platform {
            Platform::Solaris => PlannedLabel::Efi,
            _ => PlannedLabel::Gpt,
        },
        PlannedLabel::from,
    );
    let declared = arguments.grid.iter().chain(named).cloned();
    let mut want = PlanRequest {
        array: disks::array(arguments)?,
        indirection_unit: arguments.unit,
        volume_block: arguments.volume_block,
        grids: declared.collect(),
        habit: habit(arguments, platform, label),
        universal: universal(arguments, platform, label)?,
        size: arguments.size,
        label,
        partitions: partitions(arguments),
        given_start: arguments.partition_at,
        volumes: volumes(arguments),
        filesystem: arguments.fs,
        database: arguments.db,
        ..PlanRequest::default()
    };
    if let Some(logical) = arguments.logical {
        want.logical = typed(want.logical, logical, "--logical");
    }
    if let Some(physical) = arguments.physical {
        want.physical = typed(want.physical, physical, "--physical");
    }
    if let Some(path) = &arguments.from {
        ground::fill(&mut want, path, arguments)?;
    }
    match platform {
        Platform::Windows => want.reserved = platforms::reserved(label, want.size),
        // The dialogue of its fdisk takes the disk as it is.
        Platform::Esxi if label == PlannedLabel::Dos => want.size = None,
        _ => {}
    }
    Ok(want)
}

/// There are two tables in a GPT alone, and what cannot live in both blocks cannot be planned for both.
fn universal(arguments: &PlanArgs, platform: Platform, label: PlannedLabel) -> Result<bool> {
    let other = match arguments.fs {
        Some(Filesystem::Ntfs) => Some("NTFS is made for one of the sectors"),
        _ if platform != Platform::Linux => {
            Some("its commands are those of Linux (--platform linux)")
        }
        _ if label != PlannedLabel::Gpt => Some("only a GPT can be there twice (--label gpt)"),
        _ => None,
    };
    match other.filter(|_| arguments.universal) {
        Some(why) => Err(UsageError(format!("--universal: {why}")).into()),
        None => Ok(arguments.universal),
    }
}

/// The claim with a size that the operator states.
fn typed(claim: GridClaim, size: Bytes, option: &str) -> GridClaim {
    let claim = GridClaim { size, ..claim };
    claim.from(Origin::Declared, option, Confidence::High)
}

/// The unit of starts if no grid demands more. An MBR of ESX and the labels of Solaris are older
/// than the 1 MiB convention: they use the track, and half of it.
fn habit(arguments: &PlanArgs, platform: Platform, label: PlannedLabel) -> Option<Bytes> {
    match platform {
        _ if arguments.tight || arguments.partition_at.is_some() => None,
        Platform::Solaris => Some(Bytes::new(32 << 10)),
        Platform::Esxi if label == PlannedLabel::Dos => Some(Bytes::new(64 << 10)),
        _ => Some(Bytes::MIB),
    }
}

fn partitions(arguments: &PlanArgs) -> Vec<PlannedPartition> {
    if arguments.partition.is_empty() {
        let data = PlannedPartition {
            role: PartRole::Data,
            size: None,
        };
        return vec![data];
    }
    arguments.partition.clone()
}

fn volumes(arguments: &PlanArgs) -> Vec<PlannedVolume> {
    let bcache = arguments.bcache.then_some(PlannedVolume::Bcache);
    let luks = arguments
        .luks
        .map(|version| PlannedVolume::Luks { version });
    let lvm = arguments.lvm.then_some(PlannedVolume::Lvm {
        thin: arguments.thin,
        stripes: arguments.stripes,
    });
    [bcache, luks, lvm].into_iter().flatten().collect()
}
