//! The stack from the top (database page, file system) down to the disk.
//!
//! A layer that lies below several others is drawn once and referred to after that; members of
//! an array that differ only in their names are drawn once with all their names.

use ioalign_core::{Layer, LayerId, Stack};

use super::page::{Style, TextPage, TextSpan};
use super::{marks, twins};
use crate::model::Target;
use crate::view;
use crate::words::headline::capital;
use crate::words::numbers::{about, count};
use crate::words::{clean, facts, place};

/// Deeper stacks than this are cut; also keeps the lines from leaving the page.
const DEEPEST: usize = 12;

/// Draws every layer of the target.
pub fn stack(page: &mut TextPage, target: &Target) {
    let mut tree = TextTree {
        target,
        shapes: twins::shapes(target),
        drawn: vec![false; target.stack.len()],
    };
    for group in tree.groups(&view::tops(&target.stack), page) {
        tree.draw(page, &group, "", "", 0);
    }
}

struct TextTree<'a> {
    target: &'a Target,
    shapes: Vec<u64>,
    /// By the place of the layer in the stack.
    drawn: Vec<bool>,
}

impl TextTree<'_> {
    /// A layer (or several alike), its own lines, and what lies below.
    fn draw(
        &mut self,
        page: &mut TextPage,
        group: &[LayerId],
        first: &str,
        rest: &str,
        depth: usize,
    ) {
        let Some(&id) = group.first() else {
            return;
        };
        let stack = &self.target.stack;
        if self.is_drawn(id) {
            let text = [
                name(stack, id),
                TextSpan::new(Style::Dim, "  (shown above)"),
            ];
            page.put(first, rest, 2, &text);
            return;
        }
        self.mark(group);
        page.put(first, rest, 2, &title(page, stack, group));
        let below = self.below(id, page);
        let own = if below.is_empty() {
            format!("{rest}{}", page.glyphs().gap)
        } else {
            format!("{rest}{}", page.glyphs().bar)
        };
        for phrase in place::phrases(stack, id) {
            page.put(&own, &own, 2, &[TextSpan::plain(phrase)]);
        }
        marks::all(page, self.target, id, &own);
        self.descend(page, &below, rest, depth + 1);
    }

    fn is_drawn(&self, id: LayerId) -> bool {
        self.drawn.get(id.0).is_some_and(|drawn| *drawn)
    }

    fn mark(&mut self, group: &[LayerId]) {
        for id in group {
            if let Some(drawn) = self.drawn.get_mut(id.0) {
                *drawn = true;
            }
        }
    }

    fn descend(&mut self, page: &mut TextPage, below: &[Vec<LayerId>], rest: &str, depth: usize) {
        let glyphs = page.glyphs();
        if depth > DEEPEST && !below.is_empty() {
            let first = format!("{rest}{}", glyphs.corner);
            page.put(
                &first,
                rest,
                2,
                &[TextSpan::plain("more layers below, not drawn")],
            );
            return;
        }
        for (i, group) in below.iter().enumerate() {
            let (branch, line) = if i + 1 == below.len() {
                (glyphs.corner, glyphs.gap)
            } else {
                (glyphs.tee, glyphs.bar)
            };
            let (first, rest) = (format!("{rest}{branch}"), format!("{rest}{line}"));
            self.draw(page, group, &first, &rest, depth);
        }
    }

    /// The layers below, alike ones together; below twins only those of the first.
    fn below(&self, id: LayerId, page: &TextPage) -> Vec<Vec<LayerId>> {
        let layer = self.target.stack.layer(id);
        let mut ids: Vec<_> = layer.below.iter().map(|edge| edge.below).collect();
        ids.dedup();
        self.groups(&ids, page)
    }

    fn groups(&self, ids: &[LayerId], page: &TextPage) -> Vec<Vec<LayerId>> {
        if page.options().verbose() {
            return ids.iter().map(|id| vec![*id]).collect();
        }
        twins::group(&self.shapes, ids)
    }
}

fn name(stack: &Stack, id: LayerId) -> TextSpan {
    TextSpan::new(Style::Strong, capital(&place::name(stack, id)))
}

/// `Partition sda1 · 20 GiB · data`, or `Partition sda1, sdb1 and 4 more · each 20 GiB`.
fn title(page: &TextPage, stack: &Stack, group: &[LayerId]) -> Vec<TextSpan> {
    let dot = page.glyphs().dot;
    let Some((&id, others)) = group.split_first() else {
        return Vec::new();
    };
    let layer = stack.layer(id);
    let mut spans = vec![name(stack, id)];
    if !others.is_empty() {
        spans.push(TextSpan::new(Style::Strong, and_others(stack, others)));
        spans.push(TextSpan::plain(format!("{dot}alike")));
    }
    for fact in known(layer, page.options().verbose()) {
        spans.push(TextSpan::plain(format!("{dot}{fact}")));
    }
    spans
}

/// `, sdb1, sdc1 and 9 more`.
fn and_others(stack: &Stack, others: &[LayerId]) -> String {
    const NAMED: usize = 5;
    let named = others.iter().take(NAMED);
    let list: String = named
        .map(|id| format!(", {}", clean(&stack.layer(*id).name)))
        .collect();
    match others.len().saturating_sub(NAMED) {
        0 => list,
        more => format!("{list} and {} more", count(more)),
    }
}

/// The facts about a layer, in the order of their importance.
fn known(layer: &Layer, verbose: bool) -> Vec<String> {
    let mut list = Vec::new();
    list.extend(layer.size.map(about));
    if layer.role != ioalign_core::Role::Data {
        list.push(layer.role.describe().to_owned());
    }
    list.extend(layer.block.map(|block| format!("{block} blocks")));
    list.extend(
        layer
            .logical_sector
            .map(|sector| format!("{sector} sectors")),
    );
    if let Some(geometry) = layer.geometry {
        list.push(format!(
            "made for stripe unit {}, stripe width {}",
            geometry.unit, geometry.width
        ));
    }
    list.extend(if verbose {
        facts::all(layer)
    } else {
        facts::telling(layer)
    });
    list
}
