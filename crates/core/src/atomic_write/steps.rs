//! What to do about an answer.

use super::engine::EngineAtomics;
use super::subject::{SubjectCase, WriteTaker};
use super::{AtomicVerdict, KernelRelease};
use crate::layer::Kind;

impl SubjectCase<'_> {
    pub(super) fn steps(
        &self,
        predicted: AtomicVerdict,
        taker: &WriteTaker,
        engine: Option<EngineAtomics>,
    ) -> Vec<String> {
        let mut steps = Vec::new();
        if let Some(engine) = engine {
            steps.push(format!("leave the protection on: {}", engine.protects));
        }
        match predicted {
            AtomicVerdict::Guaranteed => {
                steps.push("pages may be written once: open with O_DIRECT, write with pwritev2(…, RWF_ATOMIC) at multiples of the page".to_owned());
            }
            AtomicVerdict::NotGuaranteed
                if !taker.limits.is_some_and(|limits| limits.hold(self.page)) =>
            {
                steps.extend(self.other_file_system());
            }
            _ => {}
        }
        if let Some(path) = &self.question.path
            && predicted != AtomicVerdict::Unknown
            && self.stack.layer(self.taker).kind == Kind::Filesystem
        {
            steps.push(format!(
                "$ ioalign check {path} --atomic {} --prove",
                self.page
            ));
        }
        steps
    }

    /// The file system that would do, and the commands that make it.
    fn other_file_system(&self) -> Option<String> {
        let layer = self.stack.layer(self.taker);
        let reflink = layer.detail.filesystem().and_then(|detail| detail.reflink);
        let is_small = layer.block.is_some_and(|block| self.page < block.get());
        if reflink == Some(true) && !is_small {
            return None;
        }
        let kernel = self
            .stack
            .kernel
            .as_deref()
            .and_then(KernelRelease::parse)?;
        if kernel < KernelRelease(6, 16) {
            return Some(
                "Linux 6.16 writes pages in one piece on any device, in XFS with reflink"
                    .to_owned(),
            );
        }
        let device = layer.below.first()?.below;
        let device = &self.stack.layer(device).name;
        let block = if self.page < 4096 {
            format!(" -b size={}", self.page)
        } else {
            String::new()
        };
        Some(format!(
            "XFS with reflink writes such pages in one piece on any device; it replaces what is on /dev/{device}: mkfs.xfs -m reflink=1{block} /dev/{device}"
        ))
    }
}
