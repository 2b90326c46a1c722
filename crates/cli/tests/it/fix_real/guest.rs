//! LVM in a logical partition, LUKS2, and a disk with a sector that cannot be read: in a microVM.

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
    let folder = tempfile::tempdir().unwrap();
    guest::run("lab/live/fix.sh", folder.path());
    let answers = Answers(folder.path().join("fix"));
    for disk in ["lvm", "luks"] {
        assert_eq!(answers.verdict(&format!("{disk}-before")), "misaligned");
        assert_eq!(answers.verdict(&format!("{disk}-after")), "ok");
        let (table, kernel) = answers.starts(disk);
        assert_eq!(table, kernel, "{disk}: the kernel was not told");
        // The physical volume as well: LVM was told not to make up for its partition.
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
