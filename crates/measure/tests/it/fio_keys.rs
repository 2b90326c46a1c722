//! Every key of fio has its place: by fio's own lists of them, and by the jobs that come with it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ioalign_measure::jobs::fio::table::{self, FioKey, Handling};
use ioalign_measure::jobs::fio::{self, ImportedJob};
use ioalign_testkit::run::tool;

/// Of the package fio-examples.
const EXAMPLES: &str = "/usr/share/doc/fio/examples";
/// Engines whose own keys are read.
const ENGINES: [&str; 3] = ["io_uring", "libaio", "pvsync2"];

/// Names in a list of `--cmdhelp=all` or `--enghelp`: `  bs_unaligned  : Don't sector align`.
fn names(list: &str) -> BTreeSet<String> {
    let lines = list.lines().filter_map(|line| line.split_once(':'));
    let names = lines.map(|(name, _)| name.trim().to_owned());
    names
        .filter(|name| !name.is_empty() && !name.contains(' '))
        .collect()
}

#[test]
fn every_key_that_fio_knows_is_in_the_table() {
    needs!(Packages);
    let mut known = names(&tool("fio", &["--cmdhelp=all"]));
    assert!(known.len() > 200, "{known:?}");
    for engine in ENGINES {
        known.extend(names(&tool("fio", &[&format!("--enghelp={engine}")])));
    }
    let missing: Vec<_> = known
        .iter()
        .filter(|name| table::find(name).is_none())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The manual names keys with their other names. Keys of engines and profiles that are refused belong to these.
#[test]
fn every_key_that_the_manual_of_fio_documents_is_in_the_table() {
    needs!(Packages);
    let manual = tool("zcat", &["/usr/share/doc/fio/HOWTO.rst.gz"]);
    let mut heading = "";
    let mut seen = 0;
    for (line, below) in manual.lines().zip(manual.lines().skip(1)) {
        if below.len() > 3 && below.chars().all(|sign| "~^-=*".contains(sign)) {
            heading = line;
        }
        let Some(option) = line.strip_prefix(".. option:: ") else {
            continue;
        };
        let is_of_another = heading.contains("engine specific") || heading.contains("profile");
        if is_of_another || option.starts_with('-') {
            continue;
        }
        let keys: Vec<_> = option
            .split(", ")
            .map(|word| word.split(['=', '[', ' ']).next().unwrap())
            .map(|name| (name, table::find(name).map(FioKey::name)))
            .collect();
        let first = keys[0].1;
        assert!(first.is_some(), "{option}");
        assert!(keys.iter().all(|(_, key)| *key == first), "{keys:?}");
        seen += 1;
    }
    assert!(seen > 150, "{seen}");
}

/// What the documentation says of each key is what is done; `UPDATE_GOLDEN=1` writes it.
#[test]
fn the_table_is_in_the_documentation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fio-jobs.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, _) = text.split_once("<!-- keys -->\n").unwrap();
    let whole = format!("{head}<!-- keys -->\n{}", rows());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &whole).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text == whole,
        "run with UPDATE_GOLDEN=1, and look at docs/fio-jobs.md"
    );
}

fn rows() -> String {
    let mut out = "\n| key | | how, or why | asks for nothing |\n|---|---|---|---|\n".to_owned();
    for key in table::all() {
        let list = |words: &[&str]| {
            let words = words.iter().filter(|word| !word.starts_with('!'));
            words
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            list(&key.names),
            key.handling.word(),
            key.why,
            list(&key.idle)
        ));
    }
    out
}

fn examples() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(EXAMPLES);
    let folder = folder.unwrap_or_else(|_| panic!("{EXAMPLES}: install the package fio-examples"));
    let mut all: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|ending| ending == "fio"));
    all.sort();
    assert!(all.len() > 60, "{}", all.len());
    all
}

fn example(name: &str) -> ImportedJob {
    let text = std::fs::read_to_string(Path::new(EXAMPLES).join(name)).unwrap();
    fio::read(name, &text).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Whether a key may go without a word: it is taken, or asks for nothing.
fn may_be_silent(key: &str, value: &str) -> bool {
    table::find(key).is_some_and(|known| match known.handling {
        Handling::Taken | Handling::AsHere => true,
        Handling::Named | Handling::Refused => known.is_idle(value),
    })
}

#[test]
fn no_key_of_an_example_is_lost_without_a_word() {
    needs!(Packages);
    let mut seen = 0;
    for path in examples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let taken = match fio::read("x", &text) {
            Ok(taken) => taken,
            // Nothing of it runs.
            Err(_) => continue,
        };
        let said: Vec<_> = taken.refused.iter().chain(&taken.not_taken).collect();
        let lines = text
            .lines()
            .map(|line| line.split([';', '#']).next().unwrap().trim());
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('[')) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let (key, value) = (key.trim(), value.trim());
            let words = format!(": {key}");
            let is_said = said.iter().any(|line| line.contains(&words));
            assert!(
                is_said || may_be_silent(key, value),
                "{}: {line}: {said:#?}",
                path.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

/// `numjobs=4<TAB>; 4 simultaneous threads`, and sizes as a range of one.
#[test]
fn an_example_with_comments_behind_its_values_runs() {
    needs!(Packages);
    let taken = example("tiobench-example.fio");
    assert!(taken.refused.is_empty(), "{:?}", taken.refused);
    assert_eq!(taken.job.steps.len(), 4);
    for step in &taken.job.steps {
        assert_eq!(
            (step.workers, step.largest_bytes(), step.run_ms),
            (4, 4096, 60_000)
        );
    }
}

#[test]
fn examples_of_other_jobs_are_refused() {
    needs!(Packages);
    for (name, words) in [
        ("basic-verify.fio", "verify=crc32c: nothing is read back"),
        (
            "1mbs_clients.fio",
            "file1: rate=1250: a rate is one of I/Os",
        ),
        (
            "netio.fio",
            "ioengine=net: this engine sends I/O of another kind",
        ),
        (
            "latency-profile.fio",
            "latency_target=500000: the queue depth",
        ),
        ("zbd-rand-write.fio", "zonemode=zbd: a device has no zones"),
        ("flow.fio", "flow=8: sections run one after the other"),
    ] {
        let taken = example(name);
        let found = taken.refused.iter().any(|line| line.contains(words));
        assert!(found, "{name}: {words}: {:#?}", taken.refused);
    }
}

fn of(keys: &str) -> ImportedJob {
    fio::read(
        "x",
        &format!("[a]\ndirect=1\nruntime=1\ntime_based\n{keys}\n"),
    )
    .unwrap()
}

#[test]
fn what_makes_it_another_job_is_refused() {
    for keys in [
        "rw=trim",
        "rw=randtrim",
        "rw=trimwrite",
        "rw=write:8k",
        "rw=randread:8",
        "read_iolog=trace.log",
        "ioengine=mmap",
        "ioengine=sg",
        "ioengine=vsync",
        "ioengine=null",
        "ioengine=posixaio\niodepth=8",
        "iodepth=0",
        "numjobs=0",
        "iodepth=many",
        "kb_base=1000",
        "bs=4k,8k\nrw=randrw",
        "bsrange=4k-64k",
        "bs=0",
        "size=50%",
        "offset=10%",
        "thinktime=100",
        "rate=10m",
        "rate_process=poisson\nrate_iops=100",
        "zonemode=strided",
        "random_distribution=pareto:0.5",
        "percentage_random=50",
        "sync=1",
        "pre_read=1",
        "filename=${DISK}",
        "no_such_key=1",
    ] {
        let taken = of(keys);
        let key = keys.split('=').next().unwrap();
        let about = |line: &&String| line.starts_with(&format!("a: {key}")) || key == "ioengine";
        assert!(
            taken.refused.iter().any(|line| about(&line)),
            "{keys}: {taken:#?}"
        );
        assert_eq!(taken.job.steps.len(), 1, "what is left can run: {keys}");
    }
    let two = "[a]\nrw=read\n[b]\nrw=write\n";
    let refused = fio::read("x", two).unwrap().refused;
    assert!(
        refused[0].starts_with("b: stonewall: not set"),
        "{refused:?}"
    );
    let waits = fio::read("x", "[a]\nrw=read\n[b]\nwait_for=a\n")
        .unwrap()
        .refused;
    assert!(waits.is_empty(), "{waits:?}");
}

/// What fio does where nothing is said, and values that ask for nothing.
#[test]
fn what_is_not_said_is_as_in_fio() {
    let plain = of("");
    let step = &plain.job.steps[0];
    assert_eq!((step.pattern.word(), step.read_ratio), ("sequential", 1.0));
    assert!(plain.settings.sync, "psync is the usual engine");
    let deep = of("iodepth=8");
    assert_eq!(deep.job.steps[0].queue_depth, 1);
    assert!(deep.not_taken[0].contains("one at a time"), "{deep:?}");
    // libaio without O_DIRECT returns when an I/O is done.
    let buffered = of("ioengine=libaio\niodepth=8\ndirect=0");
    assert_eq!(
        (buffered.settings.sync, buffered.settings.cold),
        (true, true)
    );
    assert!(
        !of("ioengine=io_uring\ndirect=0\ninvalidate=0")
            .settings
            .cold
    );
    let idle = of(
        "verify=0\nzonemode=none\nrate_process=linear\nthinktime=0\nloops=1\nend_fsync=0\nkb_base=1024",
    );
    assert_eq!((idle.refused, idle.not_taken), (vec![], vec![]));
    for keys in [
        "end_fsync=1",
        "loops=2",
        "randrepeat=0",
        "exitall",
        "stats=0",
        "nrfiles=8",
        "fsync=1",
    ] {
        assert_eq!(of(keys).not_taken.len(), 1, "{keys}");
        assert!(of(keys).refused.is_empty(), "{keys}");
    }
    assert_eq!(of("zipf\n").refused.len(), 1);
    let skewed = of("random_distribution=zipf:1.1\nrw=randread");
    assert_eq!(skewed.job.steps[0].pattern.word(), "zipf");
    assert_eq!(
        of("random_distribution=zipf:1.1\nrw=read").job.steps[0]
            .pattern
            .word(),
        "sequential"
    );
    let sizes = of("bs=8k,64k\nrw=randwrite\nnorandommap\nrefill_buffers");
    assert_eq!(sizes.job.steps[0].largest_bytes(), 65536);
    assert_eq!(sizes.not_taken, Vec::<String>::new());
}
