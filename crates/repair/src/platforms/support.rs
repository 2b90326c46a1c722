//! What a platform's commands are not known for here. A wish that would be left out without a word is refused.

use super::Platform;
use crate::planner::{Filesystem, Maker, PartRole, PlanRequest, PlannedLabel, PlannedVolume};

/// Why there are no commands for it; `None`: there are.
pub fn unsupported(want: &PlanRequest, platform: Platform) -> Option<String> {
    if platform == Platform::Linux {
        return linux(want).map(ToOwned::to_owned);
    }
    let name = platform.name();
    let reason = layers(want, platform)
        .or_else(|| table(want, platform))
        .or_else(|| roles(want, platform))?;
    Some(format!("--platform {name}: {reason}"))
}

fn linux(want: &PlanRequest) -> Option<&'static str> {
    match (want.label, want.filesystem) {
        (PlannedLabel::Efi | PlannedLabel::Vtoc, _) => Some(
            "--label efi and vtoc are labels of Solaris: say --platform solaris, or --label gpt",
        ),
        (_, Some(Filesystem::Vmfs)) => Some("VMFS is made on ESXi: say --platform esxi"),
        _ => None,
    }
}

fn layers(want: &PlanRequest, platform: Platform) -> Option<&'static str> {
    if want.array.is_some_and(|array| array.maker == Maker::Md) {
        return Some("md is Linux's: say --controller where something else makes the array");
    }
    if let Some(volume) = want.volumes.first() {
        return Some(match volume {
            PlannedVolume::Luks { .. } => "no commands are planned for LUKS there",
            PlannedVolume::Lvm { .. } => "no commands are planned for LVM there",
            PlannedVolume::Bcache => "bcache is Linux's",
        });
    }
    if want.given_start.is_some() {
        return Some("a partition that stays is planned for Linux only");
    }
    let known: &[Filesystem] = match platform {
        Platform::Windows => &[Filesystem::Ntfs],
        Platform::Esxi => &[Filesystem::Vmfs],
        Platform::Solaris => &[Filesystem::Zfs],
        Platform::Linux | Platform::FreeBsd => {
            &[Filesystem::Zfs, Filesystem::Ufs, Filesystem::Swap]
        }
    };
    let unknown = want.filesystem.filter(|wanted| !known.contains(wanted));
    unknown.map(|_| match platform {
        Platform::Windows => "the file system there is ntfs",
        Platform::Esxi => "the file system there is vmfs",
        Platform::Solaris => "the file system there is zfs",
        Platform::Linux | Platform::FreeBsd => "the file systems there are zfs, ufs and swap",
    })
}

fn table(want: &PlanRequest, platform: Platform) -> Option<&'static str> {
    let fits = match want.label {
        PlannedLabel::Whole | PlannedLabel::Gpt => true,
        PlannedLabel::Dos => platform != Platform::Solaris,
        PlannedLabel::Efi | PlannedLabel::Vtoc => platform == Platform::Solaris,
    };
    if !fits {
        return Some("no such label there: gpt, dos or none; for Solaris gpt, efi, vtoc or none");
    }
    let (count, dos) = (want.partitions.len(), want.label == PlannedLabel::Dos);
    let one_alone = match platform {
        Platform::Esxi | Platform::Solaris => true,
        Platform::FreeBsd => dos,
        Platform::Linux | Platform::Windows => false,
    };
    if one_alone && count > 1 {
        return Some("one partition is planned there");
    }
    let sized = want.partitions.iter().any(|part| part.size.is_some());
    if dos && platform == Platform::Esxi && sized {
        return Some("the partition of an MBR takes the whole disk there: leave its size out");
    }
    (dos && count > 4).then_some(
        "an MBR with more than four partitions is planned for Linux only: say --label gpt",
    )
}

fn roles(want: &PlanRequest, platform: Platform) -> Option<&'static str> {
    let others = |known: &[PartRole]| {
        want.partitions
            .iter()
            .any(|part| !known.contains(&part.role))
    };
    match platform {
        Platform::Linux => None,
        Platform::FreeBsd => others(&[PartRole::Esp, PartRole::Swap, PartRole::Data])
            .then_some("partitions there are esp, swap and data"),
        Platform::Windows | Platform::Esxi | Platform::Solaris => {
            others(&[PartRole::Data]).then_some("partitions of data alone are planned there")
        }
    }
}
