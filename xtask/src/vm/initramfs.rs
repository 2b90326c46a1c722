//! The guest's root file system: built once per content, then taken from the cache.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::args::GuestOptions;
use super::cpio::CpioArchive;
use super::kernel::{self, Kernel};
use super::programs::{self, Files};
use super::scratch::Scratch;
use crate::hash::Hash;
use crate::{paths, run};

/// Modules that every guest has.
const MODULES: [&str; 4] = ["virtio_pci", "virtio_blk", "virtio_console", "loop"];
/// Programs of one binary that are called by other names.
const ALIASES: [(&str, &[&str]); 2] = [
    ("kmod", &["modprobe", "insmod", "rmmod", "lsmod"]),
    (
        "lvm",
        &[
            "pvcreate", "pvs", "vgcreate", "vgchange", "vgs", "lvcreate", "lvchange", "lvs",
        ],
    ),
];
/// Empty folders to mount things on.
const FOLDERS: [&str; 8] = ["proc", "sys", "dev", "run", "tmp", "mnt", "etc", "var/lock"];
/// Indexes that modprobe reads; they may name modules that are not shipped.
const INDEXES: [&str; 9] = [
    "modules.alias.bin",
    "modules.builtin",
    "modules.builtin.alias.bin",
    "modules.builtin.bin",
    "modules.builtin.modinfo",
    "modules.dep",
    "modules.dep.bin",
    "modules.softdep",
    "modules.symbols.bin",
];

/// The archive for these options, built if the cache has none.
pub fn cached(options: &GuestOptions) -> Result<PathBuf> {
    let kernel = kernel::newest().context("no Debian cloud kernel is installed")?;
    let files = contents(&kernel, options)?;
    let folder = paths::target().join("vm-cache");
    let path = folder.join(format!("{}.cpio", key(&kernel, &files)?));
    if !path.exists() {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // Another run may build the same: each writes its own file, the rename decides.
        let part = path.with_extension(format!("{}.part", std::process::id()));
        build(&part, &files)?;
        fs::rename(&part, &path).with_context(|| format!("cannot make {}", path.display()))?;
    }
    Ok(path)
}

/// The base with `script` and `programs` as a second archive behind it: the kernel unpacks both.
pub fn with_script(
    base: &Path,
    script: &[u8],
    programs: &[PathBuf],
    scratch: &Scratch,
) -> Result<PathBuf> {
    let path = scratch.path("initrd");
    fs::copy(base, &path).with_context(|| format!("cannot copy {}", base.display()))?;
    let file = File::options()
        .append(true)
        .open(&path)
        .context("cannot open the initrd")?;
    let mut archive = CpioArchive::new(file);
    archive.file(Path::new("/script"), script)?;
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    for program in programs {
        let name = program.file_name().context("--file wants a file")?;
        archive.file(&Path::new("/bin").join(name), &read(program)?)?;
        for library in programs::libraries(program)? {
            archive.file(&library, &read(&library)?)?;
        }
    }
    archive.finish()?;
    Ok(path)
}

/// What a guest of these options is made of; also what a fixture's cache key is made of.
pub fn contents(kernel: &Kernel, options: &GuestOptions) -> Result<Files> {
    let wanted = options.programs.iter().map(String::as_str);
    let names = programs::BASIC.into_iter().chain(wanted).chain(["busybox"]);
    let mut files = programs::collect(names)?;
    let mut modules: Vec<String> = MODULES.map(str::to_owned).to_vec();
    modules.extend(options.modules.iter().cloned());
    for module in kernel::closure(kernel, &modules)? {
        files.insert(kernel.inside(&module), module);
    }
    for index in INDEXES {
        let path = kernel.modules().join(index);
        if path.exists() {
            files.insert(kernel.inside(&path), path);
        }
    }
    let guest = paths::root().join("lab/guest");
    files.insert(PathBuf::from("/init"), guest.join("init"));
    files.insert(PathBuf::from("/lib/capture.sh"), guest.join("capture.sh"));
    Ok(files)
}

/// The hash of all that goes in.
pub fn key(kernel: &Kernel, files: &Files) -> Result<String> {
    let mut hash = Hash::new();
    hash.add(&kernel.version);
    // This source file decides links and folders.
    hash.add(include_bytes!("initramfs.rs"));
    for (inside, outside) in files {
        hash.add(inside.to_string_lossy().as_bytes());
        hash.add_file(outside)?;
    }
    Ok(hash.text())
}

fn build(path: &Path, files: &Files) -> Result<()> {
    let out = File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    let mut archive = CpioArchive::new(BufWriter::new(out));
    for folder in FOLDERS {
        archive.folder(Path::new(folder))?;
    }
    archive.character(Path::new("/dev/console"), 5, 1)?;
    for (link, target) in [
        ("sbin", "bin"),
        ("usr/bin", "../bin"),
        ("usr/sbin", "../bin"),
    ] {
        archive.link(Path::new(link), target)?;
    }
    for (inside, outside) in files {
        let content =
            fs::read(outside).with_context(|| format!("cannot read {}", outside.display()))?;
        archive.file(inside, &content)?;
    }
    add_links(&mut archive, files)?;
    archive.finish()?;
    Ok(())
}

fn add_links<W: Write>(archive: &mut CpioArchive<W>, files: &Files) -> Result<()> {
    let has = |name: &str| files.contains_key(&Path::new("/bin").join(name));
    let mut taken = Vec::new();
    for (program, names) in ALIASES {
        if has(program) {
            for name in names {
                archive.link(&Path::new("/bin").join(name), program)?;
                taken.push(*name);
            }
        }
    }
    let applets = run::output(run::command("busybox").arg("--list"))?;
    for applet in applets
        .lines()
        .filter(|name| !has(name) && !taken.contains(name))
    {
        archive.link(&Path::new("/bin").join(applet), "busybox")?;
    }
    Ok(())
}
