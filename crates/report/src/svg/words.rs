//! The words on the picture: short, plain, and sure to fit.

use ioalign_core::{Bytes, LayerId, Stack};

use super::scale::RulerScale;
use super::scene::{Scene, SceneRow};
use crate::words::clean::columns;
use crate::words::sentence::capital;
use crate::words::{kinds, place, shorten_middle};

/// Width of a text in user units, on the safe side for common sans-serif faces.
#[expect(clippy::cast_precision_loss, reason = "lengths of labels")]
pub fn width(text: &str, size: f64) -> f64 {
    columns(text) as f64 * size * 0.56
}

/// Shortened in the middle to this many columns.
pub fn fit(text: &str, room: usize) -> String {
    shorten_middle(text, room, "…")
}

/// Broken at spaces into lines of this many columns.
pub fn lines(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let word = fit(word, room);
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(&word);
        } else if columns(line) + 1 + columns(&word) <= room {
            line.push(' ');
            line.push_str(&word);
        } else {
            lines.push(word);
        }
    }
    lines
}

/// `File system ext4`.
pub fn name(stack: &Stack, id: LayerId) -> String {
    fit(&capital(&place::name(stack, id)), 40)
}

/// The effect on the request on this row; `None` if there is none.
pub fn outcome(row: &SceneRow<'_>) -> Option<String> {
    let (touched, least) = row.count()?;
    Some(match (touched, least) {
        (t, 1) if t > 1 => format!("✗ 1 request becomes {t}"),
        (t, l) if t > l => format!("✗ touches {t} instead of {l}"),
        (1, _) => "✓ fits in one".to_owned(),
        (t, _) => format!("✓ touches {t}, no more than it must"),
    })
}

/// The meaning of the ticks.
pub fn boundaries(row: &SceneRow<'_>, scale: &RulerScale) -> String {
    let Some(cells) = row.cells else {
        return "no boundaries of its own".to_owned();
    };
    let size = Bytes::new(cells.size);
    let what = cells
        .grid
        .map_or_else(|| "block".to_owned(), |grid| kinds::cell(grid.kind.name()));
    let text = if cells.grid.is_none() {
        format!("writes in {size} blocks")
    } else {
        format!("a boundary every {size} ({what})")
    };
    if scale.drawable(cells.size) {
        text
    } else {
        format!("{text}, too fine to draw")
    }
}

/// `partition p1 starts here, at byte 32256`.
pub fn starts_here(stack: &Stack, above: LayerId, at: u64) -> String {
    let name = fit(&place::name(stack, above), 36);
    if at == 0 {
        format!("{name} starts here, at the first byte")
    } else {
        format!("{name} starts here, at byte {at}")
    }
}

/// The outcome of the whole way down: whether it is good, in large, in small.
pub fn sum(scene: &Scene<'_>) -> (bool, String, String) {
    let broken = scene.rows.iter().filter(|row| row.breaks());
    let Some((row, (touched, least))) = broken
        .filter_map(|row| row.count().map(|count| (row, count)))
        .max_by_key(|(row, (touched, least))| (touched - least, row.focus))
    else {
        return (
            true,
            "1 request stays 1".to_owned(),
            if scene.cut_off {
                "It fits everywhere, as far down as its way is known.".to_owned()
            } else {
                "It fits between the boundaries of every layer on its way down.".to_owned()
            },
        );
    };
    let kind = row
        .cells
        .and_then(|cells| cells.grid)
        .map_or("", |grid| grid.kind.name());
    let cells = kinds::cells(kind);
    let large = if least == 1 {
        format!("1 request becomes {touched}")
    } else {
        format!("1 request touches {touched} {cells} instead of {least}")
    };
    let small = if row.rmw() {
        format!(
            "A write must first read the {cells} that it touches in part, then write all {touched}."
        )
    } else {
        format!("It crosses from one of the {cells} into the next, and both must work for it.")
    };
    (false, large, small)
}

/// A description of the picture for readers who cannot see it.
pub fn title(scene: &Scene<'_>) -> String {
    let (_, large, small) = sum(scene);
    let names: Vec<_> = scene
        .rows
        .iter()
        .map(|row| place::name(&scene.target.stack, row.layer))
        .collect();
    format!(
        "A request of {} drops through {}. {large}. {small}",
        Bytes::new(scene.io),
        names.join(", ")
    )
}
