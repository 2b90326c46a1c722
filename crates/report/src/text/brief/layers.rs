//! The stack as a tree with the disk at its root, each layer once.
//!
//! A file system joins the line of what it is in, a virtual disk that of its image. Layers that differ only in their
//! names share a line.

use ioalign_core::{Kind, Layer, LayerId, Map, Stack};

use super::describe;
use super::mark::{self, LayerMark};
use crate::model::Target;
use crate::text::glyphs::Glyphs;
use crate::text::page::TextPage;
use crate::text::twins;
use crate::words::clean;
use crate::words::numbers::{about, count};

/// Deeper stacks than this are cut; also keeps the lines from leaving the page.
const DEEPEST: usize = 12;

/// So many names are listed before "and 9 more".
const NAMED: usize = 4;

/// One line of the tree.
pub struct StackLine {
    /// The tree lines before the name, and before what is continued below it.
    pub branch: String,
    pub below: String,
    pub name: String,
    pub size: String,
    pub what: String,
    pub mark: Option<LayerMark>,
}

/// The lines of a target's stack.
pub fn lines(page: &TextPage<'_>, target: &Target) -> Vec<StackLine> {
    let above = above(&target.stack);
    let mut forest = Forest {
        target,
        glyphs: page.glyphs(),
        shapes: twins::with_above(target, &above),
        above,
        drawn: vec![false; target.stack.len()],
        lines: Vec::new(),
    };
    let bottoms: Vec<_> = target
        .stack
        .layers()
        .filter(|(_, layer)| layer.below.is_empty())
        .map(|(id, _)| id)
        .collect();
    for group in twins::group(&forest.shapes, &bottoms) {
        forest.draw(&group, "", "", 0);
    }
    forest.lines
}

/// What lies directly on each layer, in the order of its addresses.
fn above(stack: &Stack) -> Vec<Vec<LayerId>> {
    let mut above = vec![Vec::new(); stack.len()];
    for (id, layer) in stack.layers() {
        for edge in &layer.below {
            if let Some(list) = above
                .get_mut(edge.below.0)
                .filter(|list| list.last() != Some(&id))
            {
                list.push(id);
            }
        }
    }
    for (below, list) in above.iter_mut().enumerate() {
        list.sort_by_key(|id| {
            let edges = &stack.layer(*id).below;
            let edge = edges.iter().find(|edge| edge.below.0 == below);
            (edge.and_then(|edge| edge.map.start()), *id)
        });
    }
    above
}

/// A physical volume has the name of what it fills.
fn name(layer: &Layer) -> String {
    match layer.kind {
        Kind::LvmPv => "PV".to_owned(),
        _ => clean(&layer.name),
    }
}

struct Forest<'a> {
    target: &'a Target,
    glyphs: &'static Glyphs,
    /// What lies on each layer, by its place in the stack.
    above: Vec<Vec<LayerId>>,
    shapes: Vec<u64>,
    drawn: Vec<bool>,
    lines: Vec<StackLine>,
}

impl Forest<'_> {
    /// A layer, or several alike, and what lies on them.
    fn draw(&mut self, group: &[LayerId], branch: &str, rest: &str, depth: usize) {
        let Some(&first) = group.first() else {
            return;
        };
        if self.drawn.get(first.0) == Some(&true) {
            return self.member(first, branch);
        }
        let joined = self.joined(first);
        for id in group {
            for one in self.joined(*id) {
                if let Some(drawn) = self.drawn.get_mut(one.0) {
                    *drawn = true;
                }
            }
        }
        let upper = self.upper(group);
        let bar = if upper.is_empty() {
            self.glyphs.gap
        } else {
            self.glyphs.bar
        };
        self.lines.push(StackLine {
            branch: branch.to_owned(),
            below: format!("{rest}{bar}"),
            name: self.names(group),
            size: self.size(&joined, group.len()),
            what: describe::layers(&self.target.stack, &joined),
            mark: mark::of_layers(self.target, &joined),
        });
        self.ascend(&upper, rest, depth);
    }

    fn ascend(&mut self, upper: &[Vec<LayerId>], rest: &str, depth: usize) {
        for (i, group) in upper.iter().enumerate() {
            let (branch, line) = match i + 1 == upper.len() {
                true => (self.glyphs.corner, self.glyphs.gap),
                false => (self.glyphs.tee, self.glyphs.bar),
            };
            let branch = format!("{rest}{branch}");
            if depth >= DEEPEST {
                return self.note(&branch, "more layers, in the full view (-v)");
            }
            self.draw(group, &branch, &format!("{rest}{line}"), depth + 1);
        }
    }

    /// A layer on several that are not alike is drawn on the first.
    fn member(&mut self, id: LayerId, branch: &str) {
        let text = format!("part of {}", clean(&self.target.stack.layer(id).name));
        self.note(branch, &text);
    }

    fn note(&mut self, branch: &str, text: &str) {
        self.lines.push(StackLine {
            branch: branch.to_owned(),
            below: branch.to_owned(),
            name: text.to_owned(),
            size: String::new(),
            what: String::new(),
            mark: None,
        });
    }

    /// The layers that share the line of `id`, from below.
    fn joined(&self, id: LayerId) -> Vec<LayerId> {
        let mut joined = vec![id];
        while let Some(next) = joined.last().and_then(|last| self.content(*last)) {
            joined.push(next);
        }
        joined
    }

    /// The one layer that fills `id`: the disk in an image, the file system in a partition.
    fn content(&self, id: LayerId) -> Option<LayerId> {
        let [only] = self.above.get(id.0)?.as_slice() else {
            return None;
        };
        let stack = &self.target.stack;
        let [edge] = stack.layer(*only).below.as_slice() else {
            return None;
        };
        let fills = match stack.layer(*only).kind {
            Kind::Disk => stack.layer(id).kind == Kind::Image,
            Kind::Filesystem | Kind::Swap => matches!(edge.map, Map::Shift { .. }),
            _ => false,
        };
        fills.then_some(*only)
    }

    /// What lies on the lines of a group, alike ones together.
    fn upper(&self, group: &[LayerId]) -> Vec<Vec<LayerId>> {
        let mut ids: Vec<LayerId> = Vec::new();
        for id in group {
            let top = self.joined(*id).last().copied().unwrap_or(*id);
            let list = self.above.get(top.0).map(Vec::as_slice).unwrap_or_default();
            ids.extend(
                list.iter()
                    .filter(|id| !ids.contains(id))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        twins::group(&self.shapes, &ids)
    }

    /// `sda, sdb, sdc and 9 more`.
    fn names(&self, group: &[LayerId]) -> String {
        let named = if group.len() > NAMED {
            NAMED - 1
        } else {
            NAMED
        };
        let names: Vec<_> = group
            .iter()
            .take(named)
            .map(|id| name(self.target.stack.layer(*id)))
            .collect();
        // Partitions of image files and loop devices are all called p1.
        let alike = names.iter().all(|name| Some(name) == names.first());
        let list = match names.as_slice() {
            [first, _, ..] if alike => return format!("{first} ({} times)", count(group.len())),
            names => names.join(", "),
        };
        match group.len().saturating_sub(named) {
            0 => list,
            more => format!("{list} and {} more", count(more)),
        }
    }

    fn size(&self, joined: &[LayerId], many: usize) -> String {
        let stack = &self.target.stack;
        // The size of an image is that of the disk in it.
        let own = joined
            .iter()
            .find(|id| stack.layer(**id).kind != Kind::Image)
            .or(joined.first());
        let size = own
            .and_then(|id| stack.layer(*id).size)
            .map(about)
            .unwrap_or_default();
        match many {
            2.. if !size.is_empty() => format!("{size} each"),
            _ => size,
        }
    }
}
