//! The certificate of a stack: each thing that pages may lie in, and the layer that decides.

use std::collections::BTreeSet;

use super::claims::claims;
use super::subject::subject;
use super::{AtomicCertificate, AtomicFileLimits, AtomicLayer};
use crate::layer::{Kind, Layer};
use crate::layer_id::LayerId;
use crate::role::Role;
use crate::stack::Stack;
use crate::units::Bytes;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct AtomicQuestion {
    /// The page; `None`: that of each database.
    pub page: Option<Bytes>,
    /// What `statx` says of the file or device that was named; `None`: it was not asked.
    pub file: Option<AtomicFileLimits>,
    /// The file, folder or device that was named, as it is typed in the command that proves it; `None`: that is running.
    pub path: Option<String>,
}

/// Judges every leaf of the stack that pages can lie in.
pub fn certify(stack: &Stack, question: &AtomicQuestion) -> AtomicCertificate {
    let leaves = stack
        .layers()
        .filter(|(id, layer)| holds_pages(stack, *id, layer));
    let subjects: Vec<_> = leaves
        .filter_map(|(id, layer)| {
            let own = layer.block.filter(|_| layer.kind == Kind::Database);
            let page = question.page.or(own)?;
            Some(subject(stack, id, page, question))
        })
        .collect();
    let page = question.page.map(Bytes::get);
    let mut layers: Vec<AtomicLayer> = Vec::new();
    for layer in subjects.iter().flat_map(|subject| &subject.layers) {
        if !layers.contains(layer) {
            layers.push(layer.clone());
        }
    }
    let unit = page.or_else(|| subjects.iter().map(|one| one.unit_bytes).max());
    AtomicCertificate {
        unit_bytes: unit,
        predicted: subjects
            .iter()
            .map(|one| one.predicted)
            .max()
            .unwrap_or_default(),
        proved: None,
        layers,
        claims: unit.map_or_else(Vec::new, |unit| claims(stack, Bytes::new(unit))),
        subjects,
        proof: None,
    }
}

fn holds_pages(stack: &Stack, id: LayerId, layer: &Layer) -> bool {
    let is_leaf = stack
        .above(id)
        .all(|above| stack.layer(above).kind == Kind::LvmPv);
    let is_space = !matches!(
        layer.kind,
        Kind::File | Kind::Swap | Kind::LvmPv | Kind::ThinPool
    );
    let has_table = layer.table.is_some() || layer.table_is_empty;
    is_leaf && is_space && !has_table && layer.role.carries_data() && layer.role != Role::Swap
}

/// All layers below one, bottom first.
pub(super) fn chain(stack: &Stack, top: LayerId) -> Vec<LayerId> {
    let mut found = BTreeSet::new();
    let mut open = vec![top];
    while let Some(id) = open.pop() {
        for edge in &stack.layer(id).below {
            if found.insert(edge.below) {
                open.push(edge.below);
            }
        }
    }
    found.into_iter().collect()
}
