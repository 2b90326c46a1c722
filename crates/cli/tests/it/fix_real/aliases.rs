//! SIGKILL at any moment, and then on, back, or once more under any other name that the disk has: no byte is lost,
//! and a copy is never taken for it. `IOALIGN_KILLS=300` makes a campaign of it.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use ioalign_testkit::run::{text, tool};
use ioalign_testkit::{Loop, MountGuard, Random};

use crate::PROGRAM;

const MIB: usize = 1 << 20;
const SECTOR: usize = 512;
/// How often the program is killed, unless the environment says otherwise.
const KILLS: u32 = 24;
/// Start and length of the partitions, in sectors.
const PARTS: [(usize, usize); 2] = [(63, 9000), (9063, 10000)];

/// A file system with an image in it, that can be taken away and mounted elsewhere like by a restart.
struct Machine {
    folder: tempfile::TempDir,
    host: Option<(MountGuard, Loop)>,
    /// What the image is called today.
    name: String,
    fresh: Vec<u8>,
    random: Random,
    /// Mounts so far.
    restarts: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alias {
    Absolute,
    Relative,
    Symlink,
    HardLink,
    Renamed,
    Device,
    /// A loop device over a loop device, with other numbers than before.
    DeviceOverDevice,
    /// After a restart: mounted elsewhere, from another device.
    Restarted,
}

const ALIASES: [Alias; 8] = [
    Alias::Absolute,
    Alias::Relative,
    Alias::Symlink,
    Alias::HardLink,
    Alias::Renamed,
    Alias::Device,
    Alias::DeviceOverDevice,
    Alias::Restarted,
];

/// A name of the image, for as long as it lives. Devices go in the order in which they stand here.
struct Named {
    target: PathBuf,
    cwd: PathBuf,
    _over: Option<Loop>,
    _below: Option<Loop>,
    _busy: Option<Loop>,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = folder.path().join("host.img");
        fs::File::create(&host).unwrap().set_len(96 << 20).unwrap();
        tool("mkfs.ext4", &["-q", "-F", text(&host)]);
        fs::File::create(folder.path().join("busy.img"))
            .unwrap()
            .set_len(1 << 20)
            .unwrap();
        let mut machine = Self {
            folder,
            host: None,
            name: "disk.img".to_owned(),
            fresh: fresh(),
            random: Random(0x616c_6961),
            restarts: 0,
        };
        machine.start();
        fs::write(machine.image(), &machine.fresh).unwrap();
        machine
    }

    fn start(&mut self) {
        self.restarts += 1;
        // Another device, so that the file system has another number, in another folder.
        let busy = self.restarts.is_multiple_of(2).then(|| self.busy());
        let device = Loop::new(&self.folder.path().join("host.img"), &[]);
        drop(busy);
        let point = self.folder.path().join(format!("mnt{}", self.restarts % 3));
        let mount = MountGuard::new(&[device.text()], &point);
        self.host = Some((mount, device));
    }

    fn restart(&mut self) {
        let (mount, device) = self.host.take().unwrap();
        mount.try_unmount().unwrap();
        drop(device);
        self.start();
    }

    fn busy(&self) -> Loop {
        Loop::new(&self.folder.path().join("busy.img"), &[])
    }

    fn home(&self) -> &Path {
        self.host.as_ref().unwrap().0.path()
    }

    fn image(&self) -> PathBuf {
        self.home().join(&self.name)
    }

    fn journals(&self) -> PathBuf {
        self.folder.path().join("journals")
    }

    fn named(&mut self, alias: Alias) -> Named {
        if alias == Alias::Restarted {
            self.restart();
        }
        if alias == Alias::Renamed {
            let to = format!("disk{}.img", self.random.below_u64(4));
            fs::rename(self.image(), self.home().join(&to)).unwrap();
            self.name = to;
        }
        let (image, cwd) = (self.image(), self.folder.path().to_owned());
        let link = self.folder.path().join("link.img");
        let hard = self.home().join("hard.img");
        for old in [&link, &hard] {
            let _ = fs::remove_file(old);
        }
        let mut named = Named {
            target: image.clone(),
            cwd,
            _over: None,
            _below: None,
            _busy: None,
        };
        match alias {
            Alias::Absolute | Alias::Renamed | Alias::Restarted => {}
            Alias::Relative => {
                named.target = PathBuf::from(&self.name);
                named.cwd = self.home().to_owned();
            }
            Alias::Symlink => {
                symlink(&image, &link).unwrap();
                named.target = link;
            }
            Alias::HardLink => {
                fs::hard_link(&image, &hard).unwrap();
                named.target = hard;
            }
            Alias::Device => {
                let device = Loop::new(&image, &[]);
                named.target = device.path().to_owned();
                named._over = Some(device);
            }
            Alias::DeviceOverDevice => {
                let busy = self.busy();
                let below = Loop::new(&image, &[]);
                let over = Loop::new(below.path(), &[]);
                named.target = over.path().to_owned();
                named._over = Some(over);
                named._below = Some(below);
                named._busy = Some(busy);
            }
        }
        named
    }

    /// `fix NAME WAY`, slowly enough to be hit.
    fn fix(&self, named: &Named, way: &str) -> Command {
        self.fix_at(named, way, "40M")
    }

    fn fix_at(&self, named: &Named, way: &str, limit: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .current_dir(&named.cwd)
            .arg("fix")
            .arg(&named.target)
            .arg(way);
        command.args(["--chunk", "1M", "--limit", limit, "--quiet"]);
        if way == "--apply" {
            command
                .args(["--align", "1M", "--journal-dir"])
                .arg(self.journals());
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, named: &Named, way: &str) -> Output {
        self.fix(named, way).output().unwrap()
    }

    fn is_in_flight(&self) -> bool {
        let bytes = fs::read(self.image()).unwrap();
        bytes.get(144..156) == Some(b"IOALIGN-MOVE")
    }

    /// Every partition holds its bytes where the table says, and there is nothing between.
    fn is_whole(&self, what: &str) {
        let bytes = fs::read(self.image()).unwrap();
        for (index, (from, sectors)) in PARTS.iter().enumerate() {
            let entry = 446 + 16 * index;
            let start = u32::from_le_bytes(bytes[entry + 8..entry + 12].try_into().unwrap());
            let start = usize::try_from(start).unwrap();
            assert!(
                start == *from || start.is_multiple_of(2048),
                "{what}: {start}"
            );
            let there = &bytes[start * SECTOR..(start + sectors) * SECTOR];
            let before = &self.fresh[from * SECTOR..(from + sectors) * SECTOR];
            assert!(there == before, "{what}: partition {index} at {start}");
        }
    }

    /// A copy is refused whatever is asked, and stays as it is; so does the journal.
    fn copies_are_refused(&self) {
        let copy = self.home().join("copy.img");
        fs::copy(self.image(), &copy).unwrap();
        let before = fs::read(&copy).unwrap();
        let named = Named {
            target: copy.clone(),
            cwd: self.home().to_owned(),
            _over: None,
            _below: None,
            _busy: None,
        };
        for way in ["--apply", "--resume", "--rollback"] {
            let output = self.run(&named, way);
            assert_eq!(output.status.code(), Some(65), "{way} {output:?}");
        }
        assert!(fs::read(&copy).unwrap() == before);
        fs::remove_file(&copy).unwrap();
    }

    /// To the end by some name, and everything is whole.
    fn finished(&mut self, alias: Alias) {
        let named = self.named(alias);
        if self.is_in_flight() {
            let output = self.run(&named, "--resume");
            assert!(output.status.success(), "{alias:?} {output:?}");
        }
        drop(named);
        self.is_whole(&format!("{alias:?}"));
        // A journal of which nothing had begun, or of a move that had ended: the disk is whole without it.
        let _ = fs::remove_dir_all(self.journals());
    }

    fn killed(&mut self, named: &Named, way: &str, most: u64) -> bool {
        let mut child = self.fix(named, way).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(self.random.within(1, most)));
        child.kill().unwrap();
        child.wait().unwrap().code().is_none()
    }

    /// A job, killed several times, each time under another name. How often.
    fn job(&mut self) -> u32 {
        fs::write(self.image(), &self.fresh).unwrap();
        let first = *self.random.pick(&ALIASES);
        let named = self.named(first);
        let mut kills = u32::from(self.killed(&named, "--apply", 300));
        drop(named);
        let mut said = format!("{first:?} --apply");
        for _ in 0..self.random.below_u64(5) {
            if !self.is_in_flight() {
                break;
            }
            if self.random.below_u64(4) == 0 {
                self.copies_are_refused();
            }
            let alias = *self.random.pick(&ALIASES);
            let way = *self.random.pick(&["--resume", "--rollback", "--apply"]);
            said.push_str(&format!(", {alias:?} {way}"));
            let named = self.named(alias);
            if way == "--apply" {
                let output = self.run(&named, way);
                assert_eq!(output.status.code(), Some(65), "{said} {output:?}");
            } else {
                kills += u32::from(self.killed(&named, way, 250));
            }
        }
        let last = *self.random.pick(&ALIASES);
        self.finished(last);
        kills
    }
}

/// A disk with partitions that are off every grid, full of bytes that stand nowhere else.
fn fresh() -> Vec<u8> {
    let mut random = Random(7);
    let mut bytes = vec![0; 12 * MIB];
    for (index, (start, sectors)) in PARTS.iter().enumerate() {
        let entry = 446 + 16 * index;
        bytes[entry + 4] = 0x83;
        let number = |value: &usize| u32::try_from(*value).unwrap().to_le_bytes();
        bytes[entry + 8..entry + 12].copy_from_slice(&number(start));
        bytes[entry + 12..entry + 16].copy_from_slice(&number(sectors));
        for word in bytes[start * SECTOR..(start + sectors) * SECTOR].chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        bytes[start * SECTOR + 510] = 0;
    }
    bytes[440..444].copy_from_slice(&[1, 2, 3, 4]);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes
}

fn wanted_kills() -> u32 {
    let named = std::env::var("IOALIGN_KILLS").ok();
    named.and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

#[test]
fn no_name_of_a_disk_loses_a_byte() {
    needs!(Packages, Root);
    let mut machine = Machine::new();
    let (mut kills, mut jobs) = (0, 0);
    while kills < wanted_kills() {
        kills += machine.job();
        jobs += 1;
        assert!(
            jobs < 20 * wanted_kills().max(1),
            "only {kills} kills in {jobs} jobs"
        );
    }
    eprintln!(
        "{kills} kills in {jobs} jobs, {} restarts: nothing lost",
        machine.restarts
    );
}

/// Whatever two names are used at the same time, one is refused or has nothing to do, and nothing is harmed.
#[test]
fn two_at_once_by_any_two_names() {
    needs!(Packages, Root);
    let mut machine = Machine::new();
    let names = [
        Alias::Absolute,
        Alias::HardLink,
        Alias::Symlink,
        Alias::Device,
        Alias::DeviceOverDevice,
    ];
    let mut refusals = 0;
    for (index, one) in names.into_iter().enumerate() {
        for other in names.into_iter().skip(index) {
            fs::write(machine.image(), &machine.fresh).unwrap();
            let inode = machine.image().metadata().unwrap().ino();
            let first = machine.named(one);
            // Names of files come and go with `named`; a device that comes second is attached beside it.
            let late = matches!(other, Alias::Device | Alias::DeviceOverDevice);
            let second = (!late).then(|| Named {
                target: machine.image(),
                cwd: machine.home().to_owned(),
                _over: None,
                _below: None,
                _busy: None,
            });
            let child = machine.fix_at(&first, "--apply", "8M").spawn().unwrap();
            until_in_flight(&machine, &child);
            let second = second.unwrap_or_else(|| device_over(&machine));
            let refused = machine.run(&second, "--apply");
            assert_eq!(
                refused.status.code(),
                Some(65),
                "{one:?} {other:?} {refused:?}"
            );
            refusals += 1;
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{one:?} {other:?} {output:?}");
            drop((first, second));
            assert_eq!(machine.image().metadata().unwrap().ino(), inode);
            machine.is_whole(&format!("{one:?} {other:?}"));
        }
    }
    assert_eq!(refusals, 15);
}

/// Both from the first moment on: whichever comes first holds the locks.
#[test]
fn two_that_start_together() {
    needs!(Packages, Root);
    let mut machine = Machine::new();
    for round in 0..12 {
        fs::write(machine.image(), &machine.fresh).unwrap();
        let _ = fs::remove_dir_all(machine.journals());
        let first = machine.named(Alias::HardLink);
        let second = Named {
            target: machine.image(),
            cwd: machine.home().to_owned(),
            _over: None,
            _below: None,
            _busy: None,
        };
        let one = machine.fix(&first, "--apply").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(machine.random.below_u64(15)));
        let other = machine.fix(&second, "--apply").spawn().unwrap();
        let ends = [one, other].map(|child| child.wait_with_output().unwrap());
        let done = ends.iter().filter(|end| end.status.success()).count();
        assert_eq!(done, 1, "{round} {ends:?}");
        machine.is_whole(&format!("{round} {ends:?}"));
    }
}

fn device_over(machine: &Machine) -> Named {
    let device = Loop::new(&machine.image(), &[]);
    Named {
        target: device.path().to_owned(),
        cwd: machine.home().to_owned(),
        _over: Some(device),
        _below: None,
        _busy: None,
    }
}

fn until_in_flight(machine: &Machine, child: &Child) {
    for _ in 0..2000 {
        if machine.is_in_flight() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("process {} has not begun", child.id());
}
