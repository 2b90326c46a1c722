//! From the members of an archive to a tree: what is wanted is kept, as far as the limits allow.

use std::sync::Arc;

use super::refused::{Refused, Why};
use super::tar::{TarArchive, TarMember, TarMemberKind};
use super::wanted::{self, KeepMode};
use super::{COST_OF_ENTRY, FileContent, FileTree, MOST_KEPT, ReadBundle};
use crate::error::{Error, Result};

/// Longer targets of links are refused, as by Linux.
const MOST_TARGET: usize = 4096;

/// A tree in the making.
#[derive(Default)]
struct TreeCollector {
    tree: FileTree,
    refused: Refused,
    kept: u64,
}

/// Reads all of `archive`, of which `first` was read already.
pub(super) fn collect(mut archive: TarArchive<'_>, first: TarMember) -> ReadBundle {
    let mut collector = TreeCollector::default();
    let cut = collector.all(&mut archive, first).err();
    let cut = cut.or_else(|| {
        (!archive.ended).then(|| Error::malformed("It has no end mark: something is missing"))
    });
    ReadBundle {
        remarks: collector.refused.remarks(),
        tree: collector.tree,
        cut,
    }
}

impl TreeCollector {
    fn all(&mut self, archive: &mut TarArchive<'_>, first: TarMember) -> Result<()> {
        let mut member = Some(first);
        while let Some(now) = member {
            self.take(archive, &now)?;
            member = archive.next()?;
        }
        Ok(())
    }

    fn take(&mut self, archive: &mut TarArchive<'_>, member: &TarMember) -> Result<()> {
        let Some(path) = self.path(member) else {
            return Ok(());
        };
        let want = wanted::want(path);
        if want == KeepMode::No {
            if let Some(mark) = wanted::mark(path).filter(|mark| self.tree.find(mark).is_none()) {
                self.tree.add_folder(mark);
            }
            return Ok(());
        }
        self.charge(path.len() as u64)?;
        let added = match member.kind {
            TarMemberKind::Folder => self.tree.add_folder(path),
            TarMemberKind::File => {
                let content = self.content(archive, member, path, want)?;
                content.is_none_or(|content| self.tree.add_file(path, Arc::new(content)))
            }
            TarMemberKind::Link => self.link(path, &member.target),
            TarMemberKind::HardLink => return self.hard_link(path, &member.target),
            TarMemberKind::Other => {
                self.refused.entry(Why::NotAFile, &member.name);
                true
            }
        };
        if !added {
            self.refused.entry(Why::NoPlace, &member.name);
        }
        Ok(())
    }

    /// The name as a path from the top, where it is one.
    fn path<'a>(&mut self, member: &'a TarMember) -> Option<&'a str> {
        let Ok(name) = std::str::from_utf8(&member.name) else {
            self.refused.entry(Why::NotUtf8, &member.name);
            return None;
        };
        if name.split('/').any(|part| part == "..") {
            self.refused.entry(Why::LeadsOut, &member.name);
            return None;
        }
        if name.starts_with('/') {
            self.refused.entry(Why::Absolute, &member.name);
        }
        Some(name.trim_start_matches("./").trim_matches('/')).filter(|name| !name.is_empty())
    }

    fn content(
        &mut self,
        archive: &mut TarArchive<'_>,
        member: &TarMember,
        path: &str,
        want: KeepMode,
    ) -> Result<Option<FileContent>> {
        let (content, more) = match want {
            KeepMode::Device => archive.sparse(member, wanted::MOST_DEVICE)?,
            _ => archive.text(member, want.most())?,
        };
        if more {
            self.refused.cut_off(path, member.len);
        }
        self.charge(content.held() as u64)?;
        // Zeros in place of what was not read would be taken for the device's own.
        Ok((!more || want != KeepMode::Device).then_some(content))
    }

    fn link(&mut self, path: &str, target: &[u8]) -> bool {
        let target = std::str::from_utf8(target).ok();
        let target = target.filter(|target| target.len() <= MOST_TARGET);
        target.is_some_and(|target| self.tree.add_link(path, target))
    }

    /// Another name of a file that came earlier.
    fn hard_link(&mut self, path: &str, target: &[u8]) -> Result<()> {
        let target = std::str::from_utf8(target).unwrap_or_default();
        let inside = !target.split('/').any(|part| part == "..");
        let file = self.tree.file(target).filter(|_| inside).map(Arc::clone);
        if !file.is_some_and(|file| self.tree.add_file(path, file)) {
            self.refused.entry(Why::NoSuchFile, path.as_bytes());
        }
        Ok(())
    }

    fn charge(&mut self, bytes: u64) -> Result<()> {
        self.kept = self
            .kept
            .saturating_add(bytes)
            .saturating_add(COST_OF_ENTRY);
        if self.kept > MOST_KEPT {
            let what = format!(
                "It holds more than {} MiB of what is to be read: the rest is left out",
                MOST_KEPT >> 20
            );
            return Err(Error::too_large(what));
        }
        Ok(())
    }
}
