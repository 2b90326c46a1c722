//! The files, and the meaning of their numbers: formats differ and may be wrong.

use ioalign_core::profile::{Profile, TraceFile, Unpaired};
use ioalign_core::units::ratio;

use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{thousands, time};

/// Files that are shown one by one, unless everything is wanted.
const FILES: usize = 4;

pub fn files(page: &mut TextPage, profile: &Profile) {
    let shown = if page.options().verbose() {
        usize::MAX
    } else {
        FILES
    };
    let mut last: Option<&TraceFile> = None;
    for file in profile.files.iter().take(shown) {
        title(page, file);
        if last.is_none_or(|last| !alike(last, file)) {
            facts(page, file);
        }
        skipped(page, file);
        last = Some(file);
    }
    let more = profile.files.len().saturating_sub(shown);
    if more > 0 {
        let rest = profile.files.iter().skip(shown);
        let bad: u64 = rest.map(|file| file.skipped_rows).sum();
        let text = format!("{more} more files, {} rows skipped in them", thousands(bad));
        page.line(&[TextSpan::new(Style::Dim, text)]);
    }
    if !profile.files.is_empty() {
        page.blank();
    }
}

fn alike(a: &TraceFile, b: &TraceFile) -> bool {
    (&a.format, &a.time_unit, &a.offset_unit) == (&b.format, &b.time_unit, &b.offset_unit)
}

fn title(page: &mut TextPage, file: &TraceFile) {
    let dot = page.glyphs().dot;
    let mut text = format!("{dot}{}", file.format);
    if let Some(how) = &file.compression {
        text.push_str(&format!(", {how}"));
    }
    let name = if file.path == "-" {
        "standard input"
    } else {
        &file.path
    };
    let body = [TextSpan::new(Style::Strong, name), TextSpan::plain(text)];
    page.put("", "", 2, &body);
}

fn facts(page: &mut TextPage, file: &TraceFile) {
    let times = match file.time_unit.strip_prefix("none") {
        Some(why) => format!("times: none{why}"),
        None => format!("times in {}", file.time_unit),
    };
    let text = format!(
        "{times}; offsets in {}; lengths in {}; operations by {}; latency: {}",
        file.offset_unit, file.length_unit, file.op_codes, file.latency_source
    );
    page.put("  ", "  ", 0, &[TextSpan::new(Style::Dim, text)]);
}

fn skipped(page: &mut TextPage, file: &TraceFile) {
    if let Some(why) = &file.cut_off {
        let text = format!("! cut off: {why}; what is there is counted");
        page.put("  ", "  ", 2, &[TextSpan::new(Style::Bad, text)]);
    }
    if file.dropped > 0 {
        let text = format!("! {} events lost by the tracer", thousands(file.dropped));
        page.put("  ", "  ", 2, &[TextSpan::new(Style::Bad, text)]);
    }
    if file.skipped_rows == 0 {
        return;
    }
    let text = match file.skipped_rows {
        1 => "! 1 row did not parse and is left out:".to_owned(),
        n => format!("! {} rows did not parse and are left out:", thousands(n)),
    };
    page.put("  ", "  ", 2, &[TextSpan::new(Style::Warn, text)]);
    for row in &file.skipped_first {
        let text = format!("{}: {}: {}", thousands(row.place), row.why, row.text);
        let text = text.trim_end_matches([':', ' ']);
        page.put("    ", "    ", 2, &[TextSpan::new(Style::Dim, text)]);
    }
}

pub fn summary(page: &mut TextPage, profile: &Profile) {
    if profile.interrupted {
        let text = "Interrupted: what follows is what was read until then.";
        page.line(&[TextSpan::new(Style::Warn, text)]);
    }
    if let Some(why) = &profile.clock_doubt {
        let text = format!(
            "! These files may not have one clock: {why}. Counts hold; durations, rates, bursts and what is paired or in \
             flight over several files do not."
        );
        page.put("", "", 2, &[TextSpan::new(Style::Warn, text)]);
    }
    if !profile.only.is_empty() {
        let text = format!("Only the I/O of: {}", profile.only.join("; "));
        page.put("", "", 2, &[TextSpan::new(Style::Warn, text)]);
    }
    let devices = match profile.devices.len() {
        1 => "1 device".to_owned(),
        n => format!("{n} devices"),
    };
    let mut text = format!("{} I/Os on {devices}", thousands(profile.events));
    if profile.duration_us > 0 {
        text.push_str(&format!(" in {}", time(ratio(profile.duration_us, 1))));
    }
    page.line(&[TextSpan::plain(text)]);
    unpaired(page, &profile.unpaired);
    let lost: u64 = profile.files.iter().map(|file| file.dropped).sum();
    if profile.dropped > lost {
        let text = format!(
            "! {} events lost: counts are too low",
            thousands(profile.dropped)
        );
        page.line(&[TextSpan::new(Style::Bad, text)]);
    }
}

fn unpaired(page: &mut TextPage, unpaired: &Unpaired) {
    let facts = [
        (unpaired.without_completion, "issued and not completed"),
        (
            unpaired.without_issue,
            "completed and issued before the trace",
        ),
        (unpaired.requeued, "requeued"),
        (unpaired.partial, "completed in part"),
        (unpaired.late, "too late to be put in order"),
    ];
    let said = facts.iter().filter(|(count, _)| *count > 0);
    let said: Vec<_> = said
        .map(|(count, what)| format!("{} {what}", thousands(*count)))
        .collect();
    if !said.is_empty() {
        page.put("", "", 2, &[TextSpan::new(Style::Dim, said.join(", "))]);
    }
}
