//! An experiment as one self-contained page.

use ioalign_core::lab_document::LabDocument;

use super::tables::{self, LabTable};
use super::{answers, conditions, figures};
use crate::comparison::html::figures_of;
use crate::comparison::{self, figures as drawn};
use crate::html::{self, document as page};
use crate::svg::escape;
use crate::words::ended::ended;

/// The whole page.
pub fn render(document: &LabDocument) -> String {
    let mut body = format!("<header>\n<h1>{}</h1>\n", escape(&document.experiment));
    body.push_str(&format!(
        "<p class=\"lead\">{}</p>\n",
        escape(&ended(&document.about))
    ));
    let mut facts = vec![
        ("tool", document.tool.clone()),
        ("guest", conditions(document)),
    ];
    if !document.paper.is_empty() {
        facts.push(("paper", document.paper.clone()));
    }
    html::machine::put(&mut body, &facts, document.machine.as_ref());
    body.push_str("</header>\n<main>\n");
    let class = if document.holds() { "good" } else { "bad" };
    body.push_str(&format!("<div class=\"verdict {class}\">\n"));
    for sentence in answers(document) {
        body.push_str(&format!("<p>{}</p>\n", escape(&sentence)));
    }
    body.push_str("</div>\n");
    tables::all(document)
        .iter()
        .for_each(|table| put(&mut body, table));
    draw(&mut body, document);
    if !document.notes.is_empty() {
        body.push_str("<ul class=\"quiet\">\n");
        for note in &document.notes {
            body.push_str(&format!("<li>{}</li>\n", escape(&ended(note))));
        }
        body.push_str("</ul>\n");
    }
    body.push_str("</main>\n");
    body.push_str(&format!(
        "<footer>Made by {}. The same as data for scripts: <code>ioalign lab run {} --json</code>.</footer>\n",
        escape(&document.tool),
        escape(&document.experiment)
    ));
    let title = format!("{}: an experiment", document.experiment);
    page(
        &title,
        &[html::STYLE, comparison::html::STYLE, drawn::STYLE],
        &[&body],
    )
}

/// Figures of arms under many loads.
fn draw(out: &mut String, document: &LabDocument) {
    let mut number = 0;
    for comparison in figures::comparisons(document) {
        let (sets, _) = drawn::sets(&comparison);
        for set in sets.iter().filter(|set| !set.figures.is_empty()) {
            figures_of(out, set, &mut number);
        }
    }
    if number > 0 {
        out.push_str(&format!(
            "<p class=\"quiet\">{}</p>\n",
            drawn::LEGEND.join(" ")
        ));
    }
}

fn put(out: &mut String, table: &LabTable) {
    out.push_str(&format!(
        "<h2>{}</h2>\n<div class=\"wide\">\n<table>\n<thead><tr>",
        escape(&table.title)
    ));
    for head in &table.head {
        out.push_str(&format!("<th>{}</th>", escape(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let class = if column < table.left {
                "name"
            } else {
                "number"
            };
            out.push_str(&format!("<td class=\"{class}\">{}</td>", escape(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}
