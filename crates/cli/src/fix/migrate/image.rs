//! What an image needs, and what its new one is.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use ioalign_core::Severity;
use ioalign_core::consequence::Weight;
use ioalign_core::layer::detail::ImageFormat;
use ioalign_core::migration_document::{ImageFate, MigratedImage};
use ioalign_repair::convert::{self, Conversion, ConversionAnswer, ConversionWish};
use ioalign_repair::fix::{self, DiskSurvey, RepairPlan, Sectored};
use ioalign_repair::overlay::{self, OverlayLayer, OverlayView};
use ioalign_repair::tables::RewritableTable;
use ioalign_repair::{Disk, Move};
use ioalign_report::Target;

use super::super::{choices, enlarge, owner, refuse, survey};
use super::found_image::{FoundImage, ImageFacts};
use crate::args::FixArgs;

/// Images are read and written in these units, for any sector size of their table.
const SMALLEST: u64 = 512;

/// How the new image comes about.
pub struct ImagePlan {
    /// Its path below the output.
    pub name: PathBuf,
    /// Its format; `None`: the file is copied as it is.
    pub format: Option<ImageFormat>,
    /// The old disk, in the smallest sectors.
    pub disk: Box<dyn Disk>,
    /// The moves of what lies off its grids.
    pub moves: Vec<Move>,
    /// What lies over the disk then.
    pub layers: Vec<OverlayLayer>,
    /// The change to other sectors, after that.
    pub conversion: Option<Conversion>,
    /// The logical sector of the new disk.
    pub logical: u64,
}

/// An image of which nothing is known yet.
pub fn empty(found: &FoundImage) -> MigratedImage {
    MigratedImage {
        source: found.name.display().to_string(),
        output: None,
        fate: ImageFate::NotBegun,
        was_there: false,
        format: found.facts.as_ref().map_or_else(String::new, described),
        new_format: None,
        disk_bytes: 0,
        new_disk_bytes: None,
        new_sector_bytes: None,
        moved_partitions: 0,
        moved_bytes: 0,
        written_bytes: 0,
        notes: Vec::new(),
        consequences: Vec::new(),
        why: None,
    }
}

fn described(facts: &ImageFacts) -> String {
    format!("{} {}", facts.format, facts.variant)
        .trim_end()
        .to_owned()
}

/// Reads an image and decides; what is to be said of it goes to `answer`.
pub fn planned(
    found: &FoundImage,
    arguments: &FixArgs,
    answer: &mut MigratedImage,
) -> Result<ImagePlan> {
    if let Some(why) = &found.wrong {
        bail!("{why}");
    }
    found.file.is_at_rest()?;
    let disk = found.file.disk()?;
    answer.disk_bytes = disk.size_bytes();
    let facts = found
        .facts
        .as_ref()
        .ok_or_else(|| anyhow!("its headers cannot be read"))?;
    let mut sectored = Sectored::boxed(disk, arguments.sector_size.map(|size| size.get().into()));
    let mut logical = sectored.logical_bytes();
    let repair = aligned(found, arguments, &mut *sectored, answer)?;
    drop(sectored);
    let mut disk: Box<dyn Disk> = Sectored::boxed(found.file.disk()?, Some(SMALLEST));
    let (moves, layers) = match &repair {
        Some(plan) if !plan.is_empty() => (plan.job.moves.clone(), overlay::of_job(&plan.job)),
        _ => (Vec::new(), Vec::new()),
    };
    let conversion = match arguments.change.convert_sector_size {
        Some(to) => converted(
            &mut *disk,
            (&moves, &layers),
            arguments,
            to.get().into(),
            answer,
        )?,
        None => None,
    };
    if let Some(conversion) = &conversion {
        logical = conversion.to;
    }
    answer.new_disk_bytes = Some(
        conversion
            .as_ref()
            .map_or(answer.disk_bytes, |one| one.bytes),
    );
    let changes = !moves.is_empty() || !layers.is_empty() || conversion.is_some();
    let off_grid = survey::container(&found.target).is_some();
    if off_grid {
        answer
            .notes
            .push("its file put data off the grid, and the new one does not".to_owned());
    }
    let format = format(facts, arguments, changes || off_grid);
    if let Some(format) = format {
        new_file(facts, format, found.is_packed, answer)?;
    }
    answer.fate = fate(answer.fate, changes || off_grid, format.is_some());
    answer.new_format = Some(match format {
        Some(format) => written_as(format).to_owned(),
        None => described(facts),
    });
    Ok(ImagePlan {
        name: match format {
            Some(format) if format != facts.format => found.name.with_extension(format.name()),
            _ => found.name.clone(),
        },
        format,
        disk,
        moves,
        layers,
        conversion,
        logical,
    })
}

/// The moves onto the grids; `None` for a disk without a table, of which `check` has nothing bad to say.
fn aligned(
    found: &FoundImage,
    arguments: &FixArgs,
    disk: &mut dyn Disk,
    answer: &mut MigratedImage,
) -> Result<Option<RepairPlan>> {
    let table = match RewritableTable::read_anywhere(disk) {
        Ok(table) => table,
        Err(error) if arguments.change.convert_sector_size.is_some() => return Err(error.into()),
        Err(error) => return without_table(&found.target, &error, answer).map(|()| None),
    };
    owner::refuse_others_of(
        &found.file.source()?,
        &found.file.path,
        arguments.sector_size,
    )?;
    let survey = DiskSurvey {
        // The new file has none of the old one's faults: nothing is to be said of them.
        container: None,
        ..survey::of_table(&table, &found.file.path, &found.target)?
    };
    enlarge::all_fit(&survey, &found.file.path)?;
    let plan = fix::plan(disk, &survey, &choices(arguments))?;
    fix::consent(&plan, |one| refuse::accepted(one, arguments))?;
    answer.moved_partitions = plan.shifts.len() as u64;
    answer.moved_bytes = plan.job.moved_bytes();
    if !plan.is_empty() {
        let weighty = plan
            .consequences
            .iter()
            .filter(|one| one.weight > Weight::Told);
        answer.consequences.extend(weighty.cloned());
    }
    Ok(Some(plan))
}

/// A disk without a partition table is as good as what lies on all of it.
fn without_table(
    target: &Target,
    error: &ioalign_repair::Error,
    answer: &mut MigratedImage,
) -> Result<()> {
    match target.verdict {
        Severity::Ok | Severity::Note => {
            answer
                .notes
                .push("no partition table: what lies on it fits".to_owned());
            Ok(())
        }
        Severity::Unknown => {
            answer.fate = ImageFate::Unknown;
            answer.why = Some(
                "nothing is recognised in it, so whether it is aligned is not known".to_owned(),
            );
            Ok(())
        }
        // What the file itself does wrong, a new one mends.
        _ if only_its_file(target) => Ok(()),
        _ => {
            let worst = target.findings.iter().max_by_key(|one| one.severity);
            let why = worst.map_or_else(
                || error.to_string(),
                |one| format!("{} ({})", one.why, one.rule),
            );
            Err(anyhow!(why))
        }
    }
}

fn only_its_file(target: &Target) -> bool {
    let mut bad = target
        .findings
        .iter()
        .filter(|one| one.severity > Severity::Note);
    let is_its_own = |one: &ioalign_core::Finding| survey::is_its_file(target, one);
    survey::container(target).is_some() && bad.all(is_its_own)
}

fn converted(
    disk: &mut dyn Disk,
    (moves, layers): (&[Move], &[OverlayLayer]),
    arguments: &FixArgs,
    to: u64,
    answer: &mut MigratedImage,
) -> Result<Option<Conversion>> {
    let other = if to == SMALLEST { 4096 } else { SMALLEST };
    let from = arguments
        .sector_size
        .map_or(other, |size| size.get().into());
    let size = disk.size_bytes();
    let mut view = OverlayView::new(disk, (size, SMALLEST), moves, layers);
    let wish = ConversionWish {
        from,
        to,
        both: false,
        may_grow: true,
    };
    let ConversionAnswer::Convert(conversion) = convert::plan(&mut view, wish)? else {
        return Ok(None);
    };
    if let Some(error) = conversion.refusal(|one| refuse::accepted(one, arguments)) {
        return Err(error.into());
    }
    answer.new_sector_bytes = Some(to);
    let weighty = conversion
        .consequences
        .iter()
        .filter(|one| one.weight > Weight::Told);
    answer.consequences.extend(weighty.cloned());
    Ok(Some(*conversion))
}

/// The format of a new image; `None` where the file can be copied as it is.
fn format(facts: &ImageFacts, arguments: &FixArgs, changes: bool) -> Option<ImageFormat> {
    let wanted = arguments.format.unwrap_or(facts.format);
    let is_alone = facts.backing.is_none() && facts.others.is_empty();
    (changes || wanted != facts.format || !is_alone).then_some(wanted)
}

/// What a new file does not keep of the old one.
fn new_file(
    facts: &ImageFacts,
    format: ImageFormat,
    is_packed: bool,
    answer: &mut MigratedImage,
) -> Result<()> {
    if is_packed && format != facts.format {
        return Err(anyhow!(
            "a package says of which format its disks are: it keeps {}",
            facts.format
        ));
    }
    if let Some(backing) = &facts.backing {
        let note = format!(
            "it holds what it had from {} as well, and depends on no other image",
            backing.display()
        );
        answer.notes.push(note);
    }
    if !facts.others.is_empty() {
        answer.notes.push("its files have become one".to_owned());
    }
    if facts.snapshots > 0 {
        answer.notes.push(format!(
            "its {} internal snapshots are not in the new image",
            facts.snapshots
        ));
    }
    let (old, new) = (described(facts), written_as(format));
    if old != new {
        answer.notes.push(format!("{old} has become {new}"));
    }
    Ok(())
}

/// The format and variant that are written.
const fn written_as(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Raw => "raw",
        ImageFormat::Qcow2 => "qcow2 v3",
        ImageFormat::Vhd => "vhd dynamic",
        ImageFormat::Vhdx => "vhdx dynamic",
        ImageFormat::Vmdk => "vmdk monolithicSparse",
        ImageFormat::Vdi => "vdi dynamic",
    }
}

const fn fate(known: ImageFate, changes: bool, is_new: bool) -> ImageFate {
    match (known, changes, is_new) {
        (ImageFate::Unknown, ..) => ImageFate::Unknown,
        (_, true, _) => ImageFate::Fixed,
        (_, _, true) => ImageFate::Rewritten,
        _ => ImageFate::Fine,
    }
}
