//! LVM in a logical partition, LUKS2, a disk with a sector that cannot be read, and one that loses power: in a microVM.

use std::path::PathBuf;

use serde_json::Value;

use super::super::guest;

/// What the guest sent.
struct Answers(PathBuf);

impl Answers {
    fn text(&self, name: &str) -> String {
        let path = self.0.join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    fn verdict(&self, name: &str) -> Value {
        self.json(&format!("{name}.check.json"))["targets"][0]["verdict"].clone()
    }

    /// Where the first partition starts.
    fn start(&self, name: &str) -> u64 {
        let table = self.json(&format!("{name}.sfdisk.json"));
        let first = &table["partitiontable"]["partitions"][0];
        first["start"].as_u64().unwrap()
    }

    /// Where every partition starts, by sfdisk and by the kernel.
    fn starts(&self, name: &str) -> (Vec<u64>, Vec<u64>) {
        let table = self.json(&format!("{name}.sfdisk.json"));
        let all = table["partitiontable"]["partitions"].as_array().unwrap();
        let starts = all.iter().map(|one| one["start"].as_u64().unwrap());
        let kernel = self.text(&format!("{name}.kernel"));
        let second = |line: &str| line.split(' ').nth(1).unwrap().parse().unwrap();
        (starts.collect(), kernel.lines().map(second).collect())
    }

    fn assert_same(&self, names: &[&str]) {
        for name in names {
            let (before, after) = (format!("{name}-before.sums"), format!("{name}-after.sums"));
            assert_eq!(self.text(&before).lines().count(), 20, "{name}");
            assert_eq!(self.text(&before), self.text(&after), "{name}");
        }
    }
}

#[test]
fn volumes_and_bad_sectors_on_a_real_kernel() {
    needs!(Packages, Root, Guest);
    let folder = tempfile::tempdir().unwrap();
    guest::run("lab/live/fix.sh", folder.path());
    let answers = Answers(folder.path().join("fix"));
    for disk in ["lvm", "luks"] {
        assert_eq!(answers.verdict(&format!("{disk}-before")), "misaligned");
        assert_eq!(answers.verdict(&format!("{disk}-after")), "ok");
        let (table, kernel) = answers.starts(disk);
        assert_eq!(table, kernel, "{disk}: the kernel was not notified");
        // The physical volume as well: LVM was asked not to make up for its partition.
        assert!(!table.contains(&70_189));
    }
    answers.assert_same(&["primary", "logical", "lvm", "luks"]);
    stopped_at_the_sector(&answers);
}

/// It stopped, said where, and went back; sfdisk went on under a new table, without 1 MiB.
fn stopped_at_the_sector(answers: &Answers) {
    assert_eq!(answers.text("error.status"), "65\n");
    let said = answers.text("error.txt");
    assert!(said.contains("cannot be read"), "{said}");
    assert_eq!(answers.start("error"), 63);
    for part in ["before", "after"] {
        assert_eq!(answers.text(&format!("error.{part}")), "same\n", "{part}");
    }
    assert_eq!(answers.start("peer"), 2048, "{}", answers.text("peer.txt"));
    assert_eq!(answers.text("peer.mib"), "lost\n");
}

/// The disk has another name after each start; the journal lies on a disk that outlives them.
#[test]
fn a_move_outlives_the_loss_of_power_and_other_names() {
    needs!(Packages, Root, Guest);
    let folder = tempfile::tempdir().unwrap();
    let disk = |name: &str, size: &str| {
        let path = folder.path().join(name);
        format!("{}={size},serial={name}", path.display())
    };
    let (target, home) = (disk("target", "96M"), disk("home", "64M"));
    let mut names = Vec::new();
    for start in 1..=4 {
        let disks = match start % 2 {
            1 => [&target, &home],
            _ => [&home, &target],
        };
        let options = ["--timeout", "300", "--disk", disks[0], "--disk", disks[1]];
        let (ended, said) = guest::boot("lab/live/power.sh", &options);
        // All but the last one are cut off in the middle of a move.
        assert_eq!(ended, start == 4, "start {start}: {said}");
        assert!(said.contains(&format!("@@moving {start}")), "{said}");
        assert!(!said.contains("@@wrong"), "{said}");
        let name = said.lines().find_map(|line| line.split_once("@@name "));
        names.push(name.unwrap().1.to_owned());
        if start == 4 {
            assert!(said.contains("@@files same"), "{said}");
            assert!(said.contains("@@verdict ok"), "{said}");
        }
    }
    assert_ne!(names[0], names[1], "{names:?}");
}
