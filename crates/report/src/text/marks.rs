//! The lines below a layer: the grids that it meets, the grids that it brings, hints not believed.

use ioalign_core::{Grid, LayerId, PhaseSet};

use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;
use crate::view::{self, Standing};
use crate::words::numbers::{exact_and_about, percent};
use crate::words::{clean, kinds, place};

/// Everything that belongs below the title of `id`.
pub fn all(page: &mut TextPage, target: &Target, id: LayerId, own: &str) {
    for meeting in grouped(target, id) {
        let text = full(target, &meeting);
        put(page, meeting.standing, own, text);
    }
    for grid in target.stack.grids.iter().filter(|grid| grid.layer == id) {
        brought(page, grid, own);
    }
}

/// One grid that a layer meets, or the same grid of several members.
struct Meeting<'a> {
    grid: &'a Grid,
    phases: &'a PhaseSet,
    standing: Standing,
    layers: Vec<LayerId>,
}

fn grouped(target: &Target, id: LayerId) -> Vec<Meeting<'_>> {
    let mut groups: Vec<Meeting<'_>> = Vec::new();
    for (one, grid, standing) in view::meetings(target, id) {
        let same = |m: &&mut Meeting<'_>| {
            (m.grid.size, &m.grid.kind, m.grid.tier) == (grid.size, &grid.kind, grid.tier)
                && m.phases == &one.phases
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.layers.push(grid.layer),
            None => groups.push(Meeting {
                grid,
                phases: &one.phases,
                standing,
                layers: vec![grid.layer],
            }),
        }
    }
    groups
}

/// `4 KiB physical block`.
fn cell(grid: &Grid) -> String {
    format!("{} {}", grid.size, kinds::cell(grid.kind.name()))
}

fn full(target: &Target, meeting: &Meeting<'_>) -> Vec<TextSpan> {
    let whose = place::names(&target.stack, meeting.layers.iter().copied());
    vec![
        TextSpan::plain(format!("{} of {whose}: ", cell(meeting.grid))),
        TextSpan::new(style(meeting.standing), offsets(meeting.phases)),
    ]
}

/// `ok`, `off by 3584 B`, or the set of offsets with their shares.
fn offsets(set: &PhaseSet) -> String {
    match set.phases.as_slice() {
        [] => "not known".to_owned(),
        [one] if one.offset == 0 => "ok".to_owned(),
        [one] => format!(
            "off by {}",
            exact_and_about(ioalign_core::Bytes::new(one.offset))
        ),
        many => {
            let list: Vec<_> = many
                .iter()
                .map(|p| format!("{} by {} B", percent(p.weight), p.offset))
                .collect();
            let off = percent(set.off_grid());
            format!(
                "{off} is off, at {} offsets: {}",
                many.len(),
                list.join(", ")
            )
        }
    }
}

pub const fn style(standing: Standing) -> Style {
    match standing {
        Standing::On => Style::Good,
        Standing::Crosses => Style::Warn,
        Standing::Off => Style::Bad,
        Standing::Unknown => Style::Odd,
        Standing::Slight | Standing::Moot => Style::Dim,
    }
}

fn put(page: &mut TextPage, standing: Standing, own: &str, text: Vec<TextSpan>) {
    let mark = format!("{} ", page.glyphs().mark(standing));
    let mut body = vec![TextSpan::new(style(standing), mark)];
    body.extend(text);
    page.put(own, own, 2, &body);
}

/// A grid in the layer's own address space, or a hint that is not believed.
fn brought(page: &mut TextPage, grid: &Grid, own: &str) {
    let source = match clean(&grid.source) {
        source if source.is_empty() => String::new(),
        source => format!(" ({source})"),
    };
    if let Some(why) = &grid.distrust {
        let text = format!("hint not believed: {}{source}: {}", cell(grid), clean(why));
        put(
            page,
            Standing::Moot,
            own,
            vec![TextSpan::new(Style::Dim, text)],
        );
        return;
    }
    let phase = if grid.phase.is_zero() {
        String::new()
    } else {
        format!(", the first boundary at {}", grid.phase)
    };
    let text = format!(
        "{} grid{phase}{source}, {} confidence",
        cell(grid),
        kinds::confidence(grid.confidence)
    );
    let mark = format!("{} ", page.glyphs().grid);
    let body = [
        TextSpan::new(Style::Dim, mark),
        TextSpan::new(Style::Dim, text),
    ];
    page.put(own, own, 2, &body);
}
