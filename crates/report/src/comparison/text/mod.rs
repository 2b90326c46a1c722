//! A comparison for a terminal: the answer first, then what it rests on.

mod amplification;
mod before;
mod cell;
mod head;
mod matrix;
mod summary;

use ioalign_core::comparison::{Cell, Comparison};

use crate::options::RenderOptions;
use crate::text::page::TextPage;

pub use matrix::{heading, row};

/// More cells than this are one table, unless everything is wanted.
const IN_FULL: usize = 4;

/// The whole text.
pub fn render(comparison: &Comparison, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if options.quiet() {
        head::answer(&mut page, comparison);
        return page.finish();
    }
    head::title(&mut page, comparison);
    head::answer(&mut page, comparison);
    before::put(&mut page, comparison);
    let cells = &comparison.cells;
    if cells.len() > IN_FULL {
        page.blank();
        matrix::table(&mut page, comparison);
    }
    if cells.len() <= IN_FULL || options.verbose() {
        full(&mut page, comparison, cells);
    }
    if cells.len() > 1 {
        summary::table(&mut page, comparison);
    }
    amplification::put(&mut page, comparison);
    head::notes(&mut page, comparison);
    page.finish()
}

fn full(page: &mut TextPage, comparison: &Comparison, cells: &[Cell]) {
    for one in cells {
        page.blank();
        cell::put(page, comparison, one);
    }
}
