//! A simulated array: each start with its rate, its latency and the I/Os of the disks; and the documents beside it.

mod arms;
mod calibration;
mod placement;
mod presets;
mod provisioning;
mod published;

use ioalign_core::numbers::{thousands, times};
use ioalign_core::simulation_document::{SimulatedEffect, SimulationDocument};

use crate::options::RenderOptions;
use crate::profile::table::TextTable;
use crate::text::page::{Style, TextPage, TextSpan};
use arms::start;
pub use calibration::calibration;
pub use placement::placement;
pub use presets::presets;
pub use provisioning::provisioning;
pub use published::published;

/// The whole text.
pub fn text(document: &SimulationDocument, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if !options.quiet() {
        let dot = page.glyphs().dot;
        let title = format!("{}{dot}{}", document.array, document.workload);
        page.put("", "", 2, &[TextSpan::new(Style::Strong, title)]);
        dim(&mut page, document.about.clone());
        page.blank();
    }
    for (number, arms) in document.arms.chunk_by(|a, b| a.step == b.step).enumerate() {
        if document
            .arms
            .iter()
            .any(|arm| arm.step != document.workload)
        {
            if number > 0 {
                page.blank();
            }
            let step = arms.first().map_or("", |arm| arm.step.as_str());
            page.put("", "", 2, &[TextSpan::plain(step)]);
        }
        arms::put(&mut page, arms);
    }
    if !options.quiet() {
        effects(&mut page, &document.effects, options.verbose());
    }
    if options.verbose() {
        disks(&mut page, document);
    }
    if !options.quiet() {
        notes(&mut page, &document.notes);
    }
    page.finish()
}

/// Which parameters matter, and which do not.
fn effects(page: &mut TextPage, effects: &[SimulatedEffect], verbose: bool) {
    let named = |matters: bool| {
        let some = effects.iter().filter(|one| one.matters == matters);
        let word = |one: &SimulatedEffect| match one.iops_ratio {
            Some(ratio) if matters || verbose => format!("{} ({})", one.parameter, times(ratio)),
            _ => one.parameter.clone(),
        };
        some.map(word).collect::<Vec<_>>().join(", ")
    };
    for (matters, what) in [
        (true, "matter here, doubled or exchanged: "),
        (false, "do not matter here: "),
    ] {
        let names = named(matters);
        if !names.is_empty() {
            dim(page, format!("{what}{names}"));
        }
    }
}

fn disks(page: &mut TextPage, document: &SimulationDocument) {
    for arm in &document.arms {
        page.blank();
        let mut table = TextTable::new(1, &["disk", "reads", "writes"]);
        for (number, disk) in arm.disks.iter().enumerate() {
            let array = match arm.array.as_str() {
                "" => String::new(),
                array => format!("{array}, "),
            };
            let name = format!("{array}{}, disk {number}", start(arm));
            table.row(
                Style::Plain,
                vec![name, thousands(disk.reads), thousands(disk.writes)],
            );
        }
        table.put(page);
    }
}

fn dim(page: &mut TextPage, text: impl Into<String>) {
    page.put("", "", 2, &[TextSpan::new(Style::Dim, text.into())]);
}

fn notes(page: &mut TextPage, notes: &[String]) {
    for note in notes {
        dim(page, format!("note: {note}"));
    }
}
