//! Arrays that are known by name.

use ioalign_core::simulation_document::ArrayPreset;

use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};

/// The list of presets.
pub fn presets(presets: &[ArrayPreset], options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    for preset in presets {
        let title = format!("{}: ", preset.name);
        page.put(
            "",
            "",
            2,
            &[
                TextSpan::new(Style::Strong, title),
                TextSpan::plain(preset.about),
            ],
        );
        if !options.quiet() {
            for line in preset.toml.lines() {
                page.put("  ", "  ", 2, &[TextSpan::plain(line)]);
            }
            page.put(
                "  ",
                "  ",
                2,
                &[TextSpan::new(
                    Style::Dim,
                    format!("from: {}", preset.source),
                )],
            );
        }
    }
    page.finish()
}
