//! The readers of images, tables, volumes, file systems and tarballs, one subject for each format of their lists.

use std::sync::Arc;

use ioalign_inspect::archive::{self, Packing};
use ioalign_inspect::images::{self, ImagePolicy};
use ioalign_inspect::tables::{self, Context};
use ioalign_inspect::{Result, Source, View, filesystems, volumes};

use crate::subject::{Answer, Material, Subject};

/// Tarballs by how they are packed.
const PACKINGS: [(&str, Packing); 5] = [
    ("tar", Packing::Tar),
    ("tar-gzip", Packing::Gzip),
    ("tar-xz", Packing::Xz),
    ("tar-bzip2", Packing::Bzip2),
    ("tar-zstd", Packing::Zstd),
];

pub fn all() -> Vec<Subject> {
    let view = |source: &Arc<dyn Source>| View::new(Arc::clone(source));
    let images = images::FORMATS.iter().map(|(name, open)| {
        Subject::of_files("images", name, Material::Images, |source| {
            image(*open, source)
        })
    });
    let tables = tables::FORMATS.iter().map(|(name, probe)| {
        Subject::of_files("tables", name, Material::Images, move |source| {
            answer(&probe(&view(source), &Context::default()))
        })
    });
    let volumes = volumes::FORMATS.iter().map(|(name, probe)| {
        Subject::of_files("volumes", name, Material::Images, move |source| {
            answer(&probe(&view(source)))
        })
    });
    let filesystems = filesystems::FORMATS.iter().map(|(name, probe)| {
        Subject::of_files("filesystems", name, Material::Images, move |source| {
            answer(&probe(&view(source)))
        })
    });
    let archives = PACKINGS.into_iter().map(|(name, packing)| {
        Subject::of_files("archives", name, Material::Images, move |source| {
            archive(packing, source)
        })
    });
    let devices = images.chain(tables).chain(volumes).chain(filesystems);
    devices.chain(archives).collect()
}

fn answer<T>(result: &Result<Option<T>>) -> Answer {
    Answer::mine(!matches!(result, Ok(None)))
}

/// An image is also read through: its block map is untrusted too.
fn image(open: images::Probe, source: &Arc<dyn Source>) -> Answer {
    let result = open(source, &ImagePolicy::default());
    if let Ok(Some(image)) = &result {
        let len = image.guest.len();
        let mut buffer = [0; 4096];
        for at in [0, len / 3, len.saturating_sub(4096)] {
            let _ = image.guest.read_at(at, &mut buffer);
        }
    }
    answer(&result)
}

/// Each packing for itself, so that one that is hard to damage well gets its share of runs.
fn archive(packing: Packing, source: &Arc<dyn Source>) -> Answer {
    let mut head = vec![0; usize::try_from(source.len()).unwrap_or(512).min(512)];
    let read = source.read_at(0, &mut head);
    if read.is_err() || Packing::of(&head) != Some(packing) {
        return Answer::NotMine;
    }
    if let Ok(Some(files)) = archive::files::files(source) {
        for file in files {
            let part = file.source(source, &file.name);
            assert_eq!(part.len(), file.place.1, "it lies in the tarball");
        }
    }
    let bundle = archive::read(source);
    if let Ok(Some(bundle)) = &bundle {
        for name in bundle.tree.names("sys/block") {
            let _ = bundle.tree.file(&format!("sys/block/{name}/size"));
        }
        let _ = bundle.tree.file("dev/sda").map(|file| file.head(4096));
    }
    answer(&bundle)
}
