//! Who uses a target, by whatever name and from wherever it is used. Most of it needs root.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use ioalign_device::lock::LockedBelow;
use ioalign_device::{ErrorKind, Sameness, Target, TargetIdentity, Use, users};
use ioalign_testkit::Loop;
use ioalign_testkit::run::{command, text, tool};

use super::{MIB, destroying, refused, writing};

fn sparse(folder: &Path, bytes: u64) -> PathBuf {
    let path = folder.join("disk.img");
    File::create(&path).unwrap().set_len(bytes).unwrap();
    path
}

/// Locks on what lies below a loop device.
fn locked(device: &Loop) -> ioalign_device::Result<LockedBelow> {
    LockedBelow::of(&File::open(device.path()).unwrap(), device.path())
}

/// A shell that does something, says so, and stays until it is dropped.
struct Other(Child);

impl Other {
    fn new(program: &str, arguments: &[&str], script: &str) -> Self {
        let script = format!("{script}\necho there; read end");
        let mut child = command(program)
            .args(arguments)
            .args(["sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        assert_eq!(
            line, "there\n",
            "{program} {arguments:?} {script} (needs root)"
        );
        Self(child)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// No test by itself: run in a chroot by the one below.
#[test]
fn says_who_uses() {
    if let Ok(device) = std::env::var("IOALIGN_SAY_USERS") {
        println!("USERS {:?}", users(Path::new(&device)));
    }
}

#[test]
fn what_is_mounted_in_another_namespace_is_in_use() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 16 * MIB);
    tool("mkfs.ext4", &["-q", text(&image)]);
    let device = Loop::new(&image, &[]);
    let point = folder.path().join("mnt");
    fs::create_dir(&point).unwrap();
    let mount = format!("mount {} {}", device.text(), text(&point));
    let other = Other::new("unshare", &["--mount", "--propagation", "private"], &mount);
    let own = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(
        !own.contains(text(&point)),
        "the mount is to be another namespace's"
    );
    let error = refused(
        device.path(),
        &destroying(device.path()),
        ErrorKind::InUse,
        &[
            "is mounted on",
            "in the mount namespace of process",
            "nsenter",
        ],
    );
    assert!(
        error.to_string().contains(&other.0.id().to_string()),
        "{error}"
    );
    drop(other);
    assert!(
        users(device.path()).is_empty(),
        "{:?}",
        users(device.path())
    );
}

/// A chroot whose `/` is no mount point sees none of the mounts of the machine by itself.
#[test]
fn what_is_mounted_outside_of_a_chroot_is_in_use() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 16 * MIB);
    tool("mkfs.ext4", &["-q", text(&image)]);
    let device = Loop::new(&image, &[]);
    let point = folder.path().join("mnt");
    fs::create_dir(&point).unwrap();
    tool("mount", &[device.text(), text(&point)]);
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    // The folders of this machine are bound into it in a namespace of its own, which ends with the shell.
    // Not the one with the mount point.
    let binds = ["bin", "lib", "lib64", "usr", "dev", "sys", "proc"];
    let program = std::env::current_exe().unwrap();
    let mut script = String::new();
    for bind in binds {
        if Path::new("/").join(bind).exists() {
            let to = root.join(bind);
            script.push_str(&format!(
                "mkdir -p {0}; mount --bind /{bind} {0}\n",
                text(&to)
            ));
        }
    }
    let to = root.join("program");
    script.push_str(&format!("cp {} {}\n", text(&program), text(&to)));
    script.push_str(&format!(
        "IOALIGN_SAY_USERS={} chroot {} /program --exact users::says_who_uses --nocapture",
        device.text(),
        text(&root)
    ));
    let output = command("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", &script])
        .output()
        .unwrap();
    tool("umount", &[text(&point)]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("USERS [MountElsewhere"), "{output:?}");
}

#[test]
fn a_file_or_device_that_a_process_writes_is_in_use() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 8 * MIB);
    fs::hard_link(&image, folder.path().join("other")).unwrap();
    let open = |how: &str, path: &str| Other::new("env", &[], &format!("exec 9{how}{path}"));
    let writes = |found: &[Use], pid: u32| {
        found
            .iter()
            .any(|one| matches!(one, Use::OpenForWriting { pid: other, .. } if *other == pid))
    };
    // By another of its names; appending is writing; reading is not.
    for how in ["<>", ">>"] {
        let other = open(how, text(&folder.path().join("other")));
        let found = users(&image);
        assert!(writes(&found, other.0.id()), "{how} {found:?}");
        let words = ["open for writing", "end process"];
        refused(&image, &writing(), ErrorKind::InUse, &words);
    }
    let other = open("<", text(&image));
    assert_eq!(users(&image), []);
    drop(other);
    // A device, its file, and a device over the device.
    let device = Loop::new(&image, &[]);
    let over = Loop::new(device.path(), &[]);
    let other = open("<>", device.text());
    assert!(writes(&users(device.path()), other.0.id()));
    assert!(writes(&users(over.path()), other.0.id()));
    drop(other);
    let other = open("<>", text(&image));
    assert!(
        writes(&users(over.path()), other.0.id()),
        "{:?}",
        users(over.path())
    );
}

#[test]
fn a_shared_mapping_that_writes_is_seen_without_its_descriptor() {
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), MIB);
    let script = format!(
        "import mmap,sys\nf=open('{}','r+b')\nm=mmap.mmap(f.fileno(),4096)\nf.close()\nprint('there',flush=True)\nsys.stdin.read()",
        text(&image)
    );
    let mut child = command("python3")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let found = users(&image);
    child.stdin.take().unwrap().flush().unwrap();
    child.wait().unwrap();
    assert!(
        matches!(found.as_slice(), [Use::OpenForWriting { name, .. }] if name.starts_with("python")),
        "{found:?}"
    );
}

#[test]
fn two_devices_over_one_file_see_each_other() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 8 * MIB);
    let (one, two) = (
        Loop::new(&image, &[]),
        Loop::new(&image, &["--offset=4096"]),
    );
    let over = Loop::new(one.path(), &[]);
    let by = |device: &Loop| Use::Loop {
        device: device.text().to_owned(),
    };
    assert_eq!(users(&image), [by(&one), by(&two)]);
    assert_eq!(users(one.path()), [by(&over), by(&two)]);
    assert_eq!(users(two.path()), [by(&one)]);
    assert_eq!(users(over.path()), [by(&two)]);
}

#[test]
fn what_lies_below_a_loop_device_is_locked() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 8 * MIB);
    let one = Loop::new(&image, &[]);
    let over = Loop::new(one.path(), &[]);
    let two = Loop::new(&image, &[]);
    let held = locked(&over).unwrap();
    // By the file, and by another device over it that came later.
    for other in [&two, &over] {
        let error = locked(other).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    }
    let flock = |path: &Path| {
        let status = command("flock")
            .args(["--nonblock", text(path), "true"])
            .status();
        status.unwrap().success()
    };
    assert!(!flock(&image));
    assert_eq!(users(&image).first(), Some(&Use::Program));
    drop(held);
    assert!(flock(&image));
    locked(&two).unwrap();
    // A file that has no name any more cannot be locked against its other openers.
    fs::remove_file(&image).unwrap();
    let error = locked(&two).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
}

#[test]
fn a_loop_device_is_what_lies_below_it() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), 8 * MIB);
    let file = TargetIdentity::new(&image).unwrap();
    let one = Loop::new(&image, &[]);
    let over = Loop::new(one.path(), &[]);
    let part = Loop::new(&image, &["--offset=1048576"]);
    let copy = folder.path().join("copy.img");
    fs::copy(&image, &copy).unwrap();
    let copied = Loop::new(&copy, &[]);
    let identity = |device: &Loop| TargetIdentity::new(device.path()).unwrap();
    assert_eq!(file.matches(&identity(&one)), Sameness::Same);
    assert_eq!(file.matches(&identity(&over)), Sameness::Same);
    assert_eq!(file.matches(&identity(&part)), Sameness::Different);
    assert_eq!(file.matches(&identity(&copied)), Sameness::Different);
    let partition = Loop::new(one.path(), &["--offset=1048576"]);
    assert_eq!(
        identity(&part).matches(&identity(&partition)),
        Sameness::Same
    );
}

/// The number of a file system changes when it is mounted from another device; its files stay what they are.
#[test]
fn a_file_is_the_same_when_its_file_system_is_mounted_anew() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    for make in ["mkfs.ext4", "mkfs.xfs", "mkfs.btrfs"] {
        let host = folder.path().join("host.img");
        File::create(&host).unwrap().set_len(400 * MIB).unwrap();
        let force = if make == "mkfs.ext4" { "-F" } else { "-f" };
        tool(make, &["-q", force, text(&host)]);
        let point = folder.path().join("mnt");
        fs::create_dir_all(&point).unwrap();
        let seen = |bytes: Option<&[u8]>| {
            let device = Loop::new(&host, &[]);
            tool("mount", &[device.text(), text(&point)]);
            if let Some(bytes) = bytes {
                fs::write(point.join("disk.img"), bytes).unwrap();
                fs::copy(point.join("disk.img"), point.join("copy.img")).unwrap();
            }
            let one = TargetIdentity::new(&point.join("disk.img"));
            let copy = TargetIdentity::new(&point.join("copy.img"));
            tool("umount", &[text(&point)]);
            (one.unwrap(), copy.unwrap())
        };
        let (before, copy) = seen(Some(b"bytes"));
        // Another loop device is taken when the first one is kept busy by another file.
        let busy = Loop::new(&sparse(folder.path(), MIB), &[]);
        let (after, copy_after) = seen(None);
        drop(busy);
        assert_eq!(
            before.matches(&after),
            Sameness::Same,
            "{make}: {before} {after}"
        );
        assert_eq!(before.matches(&copy_after), Sameness::Different, "{make}");
        assert_eq!(copy.matches(&copy_after), Sameness::Same, "{make}");
        assert_eq!(before.file_name(), after.file_name(), "{make}");
    }
}

#[test]
fn a_file_in_use_by_this_program_alone_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let image = sparse(folder.path(), MIB);
    let _own = File::options().write(true).open(&image).unwrap();
    Target::open(&image, &writing()).unwrap();
}
