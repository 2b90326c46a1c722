//! A converted trace in the tools that take blktrace: btt and fio.

use std::process::Command;

use ioalign_observe::write::blktrace::TARGET;
use ioalign_observe::{TraceProgress, TraceSettings, convert};

use super::{run, totals_of_fio};

/// 400 reads and 200 writes of an MSR trace, within 16 MiB, 250 µs each.
fn rows() -> String {
    let row = |n: u64| {
        let op = if n % 3 == 2 { "Write" } else { "Read" };
        let time = 128_166_372_003_061_629 + n * 20_000;
        format!(
            "{time},hm,1,{op},{},8192,2500\n",
            n * 7919 % 2000 * 8192 + 512
        )
    };
    (0..600).map(row).collect()
}

#[test]
fn btt_and_fio_take_what_was_converted() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("msr.csv"), rows()).unwrap();
    let out = std::fs::File::create(at("trace")).unwrap();
    let writer = || (TARGET.writer)(Box::new(out), true);
    let done = convert(
        &[at("msr.csv")],
        &TraceSettings::default(),
        &TraceProgress::default(),
        writer,
    );
    assert_eq!(done.unwrap().written.ios, 600);

    let btt = run(Command::new("btt")
        .current_dir(folder.path())
        .args(["-i", "trace"]));
    let row = |name: &str| {
        let line = btt
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{name}: {btt}"));
        let fields: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        (fields[2].parse::<f64>().unwrap(), fields[4].clone())
    };
    for name in ["Q2G", "I2D", "D2C", "Q2C"] {
        assert_eq!(row(name).1, "600", "{btt}");
    }
    assert!((row("D2C").0 - 250e-6).abs() < 1e-9, "{btt}");

    std::fs::File::create(at("disk"))
        .unwrap()
        .set_len(32 << 20)
        .unwrap();
    let mut fio = Command::new("fio");
    fio.current_dir(folder.path()).args([
        "--name=replay",
        "--read_iolog=trace",
        "--replay_redirect=disk",
        "--replay_no_stall=1",
        "--ioengine=psync",
        "--output-format=json",
        "--output=report",
    ]);
    run(&mut fio);
    let totals = totals_of_fio(&at("report"));
    assert_eq!(totals["read"], (400, 400 * 8192));
    assert_eq!(totals["write"], (200, 200 * 8192));
}
