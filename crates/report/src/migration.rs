//! A migration as text: what was refused with its reason, what was put right, what is to be done by hand, and the sums.

use std::collections::BTreeMap;
use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_core::consequence::Weight;
use ioalign_core::migration_document::{
    ImageFate, MigratedImage, MigratedPackage, MigrationDocument, MigrationResult,
};
use ioalign_core::units::ratio;

use crate::options::RenderOptions;
use crate::text::heading;
use crate::words::clean;
use crate::words::numbers::{about, count, time};
use crate::words::sentence::capital;

/// Images of one fate that are named without `-v`, beside those that were refused.
const FEW: usize = 12;

/// The page.
pub fn render(document: &MigrationDocument, options: &RenderOptions) -> String {
    let mut text = String::new();
    if !options.quiet() {
        for (fate, title) in [
            (ImageFate::Fixed, "Put right"),
            (ImageFate::Rewritten, "The same disk in a new file"),
            (ImageFate::Fine, "Fine already, copied as they are"),
            (
                ImageFate::Unknown,
                "Copied as they are, not known to be good",
            ),
            (ImageFate::NotBegun, "Not begun"),
            (ImageFate::Refused, "Refused"),
        ] {
            images(&mut text, document, (fate, title), options);
        }
        packages(&mut text, &document.packages, options);
        by_hand(&mut text, document, options);
        sums(&mut text, document, options);
    }
    let whole = format!("{}: {}", clean(&document.source), verdict(document));
    line(&mut text, &whole, options);
    if !options.quiet() {
        for command in &document.next {
            let _ = writeln!(text, "Next: {command}");
        }
    }
    text
}

fn images(
    text: &mut String,
    document: &MigrationDocument,
    (fate, title): (ImageFate, &str),
    options: &RenderOptions,
) {
    let all: Vec<_> = document
        .images
        .iter()
        .filter(|one| one.fate == fate)
        .collect();
    if all.is_empty() {
        return;
    }
    heading(text, &format!("{title}: {}", count(all.len())), options);
    // What went well is counted; what did not has to be read.
    let most = match fate {
        _ if options.verbose() => usize::MAX,
        ImageFate::Refused | ImageFate::Unknown => usize::MAX,
        ImageFate::Fixed => FEW,
        _ => 0,
    };
    for one in all.iter().take(most) {
        let line = format!("{}{}", named(one), told(one));
        text.push_str(&crate::text::paragraph(&line, ["  ", "    "], options));
    }
    if let Some(more) = all
        .len()
        .checked_sub(most)
        .filter(|more| *more > 0 && most > 0)
    {
        let _ = writeln!(text, "  and {} more: -v names them", count(more));
    }
    text.push('\n');
}

/// `old.vhd → old.vhdx`
fn named(one: &MigratedImage) -> String {
    match &one.output {
        Some(output) if *output != one.source => format!("{} → {output}", one.source),
        _ => one.source.clone(),
    }
}

fn told(one: &MigratedImage) -> String {
    let mut words = Vec::new();
    if one.moved_partitions > 0 {
        let plural = if one.moved_partitions == 1 { "" } else { "s" };
        words.push(format!(
            "{} partition{plural} moved ({})",
            one.moved_partitions,
            about(Bytes::new(one.moved_bytes))
        ));
    }
    if let Some(sector) = one.new_sector_bytes {
        words.push(format!("for sectors of {sector} bytes"));
    }
    if let Some(new) = one.new_disk_bytes.filter(|new| *new != one.disk_bytes) {
        words.push(format!(
            "{} larger",
            about(Bytes::new(new.saturating_sub(one.disk_bytes)))
        ));
    }
    words.extend(one.notes.iter().cloned());
    if one.was_there {
        words.push("was there already and is the same".to_owned());
    }
    words.extend(one.why.clone());
    match words.is_empty() {
        true => String::new(),
        false => format!(": {}", words.join("; ")),
    }
}

fn packages(text: &mut String, all: &[MigratedPackage], options: &RenderOptions) {
    if all.is_empty() {
        return;
    }
    heading(text, "Packages", options);
    for one in all {
        let mut words = Vec::new();
        match &one.why {
            Some(why) => words.push(why.clone()),
            None if one.manifest => {
                words.push("description and manifest are those of the new disks".to_owned())
            }
            None => words.push("the description is that of the new disks".to_owned()),
        }
        words.extend(one.notes.iter().cloned());
        let line = format!("{}: {}", one.source, words.join("; "));
        text.push_str(&crate::text::paragraph(&line, ["  ", "    "], options));
    }
    text.push('\n');
}

/// Consequences of all images, each once, with how many have it.
fn by_hand(text: &mut String, document: &MigrationDocument, options: &RenderOptions) {
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    let each = document.images.iter().flat_map(|one| &one.consequences);
    for one in each.filter(|one| one.weight > Weight::Told) {
        let advice = one
            .advice
            .as_ref()
            .map(|advice| format!(". {}", capital(advice)));
        *all.entry(format!("{}{}", one.what, advice.unwrap_or_default()))
            .or_default() += 1;
    }
    if all.is_empty() {
        return;
    }
    heading(text, "To be done by hand, before they start", options);
    for (what, times) in all {
        let line = match times {
            1 => what,
            times => format!("{} times: {what}", count(times)),
        };
        text.push_str(&crate::text::paragraph(&line, ["  ! ", "    "], options));
    }
    text.push('\n');
}

/// A line of the end, which goes on below itself where the page is narrow.
fn line(text: &mut String, words: &str, options: &RenderOptions) {
    text.push_str(&crate::text::paragraph(words, ["", "  "], options));
}

fn sums(text: &mut String, document: &MigrationDocument, options: &RenderOptions) {
    if document.result != MigrationResult::Planned {
        let words = format!(
            "{} written, {} read back and compared, in {}",
            about(Bytes::new(document.written_bytes)),
            about(Bytes::new(document.verified_bytes)),
            time(ratio(document.elapsed_us, 1))
        );
        line(text, &words, options);
    }
    if document.other_files > 0 {
        let files = match document.other_files {
            1 => "file that is no image was".to_owned(),
            _ => "files that are no images were".to_owned(),
        };
        line(
            text,
            &format!("{} {files} not copied", document.other_files),
            options,
        );
    }
}

fn verdict(document: &MigrationDocument) -> String {
    let all = document.images.len();
    let refused = document.count(ImageFate::Refused);
    let unknown = document.count(ImageFate::Unknown);
    let there = all - refused - document.count(ImageFate::NotBegun);
    let plural = if all == 1 { "" } else { "s" };
    let images = format!("{} image{plural}", count(all));
    let are = if there == 1 { "is" } else { "are" };
    let mut words = match document.result {
        MigrationResult::Planned => format!(
            "{images}, {} to be put right; nothing was written",
            count(document.count(ImageFate::Fixed))
        ),
        MigrationResult::Interrupted => format!(
            "stopped; {} of {images} {are} whole in {}",
            count(there),
            clean(&document.output)
        ),
        _ => format!(
            "{} of {images} {are} in {}, {} of them put right; the originals were not touched",
            count(there),
            clean(&document.output),
            count(document.count(ImageFate::Fixed))
        ),
    };
    for (number, what) in [(refused, "refused"), (unknown, "not known to be good")] {
        if number > 0 {
            let _ = write!(words, "; {} {what}", count(number));
        }
    }
    let lost = document
        .packages
        .iter()
        .filter(|one| one.why.is_some())
        .count();
    if lost > 0 {
        let _ = write!(words, "; {} without its description", count(lost));
    }
    words
}
