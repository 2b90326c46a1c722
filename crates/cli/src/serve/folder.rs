//! A folder of reports: documents of ioalign, and nothing else in it or beside it.
//!
//! A file is shown if its name is plain, it is a regular file of some mebibytes and no link, and its contents begin as a
//! document of ioalign does. Its path is never part of an answer.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use ioalign_core::comparison::Comparison;
use ioalign_core::geometry_document::GeometryDocument;
use ioalign_core::lab_document::LabDocument;
use ioalign_core::profile::Profile;
use ioalign_core::simulation_document::SimulationDocument;
use ioalign_core::tear_document::TearDocument;
use ioalign_report::{RenderOptions, comparison, geometry, lab, profile, simulation, tear};
use ioalign_serve::{ReportView, ServedReport, ServedReports};
use rustix::fs::{Mode, OFlags};
use serde::Deserialize;

/// Bytes of a document.
const LARGEST: u64 = 16 << 20;
/// Entries of the folder that are looked at.
const MOST_ENTRIES: usize = 10_000;
/// Documents in the list.
const MOST: usize = 500;
/// Bytes in which the schema of a document stands.
const HEAD: u64 = 512;
/// What every schema begins with.
const OURS: &str = "ioalign.";

/// The folder.
pub struct ReportFolder {
    path: PathBuf,
}

#[derive(Deserialize)]
struct DocumentSchema {
    schema: String,
}

impl ReportFolder {
    /// A folder, which need not be there yet.
    pub const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Its documents, newest first.
    pub fn list(&self) -> ServedReports {
        let mut found = ServedReports::default();
        let entries = std::fs::read_dir(&self.path)
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries.take(MOST_ENTRIES) {
            let name = entry.file_name().into_string().unwrap_or_default();
            match self.listed(&name) {
                Some(report) => found.reports.push(report),
                None => found.left_out += 1,
            }
        }
        found.reports.sort_by(|a, b| {
            let newest = b.modified_ms.cmp(&a.modified_ms);
            newest.then_with(|| a.name.cmp(&b.name))
        });
        found.left_out += found.reports.len().saturating_sub(MOST);
        found.reports.truncate(MOST);
        found
    }

    fn listed(&self, name: &str) -> Option<ServedReport> {
        let (file, bytes) = self.open(name)?;
        let modified = file.metadata().ok()?.modified().ok()?;
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        let mut head = Vec::new();
        (&file).take(HEAD).read_to_end(&mut head).ok()?;
        Some(ServedReport {
            name: name.to_owned(),
            schema: schema_in(&String::from_utf8_lossy(&head))?,
            bytes,
            modified_ms: u64::try_from(since.as_millis()).ok()?,
        })
    }

    /// A regular file with a plain name, through no link.
    fn open(&self, name: &str) -> Option<(File, u64)> {
        if !is_plain(name) {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::open(self.path.join(name), flags, Mode::empty()).ok()?;
        let file = File::from(file);
        let facts = file.metadata().ok()?;
        let fits = facts.is_file() && facts.len() <= LARGEST;
        fits.then_some((file, facts.len()))
    }

    /// The text of a document.
    pub fn document(&self, name: &str) -> Option<String> {
        self.read(name).map(|(text, _)| text)
    }

    /// The text of a document, and its schema.
    fn read(&self, name: &str) -> Option<(String, String)> {
        let (file, _) = self.open(name)?;
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let DocumentSchema { schema } = serde_json::from_str(&text).ok()?;
        schema.starts_with(OURS).then_some((text, schema))
    }

    /// The same for people.
    pub fn view(&self, name: &str) -> Option<ReportView> {
        let (text, schema) = self.read(name)?;
        Some(view(&schema, &text).unwrap_or(ReportView::Text(text)))
    }
}

/// Letters, digits and a few signs, and the ending of a document: no path, and nothing hidden.
fn is_plain(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "._-+@".contains(c);
    name.len() <= 200
        && !name.starts_with('.')
        && name.ends_with(".json")
        && name.chars().all(is_sign)
}

/// The schema that stands at the beginning of a document; keys have a fixed order, and it is the first.
fn schema_in(head: &str) -> Option<String> {
    let rest = head.trim_start().strip_prefix('{')?.trim_start();
    let rest = rest
        .strip_prefix("\"schema\"")?
        .trim_start()
        .strip_prefix(':')?;
    let (schema, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "./-".contains(c);
    let is_ours = schema.starts_with(OURS) && schema.chars().all(is_name);
    is_ours.then(|| schema.to_owned())
}

/// By the renderer of the document's kind; `None`: it has none, or is damaged.
fn view(schema: &str, text: &str) -> Option<ReportView> {
    let options = RenderOptions {
        width: 100,
        ..RenderOptions::default()
    };
    Some(match schema {
        "ioalign.comparison/1" => {
            let document: Comparison = serde_json::from_str(text).ok()?;
            ReportView::Page(comparison::html(&document))
        }
        "ioalign.lab/1" => {
            let document: LabDocument = serde_json::from_str(text).ok()?;
            ReportView::Page(lab::html(&document))
        }
        "ioalign.profile/1" => {
            let document: Profile = serde_json::from_str(text).ok()?;
            ReportView::Text(profile::render(&document, &options))
        }
        "ioalign.simulation/1" => {
            let document: SimulationDocument = serde_json::from_str(text).ok()?;
            ReportView::Text(simulation::text(&document, &options))
        }
        "ioalign.geometry/1" => {
            let document: GeometryDocument = serde_json::from_str(text).ok()?;
            ReportView::Text(geometry::text(&document, &options))
        }
        "ioalign.tear/1" => {
            let document: TearDocument = serde_json::from_str(text).ok()?;
            ReportView::Text(tear::text(&document, &options))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_documents_of_the_folder_are_shown() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("reports");
        std::fs::create_dir(&folder).unwrap();
        let good = "{\n  \"schema\": \"ioalign.geometry/1\",\n  \"found\": false\n}\n";
        std::fs::write(folder.join("good.json"), good).unwrap();
        std::fs::write(outer.path().join("outside.json"), good).unwrap();
        std::fs::write(folder.join(".hidden.json"), good).unwrap();
        std::fs::write(folder.join("note.txt"), good).unwrap();
        std::fs::write(folder.join("other.json"), "{\"schema\":\"evil/1\"}").unwrap();
        std::fs::write(folder.join("broken.json"), "{\"schema\":").unwrap();
        std::fs::write(folder.join("<script>.json"), good).unwrap();
        std::fs::create_dir(folder.join("folder.json")).unwrap();
        symlink("../outside.json", folder.join("link.json")).unwrap();
        let large = File::create(folder.join("large.json")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        let served = ReportFolder::new(folder);
        let list = served.list();
        let names: Vec<_> = list.reports.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["good.json"]);
        assert_eq!(list.reports[0].schema, "ioalign.geometry/1");
        assert_eq!(list.left_out, 8);
        assert_eq!(served.document("good.json").unwrap(), good);
        for wrong in [
            "link.json",
            "../outside.json",
            "folder.json",
            "large.json",
            "other.json",
            "broken.json",
            "note.txt",
            ".hidden.json",
            "absent.json",
            "",
        ] {
            assert!(served.document(wrong).is_none(), "{wrong}");
            assert!(served.view(wrong).is_none(), "{wrong}");
        }
        assert!(matches!(
            served.view("good.json"),
            Some(ReportView::Text(_))
        ));
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty() {
        let served = ReportFolder::new(PathBuf::from("/no/such/folder"));
        assert!(served.list().reports.is_empty());
    }
}
