//! All files of all targets under one number each, as a ring registers them.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use ioalign_device::{Target, TargetFile};

use crate::Result;

/// The files of several targets.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    targets: Vec<Arc<Target>>,
    /// The number of the first file of each target.
    first: Vec<u32>,
    count: u32,
}

impl Files {
    pub(crate) fn new(targets: &[Arc<Target>]) -> Self {
        let mut unique: Vec<Arc<Target>> = Vec::new();
        for target in targets {
            if !unique.iter().any(|known| Arc::ptr_eq(known, target)) {
                unique.push(Arc::clone(target));
            }
        }
        let mut count = 0;
        let mut first = Vec::new();
        for target in &unique {
            first.push(count);
            count += u32::try_from(target.members().len()).unwrap_or(0);
        }
        Self {
            targets: unique,
            first,
            count,
        }
    }

    /// Every target once.
    pub(crate) fn targets(&self) -> &[Arc<Target>] {
        &self.targets
    }

    /// Drops what is cached of all targets; flushes as well: only clean pages can be dropped.
    pub(super) fn evict(&self) -> Result<()> {
        self.targets.iter().try_for_each(|target| target.evict())
    }

    /// Number and size of the files of one target.
    pub(crate) fn sizes_of(&self, target: &Arc<Target>) -> Vec<(u32, u64)> {
        let at = self
            .targets
            .iter()
            .position(|known| Arc::ptr_eq(known, target));
        let first = at.and_then(|at| self.first.get(at)).copied().unwrap_or(0);
        let members = target.members().iter();
        (first..)
            .zip(members.map(|member| member.size_bytes))
            .collect()
    }

    pub(super) fn member(&self, number: u32) -> Option<&TargetFile> {
        self.members().nth(number as usize)
    }

    pub(super) fn file(&self, number: u32) -> Option<&File> {
        self.member(number).map(|member| &member.file)
    }

    /// How many there are.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn raw(&self) -> Vec<i32> {
        self.members()
            .map(|member| member.file.as_raw_fd())
            .collect()
    }

    fn members(&self) -> impl Iterator<Item = &TargetFile> {
        self.targets.iter().flat_map(|target| target.members())
    }
}
