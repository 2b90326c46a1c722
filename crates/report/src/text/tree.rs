//! The stack from the top (database page, file system) down to the disk.
//!
//! A layer that lies below several others is drawn once and referred to after that.

use ioalign_core::{Layer, LayerId, Stack};

use super::marks;
use super::page::{Style, TextPage, TextSpan};
use crate::model::Target;
use crate::view;
use crate::words::numbers::about;
use crate::words::sentence::capital;
use crate::words::{facts, place};

/// Deeper stacks than this are cut; also keeps the lines from leaving the page.
const DEEPEST: usize = 12;

/// Draws every layer of the target.
pub fn stack(page: &mut TextPage, target: &Target) {
    let mut tree = Tree {
        target,
        drawn: vec![false; target.stack.len()],
    };
    for id in view::tops(&target.stack) {
        tree.draw(page, id, "", "", 0);
    }
}

struct Tree<'a> {
    target: &'a Target,
    /// By the place of the layer in the stack.
    drawn: Vec<bool>,
}

impl Tree<'_> {
    /// A layer, its own lines, and what lies below.
    fn draw(&mut self, page: &mut TextPage, id: LayerId, first: &str, rest: &str, depth: usize) {
        let stack = &self.target.stack;
        if self.is_drawn(id) {
            let text = [
                name(stack, id),
                TextSpan::new(Style::Dim, "  (shown above)"),
            ];
            page.put(first, rest, 2, &text);
            return;
        }
        if let Some(drawn) = self.drawn.get_mut(id.0) {
            *drawn = true;
        }
        page.put(first, rest, 2, &title(page, stack, id));
        let below = self.below(id);
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

    fn descend(&mut self, page: &mut TextPage, below: &[LayerId], rest: &str, depth: usize) {
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
        for (i, id) in below.iter().enumerate() {
            let (branch, line) = if i + 1 == below.len() {
                (glyphs.corner, glyphs.gap)
            } else {
                (glyphs.tee, glyphs.bar)
            };
            let (first, rest) = (format!("{rest}{branch}"), format!("{rest}{line}"));
            self.draw(page, *id, &first, &rest, depth);
        }
    }

    /// The layers below, each once.
    fn below(&self, id: LayerId) -> Vec<LayerId> {
        let layer = self.target.stack.layer(id);
        let mut ids: Vec<_> = layer.below.iter().map(|edge| edge.below).collect();
        ids.dedup();
        ids
    }
}

fn name(stack: &Stack, id: LayerId) -> TextSpan {
    TextSpan::new(Style::Strong, capital(&place::name(stack, id)))
}

/// `Partition sda1 · 20 GiB · data`.
fn title(page: &TextPage, stack: &Stack, id: LayerId) -> Vec<TextSpan> {
    let dot = page.glyphs().dot;
    let mut spans = vec![name(stack, id)];
    for fact in known(stack.layer(id)) {
        spans.push(TextSpan::plain(format!("{dot}{fact}")));
    }
    spans
}

/// The facts about a layer, in the order of their importance.
fn known(layer: &Layer) -> Vec<String> {
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
    list.extend(facts::all(layer));
    list
}
