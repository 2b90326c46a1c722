//! Descriptions of packages, after their images: names, sizes and capacities of the disks, and the digests of the manifest.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ioalign_core::migration_document::{ImageFate, MigratedImage, MigratedPackage};
use ioalign_device::create::{NewFile, Readers};
use ioalign_repair::ovf::manifest::{self, ManifestEntry};
use ioalign_repair::ovf::{self, OvfChange, OvfFile, OvfPackage};

use super::described::FoundPackage;
use super::find::MigrationSource;
use super::source_file::SourceFile;
use super::{Migration, make_folder, reason, write};

/// All packages, each with what became of it.
pub fn written(
    source: &MigrationSource,
    images: &[MigratedImage],
    run: &Migration<'_>,
) -> Vec<MigratedPackage> {
    let one = |found: &FoundPackage| {
        let mut answer = MigratedPackage {
            source: found.name.display().to_string(),
            output: None,
            manifest: false,
            notes: Vec::new(),
            why: None,
        };
        let job = PackageJob {
            source,
            images,
            found,
            run,
        };
        match job.write(&mut answer) {
            Ok(()) => answer.output = Some(answer.source.clone()),
            Err(error) => answer.why = Some(reason(&error, &found.file.path)),
        }
        answer
    };
    source.packages.iter().map(one).collect()
}

struct PackageJob<'a> {
    source: &'a MigrationSource,
    images: &'a [MigratedImage],
    found: &'a FoundPackage,
    run: &'a Migration<'a>,
}

impl PackageJob<'_> {
    fn write(&self, answer: &mut MigratedPackage) -> Result<()> {
        let package = self.found.package.as_ref();
        let package = package.map_err(|error| anyhow!("{error:#}"))?;
        let changes = package.files.iter().map(|file| self.file(file));
        let changes: Vec<OvfChange> = changes.collect::<Result<_>>()?;
        let text = package.changed(&changes);
        let new = self.run.output.join(&self.found.name);
        put(&self.found.file, &new, text.as_bytes())?;
        let changed = changes.iter().filter(|change| change.format.is_some());
        for change in changed {
            answer.notes.push(format!(
                "{} is a sparse VMDK now, and the description says so; a program that takes streamed ones alone needs it \
                 exported again",
                change.new_href
            ));
        }
        answer
            .notes
            .extend(package.files.iter().zip(&changes).filter_map(too_short));
        self.manifest(package, &changes, answer)
    }

    /// One of its files, copied where it is no disk.
    fn file(&self, file: &OvfFile) -> Result<OvfChange> {
        let old = self.found.place(&file.href);
        if file.is_disk() {
            if let Some(why) = file.refusal() {
                bail!("{}: {why}", file.href);
            }
            return self.disk(file, &old);
        }
        let name = old.strip_prefix(&self.source.folder).unwrap_or(&old);
        let new = self.run.output.join(name);
        let home = self.found.place("");
        let from = self.source.files.find(&old, &home)?;
        let from = from.with_context(|| format!("its file {} cannot be found", file.href))?;
        make_folder(new.parent().unwrap_or(self.run.output))?;
        match new.symlink_metadata() {
            // Several descriptions may name it.
            Ok(_) => write::compare_file(&from, &new, self.run)?,
            Err(_) => drop(write::file(&from, &new, self.run)?),
        }
        self.change(file, &new, None)
    }

    fn disk(&self, file: &OvfFile, old: &Path) -> Result<OvfChange> {
        let name = old.strip_prefix(&self.source.folder).unwrap_or(old);
        let name = name.display().to_string();
        let image = self.images.iter().find(|image| image.source == name);
        let output = image.and_then(|image| image.output.as_ref().map(|output| (image, output)));
        let Some((image, output)) = output else {
            bail!("not written: its disk {} was refused", file.href);
        };
        self.change(file, &self.run.output.join(output), Some(image))
    }

    fn change(
        &self,
        file: &OvfFile,
        new: &Path,
        image: Option<&MigratedImage>,
    ) -> Result<OvfChange> {
        let size = new
            .metadata()
            .context("its new file cannot be looked at")?
            .len();
        let rewritten =
            |one: &&MigratedImage| matches!(one.fate, ImageFate::Fixed | ImageFate::Rewritten);
        let is_sparse = |one: &MigratedImage| {
            one.new_format.as_deref() == Some("vmdk monolithicSparse")
                && one.new_format.as_ref() != Some(&one.format)
        };
        let stated = file.capacity_bytes();
        let has_changed = |one: &&MigratedImage| {
            let is_short = stated
                .zip(one.new_disk_bytes)
                .is_some_and(|(stated, is)| stated < is);
            one.new_disk_bytes != Some(one.disk_bytes) || is_short
        };
        let resized = image.filter(has_changed);
        Ok(OvfChange {
            href: file.href.clone(),
            new_href: file.href.clone(),
            size_bytes: size,
            capacity_bytes: resized.and_then(|one| one.new_disk_bytes),
            format: image
                .filter(rewritten)
                .is_some_and(is_sparse)
                .then_some(ovf::SPARSE),
            is_rewritten: image.filter(rewritten).is_some(),
        })
    }

    /// New digests for the files of the old manifest. A signature of the old one is none of the new one.
    fn manifest(
        &self,
        package: &OvfPackage,
        changes: &[OvfChange],
        answer: &mut MigratedPackage,
    ) -> Result<()> {
        let signed = self.found.file.path.with_extension("cert");
        let home = self.found.place("");
        if self
            .source
            .files
            .find(&signed, &home)
            .is_ok_and(|file| file.is_some())
        {
            answer.notes.push(
                "its signature (.cert) is not valid for new files, and was not copied".to_owned(),
            );
        }
        let Some(old) = &self.found.manifest else {
            return Ok(());
        };
        let own = self.found.file.path.file_name().unwrap_or_default();
        let own = own.to_string_lossy();
        let mut entries = Vec::new();
        for ManifestEntry { name, .. } in manifest::entries(&old.text) {
            let file = package.files.iter().find(|file| file.is_named(&name));
            if file.is_none() && name != own {
                answer.notes.push(format!(
                    "its manifest names {name}, which is no file of it: left out"
                ));
                continue;
            }
            let is_of_it = |change: &&OvfChange| file.is_some_and(|file| file.href == change.href);
            let change = changes.iter().find(is_of_it);
            let new = change.map_or(&name, |change| &change.new_href);
            let place = self.run.output.join(&self.found.name).with_file_name(new);
            let bytes = File::open(&place).context("a new file cannot be read for its digest")?;
            let renamed = change.filter(|change| change.new_href != change.href);
            let named = renamed.map_or(&name, |change| &change.new_href);
            entries.push((named.clone(), manifest::digest(bytes)?));
        }
        let new = self.run.output.join(&self.found.name).with_extension("mf");
        put(&old.file, &new, manifest::written(&entries).as_bytes())?;
        answer.manifest = true;
        if old
            .text
            .lines()
            .any(|line| !line.trim().is_empty() && !line.starts_with("SHA256"))
        {
            answer
                .notes
                .push("the digests of its manifest are SHA-256 now".to_owned());
        }
        Ok(())
    }
}

/// The note on a disk that is larger than the description said.
fn too_short((file, change): (&OvfFile, &OvfChange)) -> Option<String> {
    let (stated, is) = (file.capacity_bytes()?, change.capacity_bytes?);
    (stated < is).then(|| {
        format!(
            "the description gave {stated} bytes for the disk in {}, which has {is}: it gives those now",
            change.new_href
        )
    })
}

/// Writes a small text. One that is there already has to be the same.
fn put(old: &SourceFile, new: &Path, bytes: &[u8]) -> Result<()> {
    make_folder(new.parent().unwrap_or(Path::new(".")))?;
    if new.symlink_metadata().is_ok() {
        let same = std::fs::read(new).is_ok_and(|there| there == bytes);
        anyhow::ensure!(
            same,
            "the output has another {}, which is not replaced; remove it, or name another folder",
            new.file_name().unwrap_or_default().display()
        );
        return Ok(());
    }
    let sources = old.host_file().metadata().ok().into_iter().collect();
    let mut pending = NewFile::new(new)
        .readable_by(Readers::Copied(sources))
        .create()?;
    pending.write_all(bytes)?;
    pending.keep()?;
    Ok(())
}
