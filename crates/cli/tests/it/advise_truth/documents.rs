//! The documents that `advise` reads: a check, a profile, a comparison.

use std::process::Command;

use ioalign_core::comparison::{Arm, Cell, Comparison, SCHEMA};
use ioalign_observe::TraceSettings;
use ioalign_observe::pipeline::DeviceStream;
use ioalign_observe::record::{Io, Op};
use ioalign_testkit::served::{AnsweredIo, Places, ServedWorkload, VirtualDevice};
use serde_json::Value;

use super::START;
use super::cases::{Case, Cells};
use super::laws::Named;
use super::subject::{ARMS, measure};
use crate::PROGRAM;
use crate::schema::valid;

/// A folder with the documents of one device.
pub struct Desk {
    folder: tempfile::TempDir,
    image: String,
    cells: Vec<Cell>,
}

impl Desk {
    /// Measures the device, and checks an image for it.
    pub fn new(law: &Named) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("disk.img");
        std::fs::File::create(&image)
            .unwrap()
            .set_len(64 << 20)
            .unwrap();
        let script = "printf 'label: dos\nstart=63, size=40960, type=83\n' | sfdisk --quiet \"$0\"";
        let mut sfdisk = ioalign_testkit::run::command("sh");
        assert!(
            sfdisk
                .args(["-c", script])
                .arg(&image)
                .status()
                .unwrap()
                .success()
        );
        let mut check = Command::new(PROGRAM);
        check.args(["check", "--json", "--no-policy"]).arg(&image);
        check.args(law.grid.iter().flat_map(|grid| ["--grid", grid]));
        let check = check.output().unwrap();
        std::fs::write(folder.path().join("check.json"), check.stdout).unwrap();
        let matrix = matrix();
        let many = u32::try_from(matrix.len()).unwrap();
        let seeds = 900..;
        let cells = matrix
            .iter()
            .zip(seeds)
            .map(|(one, seed)| measure(&law.law, one, many, seed));
        Self {
            image: image.display().to_string(),
            cells: cells.collect(),
            folder,
        }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// What the program says of one case.
    pub fn advice(&self, case: &Case<'_>, number: usize) -> Value {
        let save = |name: &str, text: String| {
            let path = self.path(&format!("{name}-{number}.json"));
            std::fs::write(&path, text).unwrap();
            path
        };
        let profile = serde_json::to_string(&self.profile(case)).unwrap();
        let cost = serde_json::to_string(&self.cost(case.cells)).unwrap();
        let (profile, cost) = (save("profile", profile), save("cost", cost));
        let output = Command::new(PROGRAM)
            .args(["advise", "--json", "--stack", &self.path("check.json")])
            .args(["--profile", &profile, "--cost", &cost])
            .output()
            .unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        let advice = serde_json::from_slice(&output.stdout).unwrap();
        valid(&advice, "advice-1.schema.json");
        advice
    }

    /// What is sent, as the misaligned device takes it.
    fn profile(&self, case: &Case<'_>) -> ioalign_core::profile::Profile {
        let mut device = VirtualDevice::new(case.law.law.clone(), 5);
        let mut places = Places::new(&case.workload, START, case.seed ^ 0xff);
        let mut stream = DeviceStream::new(&TraceSettings::default(), &self.image, "workload");
        let depth = case.workload.depth;
        device.full_queue(
            &mut places,
            depth,
            |ran| ran.ios >= 4000,
            |sent| {
                stream.push([io(sent)]);
            },
        );
        stream.finish("measure")
    }

    fn cost(&self, which: Cells) -> Comparison {
        let has = |cell: &&Cell| match which {
            Cells::All => true,
            Cells::Reads => cell.op == "read",
            Cells::OneInFlight => cell.queue_depth == 1,
            Cells::Random => cell.pattern == "random",
        };
        let arm = |name: &str, offset_bytes| Arm {
            name: name.to_owned(),
            offset_bytes,
            ..Arm::default()
        };
        let mut comparison = Comparison {
            schema: SCHEMA.to_owned(),
            target: self.image.clone(),
            arms: vec![arm(ARMS[0], 0), arm(ARMS[1], START)],
            cells: self.cells.iter().filter(has).cloned().collect(),
            ..Comparison::default()
        };
        comparison.sum_up();
        comparison
    }
}

/// Where it lies on the partition, whose start the kernel adds.
fn io(sent: &AnsweredIo) -> Io {
    let nanos = |us: f64| std::time::Duration::from_secs_f64(us / 1e6).as_nanos();
    Io {
        time: i64::try_from(nanos(sent.at_us)).unwrap(),
        offset: sent.io.offset - START,
        latency: u64::try_from(nanos(sent.latency_us)).unwrap(),
        len: u32::try_from(sent.io.bytes).unwrap(),
        op: if sent.io.write { Op::Write } else { Op::Read },
        ..Io::default()
    }
}

/// The cells that are measured.
fn matrix() -> Vec<ServedWorkload> {
    let mut all = Vec::new();
    for depth in [1, 16] {
        for kib in [4, 16, 64] {
            for reads_percent in [100, 0] {
                for sequential in [false, true] {
                    all.push(ServedWorkload {
                        sizes: vec![(kib << 10, 1)],
                        reads_percent,
                        sequential,
                        depth,
                    });
                }
            }
        }
        all.push(ServedWorkload {
            sizes: vec![(4096, 1)],
            reads_percent: 70,
            sequential: false,
            depth,
        });
    }
    all
}
