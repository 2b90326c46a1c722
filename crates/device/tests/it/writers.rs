//! Other programs that write to a file, and names that are exchanged.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ioalign_device::{ErrorKind, Target, TargetRequest};

use super::{MIB, destroying, reading, refused, sized, writing};

/// A program of another process that does something to a file and waits until it is dropped.
struct Other(Child);

impl Other {
    /// Of Python, with the file in `f` and its name in `name`.
    fn new(path: &Path, program: &str) -> Self {
        let whole = format!(
            "import fcntl,mmap,os,sys\nname=sys.argv[1]\n{program}\nprint('ready',flush=True)\nsys.stdin.read()"
        );
        Self::begin(Command::new("python3").args(["-c", &whole]).arg(path))
    }

    /// Any program that says when it is ready, and waits for its standard input.
    fn begin(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self(child)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_file_that_others_write_or_lock_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    let programs = [
        "f=open(name,'r+b')",
        "f=open(name,'ab')",
        "f=open(name,'r+b'); m=mmap.mmap(f.fileno(),0); f.close()",
        "f=open(name,'rb'); fcntl.flock(f,fcntl.LOCK_EX)",
        "f=open(name,'rb'); fcntl.flock(f,fcntl.LOCK_SH)",
        "f=open(name,'rb'); fcntl.lockf(f,fcntl.LOCK_SH,1,4096)",
    ];
    for program in programs {
        let other = Other::new(&path, program);
        let want = destroying(&path);
        let error = refused(&path, &want, ErrorKind::InUse, &["is in use"]);
        assert!(fs::read(&path).unwrap() == vec![1; 1 << 20], "{error}");
        // Reading harms nobody.
        Target::open(&path, &reading()).unwrap();
        drop(other);
        Target::open(&path, &want).unwrap();
    }
}

#[test]
fn a_writer_in_a_pid_namespace_of_its_own_is_seen() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    let script = "exec 3<>\"$0\"; echo ready; read line";
    let arguments = ["--pid", "--mount-proc", "--fork", "sh", "-c", script];
    let mut other = Other::begin(Command::new("unshare").args(arguments).arg(&path));
    refused(&path, &destroying(&path), ErrorKind::InUse, &["is in use"]);
    // Its input ends, and so does it, with the shell inside.
    drop(other.0.stdin.take());
    other.0.wait().unwrap();
    Target::open(&path, &destroying(&path)).unwrap();
}

#[test]
fn two_runs_do_not_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scratch");
    let first = Target::open(&path, &sized(writing(), MIB)).unwrap();
    refused(&path, &writing(), ErrorKind::InUse, &["is in use"]);
    drop(first);
    Target::open(&path, &writing()).unwrap();
}

#[test]
fn a_link_to_a_file_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    let link = folder.path().join("link");
    symlink("file", &link).unwrap();
    let words = ["symbolic link", "name the file"];
    refused(&link, &destroying(&link), ErrorKind::Refused, &words);
    Target::open(&link, &reading()).unwrap();
    let nowhere = folder.path().join("nowhere");
    symlink("none", &nowhere).unwrap();
    let want = sized(writing(), MIB);
    refused(&nowhere, &want, ErrorKind::Refused, &["leads nowhere"]);
    assert!(!folder.path().join("none").exists());
}

/// While a file is filled its name is given to a link to another file.
#[test]
fn a_name_that_is_exchanged_meanwhile_leads_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, vec![1; 32 << 20]).unwrap();
    let path = folder.path().join("scratch");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !path.exists() {
                std::hint::spin_loop();
            }
            fs::rename(&path, folder.path().join("gone")).unwrap();
            symlink("victim", &path).unwrap();
        });
        let want = TargetRequest {
            direct: false,
            ..sized(writing(), 32 * MIB)
        };
        let target = Target::open(&path, &want).unwrap();
        let member = target.members().first().unwrap();
        std::os::unix::fs::FileExt::write_all_at(&member.file, &[9; 4096], 0).unwrap();
    });
    assert!(fs::read(&victim).unwrap() == vec![1; 32 << 20]);
}

#[test]
fn no_link_leads_out_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let outside = folder.path().join("outside");
    let member = inner.join("ioalign.scratch.05");
    let want = sized(destroying(&inner), 64 * MIB);
    let link = |what: &str| match what {
        "symbolic" => symlink("../outside", &member).unwrap(),
        "empty" => {
            File::create(&outside).unwrap();
            symlink("../outside", &member).unwrap();
        }
        _ => fs::hard_link(&outside, &member).unwrap(),
    };
    for (what, words) in [
        ("symbolic", "symbolic link"),
        ("empty", "symbolic link"),
        ("hard", "hard links"),
    ] {
        fs::write(&outside, vec![4; 2 << 20]).unwrap();
        link(what);
        let before = fs::read(&outside).unwrap();
        let error = Target::open(&inner, &want).unwrap_err();
        assert!(error.to_string().contains("ioalign.scratch.05"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(fs::read(&outside).unwrap() == before, "{what}");
        fs::remove_file(&member).unwrap();
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 0, "{what}");
    }
}
