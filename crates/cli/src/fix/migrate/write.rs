//! A new image, written; or one that is there, compared.

use std::path::Path;

use anyhow::Result;
use ioalign_core::layer::detail::ImageFormat;
use ioalign_device::create::{NewFile, Readers};
use ioalign_repair::mover::Done;
use ioalign_repair::overlay::OverlayView;
use ioalign_repair::{Error, ErrorKind, container};

use super::super::fresh::FreshImage;
use super::super::same_target::SourceState;
use super::super::{image_room, options};
use super::Migration;
use super::found_image::FoundImage;
use super::image::ImagePlan;
use super::source_file::SourceFile;

const SMALLEST: u64 = 512;

/// Writes it. It has its name when it is whole.
pub fn write(
    found: &FoundImage,
    plan: &mut ImagePlan,
    new: &Path,
    run: &Migration<'_>,
) -> Result<Done> {
    let Some(format) = plan.format else {
        return file(&found.file, new, run);
    };
    image_room::check(&mut *plan.disk, new, run.arguments)?;
    let size = plan.disk.size_bytes();
    let bytes = plan.conversion.as_ref().map_or(size, |one| one.bytes);
    // It stores the size of its sectors; the others serve disks with any.
    let logical = match format {
        ImageFormat::Vhdx => plan.logical,
        _ => SMALLEST,
    };
    let source = found.file.host_file();
    let source = (source, SourceState::of(source));
    let mut image = FreshImage::create(new, source, format, bytes, logical)?;
    let how = options(run.arguments);
    let mut say = |progress: &_| run.shown.say(progress);
    let done = with_view(plan, |view| {
        container::write_view(view, &mut *image.disk, &how, &mut say)
    })?;
    image.keep()?;
    Ok(done)
}

/// The new disk, as one that can be read.
fn with_view<T>(plan: &mut ImagePlan, work: impl FnOnce(&mut OverlayView<'_>) -> T) -> T {
    let size = plan.disk.size_bytes();
    let mut view = OverlayView::new(&mut *plan.disk, (size, SMALLEST), &plan.moves, &plan.layers);
    match &plan.conversion {
        Some(conversion) => work(&mut conversion.view(&mut view)),
        None => work(&mut view),
    }
}

/// Copies a file as it is.
pub fn file(from: &SourceFile, new: &Path, run: &Migration<'_>) -> Result<Done> {
    let mut disk = from.bytes()?;
    image_room::check(&mut *disk, new, run.arguments)?;
    let source = from.host_file().metadata().ok().into_iter().collect();
    let pending = NewFile::new(new)
        .readable_by(Readers::Copied(source))
        .create()?;
    let file = pending.file().try_clone()?;
    let how = options(run.arguments);
    let mut say = |progress: &_| run.shown.say(progress);
    let done = container::copied_file(&mut *disk, file, new, &how, &mut say)?;
    pending.keep()?;
    Ok(done)
}

/// Whether what is there is what would be written.
pub fn compare(
    found: &FoundImage,
    plan: &mut ImagePlan,
    new: &Path,
    run: &Migration<'_>,
) -> Result<()> {
    if plan.format.is_none() {
        return compare_file(&found.file, new, run);
    }
    let how = options(run.arguments);
    let mut say = |progress: &_| run.shown.say(progress);
    let mut there = container::open(new, false)?;
    let same = with_view(plan, |view| {
        container::holds_view(view, &mut *there, &how, &mut say)
    })?;
    is_the_same(same)
}

/// The same of a file that is copied as it is.
pub fn compare_file(from: &SourceFile, new: &Path, run: &Migration<'_>) -> Result<()> {
    let mut disk = from.bytes()?;
    let mut there = container::file_as_disk(new)?;
    let size = disk.size_bytes();
    let mut view = OverlayView::new(&mut *disk, (size, 1), &[], &[]);
    let mut say = |progress: &_| run.shown.say(progress);
    let how = options(run.arguments);
    let same = size == there.size_bytes()
        && container::holds_view(&mut view, &mut *there, &how, &mut say)?;
    is_the_same(same)
}

fn is_the_same(same: bool) -> Result<()> {
    let what = "the output has another file of this name, which is not replaced";
    match same {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Refused, what)
            .advise("remove it, or name another folder")
            .into()),
    }
}
