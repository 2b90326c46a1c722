//! The verdicts in sentences.

use ioalign_core::Bytes;
use ioalign_core::profile::alignment::{FEWEST, MOST, culprit};
use ioalign_core::profile::{Alignment, AlignmentState, DeviceProfile, OnDeclaredGrid, Profile};

use super::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use crate::words::numbers::{about, percent, thousands};

pub const fn style(state: AlignmentState) -> Style {
    match state {
        AlignmentState::Aligned => Style::Good,
        AlignmentState::Misaligned => Style::Bad,
        AlignmentState::Partial | AlignmentState::Suboptimal => Style::Warn,
        AlignmentState::Indeterminate => Style::Odd,
    }
}

/// One line: verdict, device, share.
pub fn quiet(page: &mut TextPage, profile: &Profile) {
    let name = match profile.devices.as_slice() {
        [one] => one.device.clone(),
        many => format!("{} devices", many.len()),
    };
    let found = &profile.alignment;
    let word = match (found.offset_bytes, found.on_grid) {
        (_, Some(on)) => format!("{} on {}", found.state.name(), Bytes::new(on.size_bytes)),
        (Some(offset), None) => format!("{} by {offset} B", found.state.name()),
        (None, None) => found.state.name().to_owned(),
    };
    let body = [
        TextSpan::new(style(found.state), word),
        TextSpan::plain(format!(": {name}: {}", brief(found))),
    ];
    page.put("", "", 2, &body);
}

fn brief(found: &Alignment) -> String {
    let ios = thousands(found.ios);
    if let Some(on) = &found.on_grid {
        return brief_on_grid(found.state, on);
    }
    match (found.state, found.offset_ratio) {
        (AlignmentState::Indeterminate, _) => format!("{ios} I/Os, fewer than {FEWEST}"),
        (AlignmentState::Aligned | AlignmentState::Suboptimal, _) => {
            format!("{} of {ios} I/Os", percent(found.on_4096_ratio))
        }
        (AlignmentState::Misaligned, Some(part)) => format!("{} of {ios} I/Os", percent(part)),
        (AlignmentState::Misaligned, None) => format!(
            "{} of {ios} I/Os, no constant shift",
            percent(found.whole_off_ratio)
        ),
        (AlignmentState::Partial, _) => format!(
            "{} of {ios} I/Os are no whole blocks",
            percent(found.partial_ratio)
        ),
    }
}

fn brief_on_grid(state: AlignmentState, on: &OnDeclaredGrid) -> String {
    let ios = thousands(on.ios);
    match state {
        AlignmentState::Indeterminate => format!("{ios} I/Os, fewer than {FEWEST}"),
        AlignmentState::Aligned => format!("{} of {ios} I/Os", percent(1.0 - on.start_off_ratio)),
        AlignmentState::Partial => format!(
            "{} of {ios} I/Os are no whole blocks",
            percent(on.partial_ratio)
        ),
        AlignmentState::Misaligned if on.crossing_ratio < on.start_off_ratio => {
            format!("{} of {ios} I/Os start off it", percent(on.start_off_ratio))
        }
        AlignmentState::Misaligned | AlignmentState::Suboptimal => format!(
            "{} of {ios} I/Os cross a boundary more than they must",
            percent(on.crossing_ratio)
        ),
    }
}

/// A row a device.
pub fn table(page: &mut TextPage, devices: &[&DeviceProfile]) {
    let mut table = TextTable::new(
        2,
        &[
            "device",
            "verdict",
            "I/Os",
            "off 4 KiB",
            "partial",
            "read",
            "written",
        ],
    );
    for device in devices.iter().take(page.options().max_rows) {
        let found = &device.alignment;
        let state = match (found.offset_bytes, found.on_grid) {
            (_, Some(on)) => format!("{} on {}", found.state.name(), Bytes::new(on.size_bytes)),
            (Some(offset), None) => format!("off by {offset} B"),
            (None, None) => found.state.name().to_owned(),
        };
        let bytes = |op: &str| device.by_op.get(op).map_or(0, |op| op.bytes);
        table.row(
            style(found.state),
            vec![
                device.device.clone(),
                state,
                thousands(found.ios),
                percent(1.0 - found.on_4096_ratio),
                percent(found.partial_ratio),
                about(Bytes::new(bytes("read"))),
                about(Bytes::new(bytes("write"))),
            ],
        );
    }
    table.put(page);
    let more = devices.len().saturating_sub(page.options().max_rows);
    if more > 0 {
        page.line(&[TextSpan::new(Style::Dim, format!("  and {more} more"))]);
    }
}

/// The device's title and its verdict.
pub fn device(page: &mut TextPage, device: &DeviceProfile) {
    let found = &device.alignment;
    let mut title = vec![
        TextSpan::new(Style::Strong, device.device.clone()),
        TextSpan::plain(page.glyphs().dot),
        TextSpan::new(style(found.state), found.state.name().to_uppercase()),
    ];
    if let Some(on) = &found.on_grid {
        title.push(TextSpan::plain(format!(" on {}", place(on))));
    }
    if let Some(layer) = &device.layer {
        title.push(TextSpan::plain(format!("{}{layer}", page.glyphs().dot)));
    }
    page.put("", "", 2, &title);
    page.line(&[TextSpan::plain(sentence(found))]);
    if let Some(why) = by_op(device) {
        page.line(&[TextSpan::plain(why)]);
    }
    if device.offset_applied_bytes != 0 {
        let text = format!(
            "Every offset was moved by {} bytes first.",
            device.offset_applied_bytes
        );
        page.line(&[TextSpan::new(Style::Dim, text)]);
    }
    outside(page, device);
}

fn outside(page: &mut TextPage, device: &DeviceProfile) {
    let verb = match device.outside_ios {
        0 => return,
        1 => "I/O lies",
        _ => "I/Os lie",
    };
    let text = format!(
        "{} {verb} past the end of the device or before its first byte: the trace is another device's, or the shift is wrong.",
        thousands(device.outside_ios)
    );
    page.line(&[TextSpan::new(Style::Warn, text)]);
}

/// If operations differ, the one that the verdict belongs to.
fn by_op(device: &DeviceProfile) -> Option<String> {
    let judged = device
        .by_op
        .iter()
        .filter(|(_, op)| op.alignment.state != AlignmentState::Indeterminate);
    let states: Vec<_> = judged
        .map(|(name, op)| (name, op.alignment.state))
        .collect();
    let first = states.first()?.1;
    if states.iter().all(|(_, state)| *state == first) {
        return None;
    }
    let said: Vec<_> = states
        .iter()
        .map(|(name, state)| format!("{name}s {}", state.name()))
        .collect();
    Some(format!("By operation: {}.", said.join(", ")))
}

/// The basis of the verdict.
pub fn sentence(found: &Alignment) -> String {
    if let Some(on) = &found.on_grid {
        return sentence_on_grid(found, on);
    }
    match (found.state, found.offset_bytes) {
        (AlignmentState::Indeterminate, _) => format!(
            "Only {} I/Os with a place: {FEWEST} are needed for a verdict.",
            thousands(found.ios)
        ),
        (AlignmentState::Aligned | AlignmentState::Suboptimal, _) => format!(
            "{} of its I/Os start on a 4 KiB boundary, and {} are not whole 4 KiB blocks.",
            percent(found.on_4096_ratio),
            percent(found.partial_ratio)
        ),
        (AlignmentState::Misaligned, Some(offset)) => shift(found, offset),
        (AlignmentState::Misaligned, None) => format!(
            "{} of the I/Os of whole 4 KiB blocks start off a 4 KiB boundary, by no constant amount: \
             not a partition, but whoever places this I/O. See sizes and processes.",
            percent(found.whole_off_ratio)
        ),
        (AlignmentState::Partial, _) => format!(
            "{} of its I/Os are not whole 4 KiB blocks and {} start off a 4 KiB boundary, while those of \
             whole blocks are aligned: small records (a log, 512-byte sectors), no shift of a partition.",
            percent(found.partial_ratio),
            percent(1.0 - found.on_4096_ratio)
        ),
    }
}

/// `8 KiB`, or with its first boundary.
fn place(on: &OnDeclaredGrid) -> String {
    let size = Bytes::new(on.size_bytes);
    match on.phase_bytes {
        0 => size.to_string(),
        phase => format!("{size} at {}", Bytes::new(phase)),
    }
}

/// The basis of a verdict on a declared grid.
fn sentence_on_grid(found: &Alignment, on: &OnDeclaredGrid) -> String {
    let size = place(on);
    let off = percent(on.start_off_ratio);
    let start = match on.offset_bytes {
        Some(offset) => format!(
            "{off} of its I/Os start off the declared {size}, nearly all {} past a boundary",
            Bytes::new(offset)
        ),
        None => format!("{off} of its I/Os start off the declared {size}"),
    };
    let crossing = percent(on.crossing_ratio);
    match found.state {
        AlignmentState::Indeterminate => format!(
            "Only {} I/Os with a place: {FEWEST} are needed for a verdict.",
            thousands(on.ios)
        ),
        AlignmentState::Aligned => format!(
            "{} of its I/Os start on a boundary of the declared {size}, and {} are not whole blocks of it.",
            percent(1.0 - on.start_off_ratio),
            percent(on.partial_ratio)
        ),
        AlignmentState::Partial => format!(
            "{} of its I/Os are not whole blocks of the declared {size} and {off} start off it, and few cross a \
             boundary: small records, no shift of a partition.",
            percent(on.partial_ratio)
        ),
        AlignmentState::Misaligned | AlignmentState::Suboptimal => {
            format!(
                "{start}; {crossing} touch a block more than they must.{}",
                on_4_kib(found)
            )
        }
    }
}

/// I/O that 4 KiB alone would call aligned.
fn on_4_kib(found: &Alignment) -> &'static str {
    if found.on_4096_ratio >= MOST {
        " On 4 KiB, nearly all of it starts on a boundary."
    } else {
        ""
    }
}

fn shift(found: &Alignment, offset: u64) -> String {
    let part = percent(found.offset_ratio.unwrap_or(0.0));
    // The remainder is that of whole blocks as long as there are enough of them.
    #[allow(clippy::cast_precision_loss)] // compared with a hundred
    let whole = found.ios as f64 * (1.0 - found.partial_ratio) >= FEWEST as f64;
    let which = if whole && found.partial_ratio > 0.0 {
        " of whole 4 KiB blocks"
    } else {
        ""
    };
    let cause = match culprit(offset) {
        Some(cause) => format!(": {cause}"),
        None => ": a partition or volume that starts so far off".to_owned(),
    };
    format!(
        "{part} of its I/Os{which} start at {} mod 8 sectors, {offset} bytes past a 4 KiB boundary{cause}.",
        offset / 512
    )
}
