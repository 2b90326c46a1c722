//! A conversion as text.

use std::fmt::Write;

use ioalign_core::Bytes;
use ioalign_core::fix_document::{
    ConvertedPartition, FixConversion, FixDocument, FixResult, RebuiltFilesystem,
};

use super::ending::{consequences, done};
use super::{afterwards, written_to};
use crate::options::RenderOptions;
use crate::text::heading;
use crate::words::clean;
use crate::words::numbers::about;

/// The page.
pub fn render(
    document: &FixDocument,
    conversion: &FixConversion,
    name: &str,
    options: &RenderOptions,
) -> String {
    let mut text = String::new();
    if conversion.needed && !options.quiet() {
        head(&mut text, name, conversion);
        heading(&mut text, "Partitions", options);
        for one in &conversion.partitions {
            partition(&mut text, one, conversion);
        }
        text.push('\n');
        consequences(&mut text, &conversion.consequences, options);
        if document.result == FixResult::Planned {
            next(&mut text, document, conversion, options);
            return text;
        }
        if let Some(all) = &document.done {
            done(&mut text, all);
        }
    }
    let _ = writeln!(text, "{name}: {}", verdict(document, conversion));
    if !options.quiet() {
        afterwards(&mut text, document);
    }
    text
}

fn verdict(document: &FixDocument, conversion: &FixConversion) -> String {
    let to = conversion.to_sector_bytes;
    if !conversion.needed {
        return match conversion.universal {
            true => String::from("it has tables for both sectors already"),
            false => format!("its table counts in sectors of {to} bytes already"),
        };
    }
    let disks = match conversion.universal {
        true => String::from("disks with sectors of 512 and of 4096 bytes"),
        false => format!("disks with sectors of {to} bytes"),
    };
    match document.result {
        FixResult::Converted => {
            format!("it is for {disks} now, and the journal is gone")
        }
        FixResult::Copied => format!(
            "{} for {disks}; the original was not touched",
            written_to(document)
        ),
        _ => {
            format!("it can be made one for {disks}; nothing was written")
        }
    }
}

fn head(text: &mut String, name: &str, conversion: &FixConversion) {
    let size = conversion.disk_bytes.unwrap_or(0);
    let from = conversion.from_sector_bytes.unwrap_or(0);
    let what = match conversion.universal {
        true => format!("from {from}-byte sectors to 512 and 4096 in one image"),
        false => format!(
            "from {from}-byte to {}-byte sectors",
            conversion.to_sector_bytes
        ),
    };
    let _ = writeln!(text, "{name}: {what}, {}", about(Bytes::new(size)));
    let more = conversion
        .new_disk_bytes
        .unwrap_or(size)
        .saturating_sub(size);
    if more > 0 {
        let _ = writeln!(
            text,
            "  it becomes {} longer: the table at its end is larger",
            about(Bytes::new(more))
        );
    }
    text.push('\n');
}

fn partition(text: &mut String, part: &ConvertedPartition, conversion: &FixConversion) {
    let place = |start: u64, size: u64, unit: u64| {
        format!("{}+{}", start / unit.max(1), size / unit.max(1))
    };
    let from = conversion.from_sector_bytes.unwrap_or(0);
    let before = place(part.start_bytes, part.size_bytes, from);
    let units = match conversion.universal {
        true => vec![512, conversion.to_sector_bytes],
        false => vec![conversion.to_sector_bytes],
    };
    let after = units
        .into_iter()
        .map(|unit| place(part.new_start_bytes, part.new_size_bytes, unit))
        .collect::<Vec<_>>()
        .join(" = ");
    let mut notes = vec![part.what.to_owned()];
    notes.extend(part.rebuilt.iter().flat_map(rebuilt));
    if part.start_bytes != part.new_start_bytes {
        notes.push("moves".to_owned());
    }
    if part.size_bytes != part.new_size_bytes {
        let longer = part.new_size_bytes.saturating_sub(part.size_bytes);
        notes.push(format!("{longer} bytes longer"));
    }
    let width = if conversion.universal { 36 } else { 20 };
    let _ = writeln!(
        text,
        "  {:<4}{before:<22}-> {after:<width$}{}",
        part.number,
        notes.join("; ")
    );
}

fn rebuilt(one: &RebuiltFilesystem) -> Vec<String> {
    let [was, is] = [one.cluster_bytes, one.new_cluster_bytes].map(|size| about(Bytes::new(size)));
    let mut notes = vec![match one.clusters_kept {
        true => format!("rebuilt before its clusters of {was}; no file moves"),
        false => format!("rebuilt: its files go to clusters of {is} (from {was})"),
    }];
    if one.lost_clusters > 0 {
        notes.push(format!(
            "{} clusters of no file are freed",
            one.lost_clusters
        ));
    }
    notes
}

fn next(
    text: &mut String,
    document: &FixDocument,
    conversion: &FixConversion,
    options: &RenderOptions,
) {
    heading(text, "Nothing was written. To do it", options);
    if let Some(why) = &conversion.not_in_place {
        let _ = writeln!(text, "  not in place: {}", clean(why));
    }
    if let (Some(journal), Some(rewritten)) =
        (&conversion.journal_in_place, conversion.rewritten_bytes)
    {
        let _ = writeln!(
            text,
            "  {} of tables and file systems are written, {} move; journal: {} in {}",
            about(Bytes::new(rewritten)),
            about(Bytes::new(conversion.moved_bytes)),
            about(Bytes::new(journal.size_bytes)),
            clean(&journal.path)
        );
    }
    for command in &document.next {
        let _ = writeln!(text, "  {command}");
    }
}
