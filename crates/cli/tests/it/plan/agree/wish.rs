//! What somebody may want, drawn.

use ioalign_testkit::random::Random;
use serde_json::Value;

/// One wish, as arguments of `plan` and of `check`.
#[derive(Debug)]
pub struct Wish {
    /// Bytes of the disk.
    pub size: u64,
    /// Bytes of its sectors.
    pub sector: u64,
    /// Whether LVM is wanted.
    pub lvm: bool,
    /// Arguments of `plan`.
    pub plan: Vec<String>,
    /// The same ground as arguments of `check`.
    check: Vec<String>,
}

impl Wish {
    /// The next of them.
    pub fn draw(random: &mut Random) -> Self {
        let sector = *random.pick(&[512, 512, 512, 4096]);
        let size = (1536 << 20) + random.within(0, 1 << 16) * 4096;
        let mut wish = Self {
            size,
            sector,
            lvm: false,
            plan: Vec::new(),
            check: Vec::new(),
        };
        wish.say(&[
            "--size",
            &size.to_string(),
            "--logical",
            &sector.to_string(),
        ]);
        wish.blocks(random);
        wish.array(random);
        wish.further(random);
        wish.layers(random);
        wish
    }

    fn say(&mut self, arguments: &[&str]) {
        self.plan
            .extend(arguments.iter().map(|&text| text.to_owned()));
    }

    fn grid(&mut self, grid: &str) {
        self.check.extend(["--grid".to_owned(), grid.to_owned()]);
    }

    /// Physical block, indirection unit, volume block.
    fn blocks(&mut self, random: &mut Random) {
        let physical = *random.pick(&["", "", "4k", "4k", "8k", "512"]);
        let physical = if self.sector == 4096 && physical == "512" {
            ""
        } else {
            physical
        };
        match physical {
            "" => self.grid("4k:physical-block:rmw"),
            stated => {
                self.say(&["--physical", stated]);
                self.grid(&format!("{stated}:physical-block:rmw"));
            }
        }
        let unit = *random.pick(&["", "", "", "8k", "16k", "32k", "64k", "48k"]);
        if !unit.is_empty() {
            self.say(&["--unit", unit]);
            self.grid(&format!("{unit}:indirection-unit:rmw"));
        }
        let volume = *random.pick(&["", "", "", "", "8k", "16k", "128k"]);
        if !volume.is_empty() {
            self.say(&["--volume-block", volume]);
            self.grid(&format!("{volume}:volume-block:rmw"));
        }
    }

    /// An array that shows itself as one disk.
    fn array(&mut self, random: &mut Random) {
        if random.below(2) == 0 {
            return;
        }
        let (level, least) = *random.pick(&[("0", 2), ("1", 2), ("10", 4), ("5", 3), ("6", 4)]);
        let disks = random.within(least, 13);
        let element = *random.pick(&["16k", "32k", "64k", "96k", "128k", "256k", "512k", "1m"]);
        let number = disks.to_string();
        self.say(&[
            "--raid",
            level,
            "--disks",
            &number,
            "--element",
            element,
            "--controller",
        ]);
        let bearing = match level {
            "0" => disks,
            "10" if disks.is_multiple_of(2) => disks / 2,
            "10" => disks,
            "5" => disks - 1,
            "6" => disks - 2,
            _ => return,
        };
        let profile = format!("raid:{element}x{bearing}");
        self.check.extend(["--profile-grid".to_owned(), profile]);
    }

    /// Grids with a phase, of sizes that are no powers of two, of every tier.
    fn further(&mut self, random: &mut Random) {
        for _ in 0..*random.pick(&[0, 0, 0, 1, 2]) {
            let sectors = *random.pick(&[8, 16, 24, 40, 72, 128, 384, 640, 2048, 10_240]);
            let size = sectors * 512_u64.max(self.sector);
            let phase = match random.below(3) {
                0 => random.within(0, size / self.sector) * self.sector,
                _ => 0,
            };
            let tier = *random.pick(&["preference", "preference", "rmw"]);
            let grid = format!("{size}@{phase}:drawn:{tier}");
            self.say(&["--grid", &grid]);
            self.grid(&grid);
        }
    }

    /// Table, partitions, LVM, file system.
    fn layers(&mut self, random: &mut Random) {
        let label = *random.pick(&["gpt", "gpt", "dos", "dos", "none"]);
        self.say(&["--label", label]);
        if random.below(3) == 0 {
            self.say(&["--tight"]);
        }
        let parts: &[&str] = match label {
            "none" => &[""],
            "dos" => &[
                "data",
                "data:40M,data",
                "swap:24M,boot:64M,data",
                FIVE,
                SEVEN,
            ],
            _ => &["data", "data:40M,data", "esp:300M,swap:24M,data", FIVE],
        };
        let parts = *random.pick(parts);
        if !parts.is_empty() {
            self.say(&["--partition", parts]);
        }
        self.lvm = random.below(4) == 0;
        if self.lvm {
            self.say(&["--lvm"]);
        }
        let filesystem = *random.pick(&["ext4", "ext4", "xfs", "btrfs", "ntfs", "swap"]);
        self.say(&["--fs", filesystem]);
    }

    /// The grids that `check` is asked about: those of the wish, or, where some could not be had together, those
    /// that the plan kept.
    pub fn grids(&self, document: &Value) -> Vec<String> {
        let lost = document["given_up"].as_array().unwrap();
        let stated = |lost: &Value| lost["grid"]["confidence"] != "low";
        let assumed = |lost: &Value| lost["grid"]["kind"] == "physical-block";
        let mut arguments = vec!["--sector-size".to_owned(), self.sector.to_string()];
        if !lost.iter().any(|lost| stated(lost) || assumed(lost)) {
            arguments.extend(self.check.iter().cloned());
            return arguments;
        }
        let kept = document["grids"].as_array().unwrap().iter();
        let judging = kept.filter(|grid| grid["tier"] != "validity" && grid["kind"] != "habit");
        for grid in judging {
            let word = |key: &str| grid[key].as_str().unwrap().to_owned();
            // A controller's element and stripe are what `--profile-grid raid:` calls preferences.
            let tier = match word("kind").as_str() {
                "element" | "full-stripe" => "preference".to_owned(),
                _ => word("tier"),
            };
            let (size, phase) = (&grid["size_bytes"], &grid["phase_bytes"]);
            arguments.push("--grid".to_owned());
            arguments.push(format!("{size}@{phase}:{}:{tier}", word("kind")));
        }
        arguments
    }
}

const FIVE: &str = "data:16M,data:16M,swap:24M,data:16M,data";
const SEVEN: &str = "data:16M,boot:40M,swap:24M,data:16M,data:12345s,swap:24M,data";
