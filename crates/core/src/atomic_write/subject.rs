//! One thing that pages may lie in: what takes its writes, and the answer.

use super::certify::{AtomicQuestion, chain};
use super::device::devices;
use super::engine::{EngineAtomics, engine_atomics};
use super::filesystem::{FileSystemCase, filesystem};
use super::{AtomicFileLimits, AtomicLayer, AtomicSubject, AtomicVerdict, KernelRelease};
use crate::layer::Kind;
use crate::layer_id::LayerId;
use crate::stack::Stack;
use crate::units::Bytes;

/// One subject in the making.
pub(super) struct SubjectCase<'a> {
    pub(super) stack: &'a Stack,
    pub(super) question: &'a AtomicQuestion,
    pub(super) page: u64,
    layers: Vec<AtomicLayer>,
    /// The device or file system that takes the engine's writes.
    pub(super) taker: LayerId,
}

pub(super) fn subject(
    stack: &Stack,
    id: LayerId,
    page: Bytes,
    question: &AtomicQuestion,
) -> AtomicSubject {
    let top = stack.layer(id);
    let is_database = top.kind == Kind::Database;
    let holder = top
        .below
        .first()
        .map(|edge| edge.below)
        .filter(|_| is_database);
    let taker = holder.unwrap_or(id);
    let mut case = SubjectCase {
        stack,
        question,
        page: page.get(),
        layers: Vec::new(),
        taker,
    };
    let filesystem = case.below_the_engine();
    let engine = top.detail.database().and_then(|database| database.engine);
    let engine = engine.and_then(engine_atomics);
    let (predicted, weakest, why) = case.verdict(&filesystem, engine, &stack.label(id));
    if let Some(engine) = engine {
        case.layers.push(AtomicLayer {
            layer: stack.label(id),
            guarantee_bytes: None,
            source: engine.unmarked.to_owned(),
            breaks: Some(
                "a guarantee that RWF_ATOMIC asks for does not hold for its writes".to_owned(),
            ),
        });
    }
    let steps = case.steps(predicted, &filesystem, engine);
    AtomicSubject {
        layer: stack.label(id),
        unit_bytes: case.page,
        predicted,
        weakest,
        why,
        layers: case.layers,
        r#do: steps,
    }
}

/// What takes the writes: a device or a file system.
pub(super) struct WriteTaker {
    pub(super) limits: Option<AtomicFileLimits>,
    out_of_place: bool,
    breaks: Option<String>,
}

impl SubjectCase<'_> {
    /// The devices and the file system, as layers of the certificate.
    fn below_the_engine(&mut self) -> WriteTaker {
        let kernel = self.stack.kernel.as_deref().and_then(KernelRelease::parse);
        let layer = self.stack.layer(self.taker);
        let is_system = layer.kind == Kind::Filesystem;
        let mut ids = chain(self.stack, self.taker);
        if !is_system {
            ids.push(self.taker);
        }
        let known = devices(self.stack, &ids, kernel);
        for id in &ids {
            let found = known.get(id).cloned().unwrap_or_default();
            let largest = found.limits.map(|limits| limits.unit_max);
            self.add(*id, largest, found.source, found.breaks);
        }
        if !is_system {
            let found = known.get(&self.taker).cloned().unwrap_or_default();
            let limits = self.question.file.or_else(|| Some(found.limits?.of_file()));
            return WriteTaker {
                limits,
                out_of_place: false,
                breaks: found.breaks,
            };
        }
        let below = layer.below.first().map(|edge| edge.below);
        let below = below.and_then(|id| known.get(&id)?.limits);
        let case = FileSystemCase {
            layer,
            below,
            kernel,
            page: self.page,
        };
        let found = filesystem(&case, self.question.file);
        let largest = found.limits.map(|limits| limits.unit_max);
        self.add(self.taker, largest, found.source, found.breaks.clone());
        WriteTaker {
            limits: found.limits,
            out_of_place: found.out_of_place,
            breaks: found.breaks,
        }
    }

    fn add(
        &mut self,
        id: LayerId,
        guarantee_bytes: Option<u64>,
        source: String,
        breaks: Option<String>,
    ) {
        self.layers.push(AtomicLayer {
            layer: self.stack.label(id),
            guarantee_bytes,
            source,
            breaks,
        });
    }

    fn verdict(
        &self,
        taker: &WriteTaker,
        engine: Option<EngineAtomics>,
        top: &str,
    ) -> (AtomicVerdict, Option<String>, String) {
        let page = Bytes::new(self.page);
        let name = self.stack.label(self.taker);
        let Some(limits) = taker.limits else {
            let weakest = self.unknown_layer().unwrap_or(name);
            let why = taker
                .breaks
                .as_deref()
                .unwrap_or("its guarantee is not known");
            return (AtomicVerdict::Unknown, Some(weakest), why.to_owned());
        };
        if !limits.hold(self.page) {
            let weakest = self.weakest();
            let why = match weakest {
                Some(layer) => layer.breaks.clone().unwrap_or_else(|| {
                    let most = Bytes::new(layer.guarantee_bytes.unwrap_or(0));
                    format!("it writes {most} at most in one piece")
                }),
                None => taker.breaks.clone().unwrap_or_else(|| {
                    let least = Bytes::new(limits.unit_min);
                    format!("it writes {least} at least in one piece")
                }),
            };
            let weakest = weakest.map_or(name, |layer| layer.layer.clone());
            return (AtomicVerdict::NotGuaranteed, Some(weakest), why);
        }
        match engine {
            None if taker.out_of_place => (
                AtomicVerdict::Guaranteed,
                None,
                format!(
                    "{name} writes {page} that are marked RWF_ATOMIC elsewhere and puts them into the file in one transaction: it needs \
                     no atomic writes of what lies below, only that flushes are kept"
                ),
            ),
            None => (
                AtomicVerdict::Guaranteed,
                None,
                format!("every layer passes {page} on in one piece, if they are marked RWF_ATOMIC"),
            ),
            Some(_) if taker.out_of_place || self.marked_alone() => (
                AtomicVerdict::NotGuaranteed,
                Some(top.to_owned()),
                format!(
                    "{name} writes {page} in one piece if they are marked RWF_ATOMIC, and writes that are not so marked may be written in part"
                ),
            ),
            Some(_) => (
                AtomicVerdict::Unknown,
                Some(top.to_owned()),
                format!(
                    "every layer can pass {page} on in one piece, and the kernel may split or merge writes that are not marked RWF_ATOMIC"
                ),
            ),
        }
    }

    /// The layer with the least guarantee; of equals the lowest. A file system that has none on any device is what has to go.
    fn weakest(&self) -> Option<&AtomicLayer> {
        let system = self.layers.last().filter(|_| self.has_none_anywhere());
        let known = self
            .layers
            .iter()
            .filter(|layer| layer.guarantee_bytes.is_some_and(|bytes| bytes < self.page));
        system.or_else(|| known.min_by_key(|layer| layer.guarantee_bytes))
    }

    fn has_none_anywhere(&self) -> bool {
        let layer = self.stack.layer(self.taker);
        layer.kind == Kind::Filesystem && !matches!(layer.name.as_str(), "ext4" | "xfs" | "zfs")
    }

    fn unknown_layer(&self) -> Option<String> {
        let mut layers = self.layers.iter();
        let found = layers.find(|layer| layer.guarantee_bytes.is_none())?;
        Some(found.layer.clone())
    }

    /// Whether the device writes in one piece only what is marked: all but NVMe, where AWUPF holds for any write. A SCSI disk is
    /// sent WRITE ATOMIC (16) for marked writes alone.
    fn marked_alone(&self) -> bool {
        let devices = chain(self.stack, self.taker)
            .into_iter()
            .chain([self.taker]);
        let mut disks = devices.filter_map(|id| self.stack.layer(id).detail.disk());
        disks.any(|disk| disk.transport != "nvme")
    }
}
