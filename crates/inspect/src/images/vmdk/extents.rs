//! Extents in guest order: opened by their lines, or the one that the file itself is.

use std::path::Path;
use std::sync::Arc;

use ioalign_core::{Remark, Severity, rules};

use super::descriptor::{VmdkExtentLine, VmdkStorage};
use super::files::Shelf;
use super::grains::Grains;
use super::headers::{self, Sparse, VmdkPacking};
use crate::error::{Error, ErrorKind, Result};
use crate::images::ImagePolicy;
use crate::source::Source;
use crate::view::View;

/// What an extent holds. `file` is an index into [`VmdkExtents::files`].
#[derive(Clone)]
pub(super) enum Body {
    /// Plain bytes from byte `at` on.
    Flat {
        /// Which file.
        file: usize,
        /// Byte offset of the extent's first byte.
        at: u64,
    },
    /// Grains.
    Sparse {
        /// Which file.
        file: usize,
        /// Its tables.
        grains: Grains,
        /// Whether its grains are compressed.
        packing: Option<VmdkPacking>,
    },
    /// Zeros, or nothing that can be read.
    Zero,
}

/// One stretch of the guest's address space.
#[derive(Clone)]
pub(super) struct VmdkExtent {
    /// First guest byte.
    pub(super) start: u64,
    /// Guest bytes; not zero.
    pub(super) len: u64,
    /// Its content.
    pub(super) body: Body,
}

/// All extents with their files.
#[derive(Default)]
pub(super) struct VmdkExtents {
    /// In guest order, without gaps.
    pub(super) list: Vec<VmdkExtent>,
    /// The files, each once.
    pub(super) files: Vec<Arc<dyn Source>>,
    /// Guest bytes in all.
    pub(super) size: u64,
    /// The kind of the first sparse extent, for the display.
    pub(super) kind: Option<&'static str>,
}

impl VmdkExtents {
    /// The single extent that the opened file itself is.
    pub(super) fn own(source: &Arc<dyn Source>, sparse: &Sparse, grains: &Grains) -> Self {
        let body = Body::Sparse {
            file: 0,
            grains: grains.clone(),
            packing: sparse.packing,
        };
        let (size, start) = (grains.capacity(), 0);
        Self {
            list: vec![VmdkExtent {
                start,
                len: size,
                body,
            }],
            files: vec![Arc::clone(source)],
            size,
            kind: Some(sparse.kind),
        }
    }

    /// Opens the extents of a descriptor. A file that is missing leaves zeros and a remark, as
    /// long as another one is there; a name that the policy refuses is an error.
    pub(super) fn open(
        image: &Path,
        lines: &[VmdkExtentLine],
        policy: &ImagePolicy,
        remarks: &mut Vec<Remark>,
    ) -> Result<Self> {
        let shelf = Shelf::new(image, policy);
        let mut out = Self::default();
        let mut lost = Lost::default();
        for line in lines {
            let body = match out.body(&shelf, line, remarks) {
                Ok(body) => body,
                Err(error) => {
                    lost.add(error)?;
                    Body::Zero
                }
            };
            out.push(line, body)?;
        }
        lost.settle(out.files.is_empty(), remarks)?;
        Ok(out)
    }

    fn push(&mut self, line: &VmdkExtentLine, body: Body) -> Result<()> {
        let start = self.size;
        self.size = start.checked_add(line.len).ok_or_else(|| {
            let what = "The extents together are longer than 64 bits can say";
            Error::malformed(what).at(line.at).field("extent")
        })?;
        self.list.push(VmdkExtent {
            start,
            len: line.len,
            body,
        });
        Ok(())
    }

    fn body(
        &mut self,
        shelf: &Arc<Shelf>,
        line: &VmdkExtentLine,
        remarks: &mut Vec<Remark>,
    ) -> Result<Body> {
        match line.store {
            VmdkStorage::Zero => Ok(Body::Zero),
            VmdkStorage::Raw => {
                remarks.push(raw_device(line));
                Ok(Body::Zero)
            }
            VmdkStorage::Flat => {
                let file = self.file(shelf, &line.name)?;
                let at = line.offset;
                short(line, self.files.get(file), remarks);
                Ok(Body::Flat { file, at })
            }
            VmdkStorage::Sparse => self.sparse(shelf, line, remarks),
        }
    }

    fn sparse(
        &mut self,
        shelf: &Arc<Shelf>,
        line: &VmdkExtentLine,
        remarks: &mut Vec<Remark>,
    ) -> Result<Body> {
        let file = self.file(shelf, &line.name)?;
        let Some(source) = self.files.get(file) else {
            return Ok(Body::Zero);
        };
        let view = View::new(Arc::clone(source));
        let sparse = headers::read(&view, remarks)?;
        let Some((sparse, grains)) = sparse.and_then(|s| s.grains.clone().map(|g| (s, g))) else {
            let what = "It is no sparse extent: neither KDMV, COWD nor seSparse with a capacity";
            return Err(view.malformed(0, what).field("magic"));
        };
        if grains.capacity() != line.len {
            let why = format!(
                "The extent `{}` covers {} bytes by its header, {} bytes by the descriptor.",
                line.name,
                grains.capacity(),
                line.len
            );
            remarks.push(Remark::new(rules::VMDK_EXTENT_SIZE, Severity::Broken, why));
        }
        self.kind.get_or_insert(sparse.kind);
        Ok(Body::Sparse {
            file,
            grains,
            packing: sparse.packing,
        })
    }

    /// The index of the file, which several extents may share.
    fn file(&mut self, shelf: &Arc<Shelf>, name: &str) -> Result<usize> {
        let file = shelf.file(name)?;
        let same = |known: &Arc<dyn Source>| known.path() == file.path();
        if let Some(index) = self.files.iter().position(same) {
            return Ok(index);
        }
        self.files.push(Arc::new(file));
        Ok(self.files.len() - 1)
    }
}

/// Extents that could not be opened.
#[derive(Default)]
struct Lost {
    count: u64,
    first: Option<Error>,
}

impl Lost {
    /// Counts one; what the policy forbids is not passed over in silence.
    fn add(&mut self, error: Error) -> Result<()> {
        if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Loop) {
            return Err(error);
        }
        self.count += 1;
        self.first.get_or_insert(error);
        Ok(())
    }

    fn settle(self, all: bool, remarks: &mut Vec<Remark>) -> Result<()> {
        let Some(first) = self.first else {
            return Ok(());
        };
        if all {
            return Err(first);
        }
        let why = format!(
            "{} of the disk's extents cannot be opened, their part reads as zeros; the first: {first}.",
            self.count
        );
        remarks.push(Remark::new(
            rules::VMDK_EXTENT_MISSING,
            Severity::Broken,
            why,
        ));
        Ok(())
    }
}

fn raw_device(line: &VmdkExtentLine) -> Remark {
    let why = format!(
        "{} bytes lie on a raw device that `{}` only points at (RDM): their place is not known here.",
        line.len, line.name
    );
    Remark::new(rules::VMDK_RAW_DEVICE, Severity::Unknown, why)
        .advise("Check the LUN itself, from a host that sees it.")
}

fn short(line: &VmdkExtentLine, file: Option<&Arc<dyn Source>>, remarks: &mut Vec<Remark>) {
    let there = file.map_or(0, |file| file.len().saturating_sub(line.offset));
    if there < line.len {
        let why = format!(
            "The extent `{}` should hold {} bytes from byte {} on, its file has {there} there.",
            line.name, line.len, line.offset
        );
        remarks.push(Remark::new(rules::VMDK_EXTENT_SHORT, Severity::Broken, why));
    }
}
