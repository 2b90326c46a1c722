//! The lines below a layer: the grids that it meets, the grids that it brings, hints not believed.

use ioalign_core::{Grid, LayerId, Origin, PhaseSet};

use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;
use crate::view::{self, Standing};
use crate::words::numbers::{count, exact_and_about, percent};
use crate::words::{clean, kinds, place};

/// How many offsets of a set are listed before "and 6 more".
const OFFSETS: usize = 3;

/// Everything that belongs below the title of `id`.
pub fn all(page: &mut TextPage, target: &Target, id: LayerId, own: &str) {
    let groups = grouped(target, id);
    if !groups.is_empty() && !page.options().verbose() && inherits(target, id) {
        inherited(page, target, id, own);
    } else {
        meetings(page, target, &groups, own);
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

/// Whether the layer stands exactly as the one layer below it, so that nothing new is to be said.
fn inherits(target: &Target, id: LayerId) -> bool {
    let [edge] = target.stack.layer(id).below.as_slice() else {
        return false;
    };
    let mine = view::meetings(target, id);
    !mine.is_empty()
        && mine.iter().all(|(one, grid, _)| {
            grid.layer != edge.below && target.phases_on(edge.below, one.grid) == Some(&one.phases)
        })
}

fn inherited(page: &mut TextPage, target: &Target, id: LayerId, own: &str) {
    let worst = view::meetings(target, id)
        .into_iter()
        .map(|(_, _, standing)| standing)
        .max_by_key(|standing| badness(*standing))
        .unwrap_or(Standing::Moot);
    let below = target
        .stack
        .layer(id)
        .below
        .first()
        .map_or_else(String::new, |edge| place::name(&target.stack, edge.below));
    let text = match worst {
        Standing::On => format!("on every boundary below, as {below}"),
        Standing::Moot => "not judged: carries no data".to_owned(),
        Standing::Unknown => format!("not known, as {below}"),
        Standing::Slight => format!("on the boundaries that are known, as {below}"),
        Standing::Off | Standing::Crosses => format!("off the boundaries below, as {below}"),
    };
    put(page, worst, own, vec![TextSpan::plain(text)]);
}

const fn badness(standing: Standing) -> u8 {
    match standing {
        Standing::Moot => 0,
        Standing::On => 1,
        Standing::Unknown => 2,
        Standing::Slight => 3,
        Standing::Crosses => 4,
        Standing::Off => 5,
    }
}

/// Bad ones a line each; good ones together on one line unless everything is wanted.
fn meetings(page: &mut TextPage, target: &Target, groups: &[Meeting<'_>], own: &str) {
    let verbose = page.options().verbose();
    let brief = |m: &&Meeting<'_>| {
        let quiet = [Standing::On, Standing::Moot, Standing::Slight];
        quiet.contains(&m.standing) && !verbose
    };
    let (calm, bad): (Vec<_>, Vec<_>) = groups.iter().partition(brief);
    for meeting in &bad {
        let text = full(page, target, meeting);
        put(page, meeting.standing, own, text);
    }
    let (slight, good): (Vec<_>, Vec<_>) = calm
        .into_iter()
        .partition(|m| m.standing == Standing::Slight);
    if let Some(first) = good.first() {
        let sizes: Vec<_> = good.iter().map(|m| cell(m.grid)).collect();
        let text = match first.standing {
            Standing::Moot => "not judged: carries no data".to_owned(),
            _ => format!("on the boundaries of {}", sizes.join(", ")),
        };
        put(page, first.standing, own, vec![TextSpan::plain(text)]);
    }
    // Beside a real miss, one that is only assumed is noise.
    if bad.is_empty() && !slight.is_empty() {
        let sizes: Vec<_> = slight.iter().map(|m| cell(m.grid)).collect();
        let why = match slight.iter().all(|m| m.grid.origin == Origin::Assumed) {
            true => "assumed, costs little",
            false => "costs little",
        };
        let text = format!("off {}: {why}", sizes.join(", "));
        put(
            page,
            Standing::Slight,
            own,
            vec![TextSpan::new(Style::Dim, text)],
        );
    }
}

/// `4 KiB physical block`.
fn cell(grid: &Grid) -> String {
    format!("{} {}", grid.size, kinds::cell(grid.kind.name()))
}

fn full(page: &TextPage, target: &Target, meeting: &Meeting<'_>) -> Vec<TextSpan> {
    let whose = place::names(&target.stack, meeting.layers.iter().copied());
    vec![
        TextSpan::plain(format!("{} of {whose}: ", cell(meeting.grid))),
        TextSpan::new(style(meeting.standing), offsets(page, meeting.phases)),
    ]
}

/// `ok`, `off by 3584 B`, or the set of offsets with their shares.
pub fn offsets(page: &TextPage, set: &PhaseSet) -> String {
    match set.phases.as_slice() {
        [] => "not known".to_owned(),
        [one] if one.offset == 0 => "ok".to_owned(),
        [one] => format!(
            "off by {}",
            exact_and_about(ioalign_core::Bytes::new(one.offset))
        ),
        many => {
            let shown = if page.options().verbose() {
                many.len()
            } else {
                OFFSETS
            };
            let list: Vec<_> = many
                .iter()
                .take(shown)
                .map(|p| format!("{} by {} B", percent(p.weight), p.offset))
                .collect();
            let rest = match many.len().saturating_sub(shown) {
                0 => String::new(),
                more => format!(" and {} more", count(more)),
            };
            let off = percent(set.off_grid());
            format!(
                "{off} is off, at {} offsets: {}{rest}",
                many.len(),
                list.join(", ")
            )
        }
    }
}

const fn style(standing: Standing) -> Style {
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
