//! blkparse (Debian package blktrace) on traces made here: its text and its counts are ours, and
//! where it is wrong a test says why.

use std::path::{Path, PathBuf};
use std::process::Command;

use ioalign_observe::pairing::CountedStage;
use ioalign_observe::{TraceSettings, formats};

use super::{profile, run, totals};

const READ: u32 = 1;
const WRITE: u32 = 2;
const DISCARD: u32 = 1 << 13 | WRITE;
const NOTIFY: u32 = 1 << 10;

struct Event {
    act: u32,
    category: u32,
    time: u64,
    sector: u64,
    bytes: u32,
    cpu: u32,
}

fn bytes_of(event: &Event, sequence: u32, pdu: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0x6561_7407_u32.to_le_bytes());
    out.extend(sequence.to_le_bytes());
    out.extend(event.time.to_le_bytes());
    out.extend(event.sector.to_le_bytes());
    let action = event.act | event.category << 16;
    for word in [
        event.bytes,
        action,
        5821 + event.cpu,
        8 << 20 | 16,
        event.cpu,
    ] {
        out.extend(word.to_le_bytes());
    }
    out.extend(0_u16.to_le_bytes());
    out.extend(u16::try_from(pdu.len()).unwrap().to_le_bytes());
    out.extend(pdu);
    out
}

/// 600 I/Os that arrive, are issued and complete, some of them on the other processor.
fn events() -> Vec<Event> {
    let mut events = Vec::new();
    let mut random = 7_u64;
    for n in 0..600_u64 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let category = [READ, WRITE, DISCARD][usize::try_from(random >> 33).unwrap() % 3];
        let sector = (random >> 20) % 1_000_000 * 2 + n % 2;
        let bytes = 512 << (random >> 60);
        for (act, queue, delay, cpu) in [
            (1, 4, 0, 0),
            (7, 6, 700, 0),
            (8, 7, 90_000, (random >> 40) % 2),
        ] {
            events.push(Event {
                act,
                category: category | 1 << queue,
                time: 1_000 + n * 20_000 + delay,
                sector,
                bytes,
                cpu: u32::try_from(cpu).unwrap(),
            });
        }
    }
    events.sort_by_key(|event| event.time);
    events
}

/// One file for each processor, as blktrace writes them; returns them.
fn write_per_cpu(folder: &Path) -> Vec<PathBuf> {
    let mut files = [Vec::new(), Vec::new()];
    let name = b"fio job\0\0\0\0\0\0\0\0\0";
    for (file, cpu) in files.iter_mut().zip(0..) {
        let note = Event {
            act: 0,
            category: NOTIFY,
            time: 0,
            sector: 0,
            bytes: 0,
            cpu,
        };
        file.extend(bytes_of(&note, 0, name));
    }
    for (event, sequence) in events().iter().zip(1..) {
        files[event.cpu as usize].extend(bytes_of(event, sequence, &[]));
    }
    let path = |cpu: usize| folder.join(format!("sdb.blktrace.{cpu}"));
    for (cpu, file) in files.iter().enumerate() {
        std::fs::write(path(cpu), file).unwrap();
    }
    vec![path(0), path(1)]
}

fn blkparse(folder: &Path, arguments: &[&str]) -> String {
    run(Command::new("blkparse")
        .current_dir(folder)
        .args(["-i", "sdb"])
        .args(arguments))
}

/// ` Read Dispatches:  13,  52KiB` as a number, over all processors.
fn counted(text: &str, what: &str) -> u64 {
    let after = |line: &str| {
        let at = line.find(what)?;
        let digits = line[at + what.len()..].trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit())?;
        digits[..end].parse().ok()
    };
    let lines = text.lines().map(after).collect::<Vec<Option<u64>>>();
    // The last is the total where there are several processors.
    lines.into_iter().flatten().last().unwrap()
}

#[test]
fn its_text_and_its_binary_give_one_profile() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let binary = write_per_cpu(folder.path());
    let text = blkparse(folder.path(), &[]);
    let file = folder.path().join("text");
    std::fs::write(&file, &text).unwrap();
    for stage in [None, Some(CountedStage::Queue)] {
        let settings = TraceSettings {
            stage,
            ..TraceSettings::default()
        };
        let of_binary = profile(&binary, &settings);
        assert_eq!(of_binary.events, 600);
        assert_eq!(profile(std::slice::from_ref(&file), &settings), of_binary);
    }
}

#[test]
fn its_counts_are_ours() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let binary = write_per_cpu(folder.path());
    let text = blkparse(folder.path(), &[]);
    let ours = totals(&profile(&binary, &TraceSettings::default()), None);
    // blkparse counts discards as writes.
    assert_eq!(counted(&text, "Read Dispatches:"), ours["read"].0);
    let writes = ours["write"].0 + ours["discard"].0;
    assert_eq!(counted(&text, "Write Dispatches:"), writes);
    assert_eq!(counted(&text, "Writes Completed:"), writes);
}

#[test]
fn other_forms_by_their_letters() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let binary = write_per_cpu(folder.path());
    let expected = profile(&binary, &TraceSettings::default());
    for form in [
        "%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]\\n",
        "%M:%m %T.%9t, %p, %C, %a, %d, %S, %N\\n",
        "%a %d %T.%9t %S %n %p %M %m %C\\n",
    ] {
        let text = blkparse(folder.path(), &["-f", form]);
        let file = folder.path().join("form");
        std::fs::write(&file, text).unwrap();
        let hints = formats::Hints {
            columns: Some(form.to_owned()),
            ..formats::Hints::default()
        };
        let settings = TraceSettings {
            hints,
            ..TraceSettings::default()
        };
        assert_eq!(profile(&[file], &settings), expected, "{form}");
    }
}

#[test]
fn merged_into_one_file_by_blkparse_itself() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let binary = write_per_cpu(folder.path());
    blkparse(folder.path(), &["-O", "-d", "merged.bin"]);
    let merged = profile(
        &[folder.path().join("merged.bin")],
        &TraceSettings::default(),
    );
    assert_eq!(merged, profile(&binary, &TraceSettings::default()));
}

/// blkparse takes the processor from the end of the file name and drops the records of all others.
/// A stream of the ftrace `blk` tracer, or files joined by `cat`, have them mixed.
#[test]
fn processors_mixed_in_one_file_are_lost_by_blkparse_alone() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let binary = write_per_cpu(folder.path());
    let expected = profile(&binary, &TraceSettings::default());
    let records = events()
        .iter()
        .flat_map(|event| bytes_of(event, 0, &[]))
        .collect::<Vec<_>>();
    let mixed = folder.path().join("sdb.blktrace.0");
    std::fs::write(&mixed, &records).unwrap();
    std::fs::remove_file(&binary[1]).unwrap();
    let theirs = counted(&blkparse(folder.path(), &[]), "Reads Completed:");
    let ours = totals(&profile(&[mixed], &TraceSettings::default()), None);
    assert_eq!(ours, totals(&expected, None));
    assert!(
        theirs < ours["read"].0 * 3 / 4,
        "blkparse sees {theirs} of {}",
        ours["read"].0
    );
}

/// A file of the second processor under the name of the first: blkparse finds no event in it.
#[test]
fn the_name_of_another_processor_hides_all_from_blkparse() {
    needs!(Packages);
    let folder = tempfile::TempDir::new().unwrap();
    let records = events().into_iter().map(|event| Event { cpu: 1, ..event });
    let records = records
        .flat_map(|event| bytes_of(&event, 0, &[]))
        .collect::<Vec<_>>();
    let file = folder.path().join("sdb.blktrace.0");
    std::fs::write(&file, &records).unwrap();
    let text = blkparse(folder.path(), &[]);
    assert!(!text.contains(" Q "), "{text}");
    assert_eq!(profile(&[file], &TraceSettings::default()).events, 600);
}
