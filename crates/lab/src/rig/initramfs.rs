//! The guest's root file system: built once per content, then taken from the cache.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use super::cpio::CpioArchive;
use super::kernel::{self, Kernel};
use super::options::{GuestOptions, GuestProgram};
use super::programs::{self, Files};
use super::scratch::Scratch;
use crate::error::{Result, Tried};
use crate::hash::ContentHash;
use crate::host;

/// The first process of the guest.
const INIT: &[u8] = include_bytes!("../../guest/init");
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

static PARTS: AtomicU32 = AtomicU32::new(0);

/// Archives that a cache keeps: the least used ones give way to a new one.
const KEPT: usize = 12;

/// The archive for these options, built if the cache has none.
pub fn cached(options: &GuestOptions, folder: &Path) -> Result<PathBuf> {
    let kernel = kernel::wanted()?;
    let files = contents(&kernel, options)?;
    let path = folder.join(format!("{}.cpio", key(&kernel, &files, &options.texts)?));
    if path.exists() {
        // Its time says when it was last used.
        let file = File::options().append(true).open(&path);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        return Ok(path);
    }
    fs::create_dir_all(folder).tried(|| format!("cannot make {}", folder.display()))?;
    forget_old(folder);
    // Another run, or thread, may build the same: each writes its own file, the rename decides.
    let number = PARTS.fetch_add(1, Ordering::Relaxed);
    let part = path.with_extension(format!("{}-{number}.part", std::process::id()));
    let built = build(&part, &files, &options.texts).and_then(|()| {
        fs::rename(&part, &path).tried(|| format!("cannot make {}", path.display()))
    });
    if built.is_err() {
        let _ = fs::remove_file(&part);
    }
    built.tried(|| format!("cannot make {}", path.display()))?;
    Ok(path)
}

/// Removes the archives that were not used for the longest time.
fn forget_old(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "cpio");
    let paths = entries.map(|entry| entry.path()).filter(is_archive);
    let mut used: Vec<_> = paths
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    used.sort();
    let spare = used.len().saturating_sub(KEPT - 1);
    for (_, path) in used.iter().take(spare) {
        let _ = fs::remove_file(path);
    }
}

/// The base with `script` and `programs` as a second archive behind it: the kernel unpacks both.
pub fn with_script(
    base: &Path,
    script: &[u8],
    programs: &[GuestProgram],
    scratch: &Scratch,
) -> Result<PathBuf> {
    let path = scratch.path("initrd");
    fs::copy(base, &path).tried(|| format!("cannot copy {}", base.display()))?;
    let file = File::options()
        .append(true)
        .open(&path)
        .tried(|| "cannot open the initrd".to_owned())?;
    let mut archive = CpioArchive::new(file);
    archive.file(Path::new("/script"), script)?;
    let read = |path: &Path| fs::read(path).tried(|| format!("cannot read {}", path.display()));
    for program in programs {
        let path = &program.path;
        archive.file(&Path::new("/bin").join(&program.name), &read(path)?)?;
        for library in programs::libraries(path)? {
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
    for path in &options.copies {
        copy(path, &mut files)?;
    }
    Ok(files)
}

/// A file, or all files of a folder.
fn copy(path: &Path, files: &mut Files) -> Result<()> {
    let missing = || format!("the guest needs {}", path.display());
    if !path.metadata().tried(missing)?.is_dir() {
        files.insert(path.to_owned(), path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).tried(missing)? {
        copy(&entry.tried(missing)?.path(), files)?;
    }
    Ok(())
}

/// The hash of all that goes in.
pub fn key(kernel: &Kernel, files: &Files, texts: &[(PathBuf, Vec<u8>)]) -> Result<String> {
    let mut hash = ContentHash::new();
    hash.add(&kernel.version);
    // This source file decides links and folders.
    hash.add(include_bytes!("initramfs.rs"));
    hash.add(INIT);
    for (inside, content) in texts {
        hash.add(inside.to_string_lossy().as_bytes());
        hash.add(content);
    }
    for (inside, outside) in files {
        hash.add(inside.to_string_lossy().as_bytes());
        hash.add_file(outside)?;
    }
    Ok(hash.text())
}

fn build(path: &Path, files: &Files, texts: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let out = File::create(path).tried(|| format!("cannot make {}", path.display()))?;
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
        let content = fs::read(outside).tried(|| format!("cannot read {}", outside.display()))?;
        archive.file(inside, &content)?;
    }
    archive.file(Path::new("/init"), INIT)?;
    for (inside, content) in texts {
        archive.file(inside, content)?;
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
    let applets = host::output(host::command("busybox").arg("--list"))?;
    for applet in applets
        .lines()
        .filter(|name| !has(name) && !taken.contains(name))
    {
        archive.link(&Path::new("/bin").join(applet), "busybox")?;
    }
    Ok(())
}
