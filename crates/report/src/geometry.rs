//! What a probe found, with its confidence, and the argument of `--grid` for the other verbs.

use ioalign_core::Bytes;
use ioalign_core::geometry_document::{FoundGrid, GeometryDocument, STRIPE};
use ioalign_core::numbers::{percent, thousands, time};
use ioalign_core::units::ratio;

use crate::comparison::words;
use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};

/// The whole text.
pub fn text(document: &GeometryDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if options.quiet() {
        for grid in &document.grids {
            line(&mut page, Style::Plain, &format!("--grid {}", grid.grid));
        }
        if document.grids.is_empty() {
            line(&mut page, Style::Plain, "none visible");
        }
        return page.finish();
    }
    head(&mut page, document);
    for grid in &document.grids {
        put(&mut page, grid);
    }
    if document.grids.is_empty() {
        line(&mut page, Style::Strong, "no geometry is visible");
    }
    if let Some(what) = document.redundancy.as_deref() {
        line(&mut page, Style::Plain, &format!("  redundancy: {what}"));
    }
    limits(&mut page, document);
    claims(&mut page, document);
    for note in &document.notes {
        line(&mut page, Style::Dim, &format!("note: {note}"));
    }
    page.finish()
}

fn line(page: &mut TextPage<'_>, style: Style, text: &str) {
    page.put("", "", 2, &[TextSpan::new(style, text)]);
}

fn head(page: &mut TextPage<'_>, document: &GeometryDocument) {
    let dot = page.glyphs().dot;
    let took = time(ratio(document.duration_us, 1));
    let writes = match document.writes {
        0 => String::new(),
        writes => format!(" and {} writes", thousands(writes)),
    };
    let title = format!(
        "{}{dot}{} reads{writes} in {took}",
        document.target,
        thousands(document.reads)
    );
    line(page, Style::Strong, &title);
    let machine = words::machine(&document.machine, dot);
    if !machine.is_empty() {
        line(page, Style::Dim, &machine);
    }
    if let Some(why) = &document.partial {
        line(page, Style::Warn, &format!("partial: {why}"));
    }
    page.blank();
}

/// The grid in words, and as an argument.
fn put(page: &mut TextPage<'_>, grid: &FoundGrid) {
    let unit = Bytes::new(grid.unit_bytes);
    let first = match grid.start_offset() {
        0 => "byte 0".to_owned(),
        past => format!(
            "byte {} (the target begins {} bytes past one)",
            thousands(grid.phase_bytes),
            thousands(past)
        ),
    };
    let effect = percent(grid.effect_ratio);
    let (what, means) = if grid.kind == STRIPE {
        (
            format!(
                "{} columns of {unit}, the first boundary at {first}",
                grid.columns
            ),
            format!("reads that meet in one column take {effect} longer"),
        )
    } else {
        (
            format!("writes in units of {unit}, the first boundary at {first}"),
            format!("writes that cover a unit in part take {effect} longer, or more"),
        )
    };
    line(page, Style::Strong, &what);
    line(page, Style::Plain, &format!("  {means}"));
    line(
        page,
        Style::Plain,
        &format!("  confidence {}", percent(grid.confidence_ratio)),
    );
    line(page, Style::Good, &format!("  --grid {}", grid.grid));
}

fn limits(page: &mut TextPage<'_>, document: &GeometryDocument) {
    let limits = [
        ("reads", document.detection_limit),
        ("writes", document.write_detection_limit),
    ];
    for (what, limit) in limits {
        if let Some(limit) = limit {
            let text = format!(
                "  smallest effect that {what} would have shown: {}",
                percent(limit)
            );
            line(page, Style::Plain, &text);
        }
    }
    if !document.found && document.partial.is_none() {
        let text = format!("  confidence {}", percent(document.confidence_ratio));
        line(page, Style::Plain, &text);
    }
}

/// What the device says of itself, and whether it is so.
fn claims(page: &mut TextPage<'_>, document: &GeometryDocument) {
    if document.claims.is_empty() {
        return;
    }
    page.blank();
    for claim in &document.claims {
        let (style, agrees) = match claim.agrees {
            Some(true) => (Style::Good, "as found"),
            Some(false) => (Style::Warn, "not as found"),
            None => (Style::Dim, "not checked by what was found"),
        };
        let text = format!("claimed: {} ({}): {agrees}", claim.grid, claim.source);
        line(page, style, &text);
    }
}
