//! Support bundles: a folder or a tarball.
//!
//! The kind is recognised by the contents: a copied machine (own capture, the trees of `lsblk
//! --sysroot`) is read like a live one; a sosreport, an Insights archive, a supportconfig or some text
//! files are read as texts about one host, with the sysfs files in it.

mod kind;
mod missing;
mod queue;
mod sections;
mod texts;

use std::path::Path;
use std::sync::Arc;

use ioalign_core::{Layer, LayerId, Remark, Severity};
use ioalign_core::{layer::Kind as LayerKind, rules};

use super::host::host_in;
use super::{AssembleOptions, HostOptions, Inspection};
use crate::archive::{self, ReadBundle};
use crate::captures::{self, TextEvidence};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Root;
use crate::source::Source;
use kind::BundleKind;

/// An opened bundle, its top found.
struct Opened {
    root: Root,
    kind: BundleKind,
    /// What was left out on the way.
    remarks: Vec<Remark>,
    /// Why reading ended early.
    cut: Option<Error>,
}

/// Reads the bundle at `path`, a folder or a tarball, into a stack; `None` when it is none.
pub fn bundle(path: &Path, options: &AssembleOptions) -> Result<Option<Inspection>> {
    let opened = if path.is_dir() {
        open_folder(path)?
    } else {
        open_tarball(path)?
    };
    opened
        .map(|opened| opened.inspect(&HostOptions::default(), options))
        .transpose()
}

/// Reads the bytes of a tarball into a stack; `None` when they are none.
pub fn bundle_from(
    source: &Arc<dyn Source>,
    options: &AssembleOptions,
) -> Result<Option<Inspection>> {
    let opened = in_tarball(archive::read(source)?, source.path())?;
    opened
        .map(|opened| opened.inspect(&HostOptions::default(), options))
        .transpose()
}

/// Whether the folder is a bundle: by its layout, or because it has nothing but texts and a reader knows one of them.
pub fn is_bundle(folder: &Path) -> bool {
    matches!(open_folder(folder), Ok(Some(_)))
}

/// A captured machine in a tarball.
pub(super) fn sysroot(
    path: &Path,
    what: &HostOptions,
    options: &AssembleOptions,
) -> Result<Inspection> {
    let opened = open_tarball(path)?.filter(|opened| opened.kind == BundleKind::Host);
    let opened = opened.ok_or_else(|| {
        let what = "It is no tarball of a captured host: there is no sys/block in it";
        Error::new(ErrorKind::NotFound, what).in_file(path)
    })?;
    opened.inspect(what, options)
}

fn open_folder(path: &Path) -> Result<Option<Opened>> {
    // The machine itself is not a bundle.
    if path
        .canonicalize()
        .is_ok_and(|path| path.parent().is_none())
    {
        return Ok(None);
    }
    let root = Root::captured(path)?;
    let Some((base, kind)) = kind::of_folder(&root) else {
        return Ok(None);
    };
    let root = match base {
        "" => root,
        base => Root::captured(&path.join(base))?,
    };
    Ok(Some(Opened {
        root,
        kind,
        remarks: Vec::new(),
        cut: None,
    }))
}

fn open_tarball(path: &Path) -> Result<Option<Opened>> {
    in_tarball(archive::open(path)?, path)
}

fn in_tarball(read: Option<ReadBundle>, path: &Path) -> Result<Option<Opened>> {
    let Some(ReadBundle { tree, remarks, cut }) = read else {
        return Ok(None);
    };
    let tree = Arc::new(tree);
    let whole = Root::in_memory(Arc::clone(&tree), path);
    let found = kind::of_archive(&whole).map_err(|error| error.in_file(path))?;
    let Some((base, kind)) = found else {
        // The part before the damage is not enough to recognise the kind: the damage is reported.
        return cut.map_or(Ok(None), Err);
    };
    drop(whole);
    let tree = Arc::unwrap_or_clone(tree)
        .rooted_at(&base)
        .unwrap_or_default();
    let root = Root::in_memory(Arc::new(tree), path);
    Ok(Some(Opened {
        root,
        kind,
        remarks,
        cut,
    }))
}

impl Opened {
    fn inspect(self, what: &HostOptions, options: &AssembleOptions) -> Result<Inspection> {
        let mut inspection = match self.kind {
            BundleKind::Host => host_in(&self.root, what, options)?,
            kind => report(&self.root, kind, options),
        };
        inspection.format = self.kind.name().to_owned();
        say(&mut inspection, self.remarks);
        let cut = self.cut;
        inspection.malformed = cut.or(inspection.malformed);
        Ok(inspection)
    }
}

/// Texts and files of sysfs become one evidence, which becomes a stack.
fn report(root: &Root, kind: BundleKind, options: &AssembleOptions) -> Inspection {
    let mut all = TextEvidence::default();
    let mut failed = None;
    queue::read(root, &mut all);
    texts::each(root, kind, &mut |path, text| {
        if let Err(error) = captures::read(text, None, &mut all) {
            failed.get_or_insert(error.in_file(&root.path_of(path)));
        }
        if text.cut {
            let why = format!("{path}: it is too long, the rest was not read");
            all.remarks
                .push(Remark::new(rules::TEXT_CUT_OFF, Severity::Unknown, why));
        }
    });
    captures::volumes::lvm::join(&mut all);
    queue::tidy(root, &mut all);
    let mut inspection = super::evidence(all, options);
    missing::say(kind, &mut inspection.stack);
    inspection.malformed = failed.or(inspection.malformed);
    inspection
}

/// Remarks about the bundle as a whole stand at the bottom of the stack.
fn say(inspection: &mut Inspection, remarks: Vec<Remark>) {
    if inspection.stack.is_empty() {
        inspection
            .stack
            .push(Layer::new(LayerKind::Disk, "unknown"));
    }
    let bottom = inspection.stack.layer_mut(LayerId(0));
    bottom.facts.insert("format", inspection.format.clone());
    bottom.remarks.extend(remarks);
}
