//! What a journal takes for whole: each number of its header and of its records, and where they lie.

use std::io;
use std::ops::Range;

use ioalign_repair::journal::{
    self, Contents, Journal, JournalHeader, JournalState, PIECE_MOST, SLOT_MOST, Stage, Staged,
    header_for,
};
use ioalign_repair::mover::{MoveOrigin, MoverOptions, Side};
use ioalign_repair::{Disk, Error, Identity, Job, MemoryDisk, Move, Patch, PatchPhase};
use ioalign_testkit::Random;

const KIB: u64 = 1 << 10;
const BLOCK: u64 = 4096;

/// A job with a patch of each kind, one move by two sectors, and something that stays.
fn job() -> Job {
    let mut random = Random(7);
    let bytes: Vec<u8> = (0..64 << 7)
        .flat_map(|_| random.next().to_le_bytes())
        .collect();
    let one = Move {
        from: 8 * KIB,
        to: 9 * KIB,
        bytes: 16 * KIB,
    };
    let patch = |phase, at: u64, from: usize, after: Vec<u8>| Patch {
        phase,
        at,
        before: bytes[from..from + 512].to_vec(),
        after,
    };
    let patches = vec![
        patch(PatchPhase::Contents, one.to, 8 << 10, vec![1; 512]),
        patch(PatchPhase::Table, 0, 0, vec![2; 512]),
        patch(PatchPhase::Covered, 28 * KIB, 28 << 10, Vec::new()),
    ];
    let mut disk = MemoryDisk {
        bytes,
        logical_bytes: 512,
    };
    Job {
        identity: Identity::take(&mut disk, &[one]),
        moves: vec![one],
        patches,
        keep: vec![32 * KIB..40 * KIB, 48 * KIB..49 * KIB],
    }
}

fn origin() -> MoveOrigin {
    MoveOrigin {
        host: "höst".into(),
        journal: "/journals/a job".into(),
        target: "a disk".into(),
    }
}

fn header(job: &Job) -> JournalHeader {
    let options = MoverOptions {
        chunk: 4 * KIB,
        piece: KIB,
        ..MoverOptions::default()
    };
    header_for(job, options.sizes(512).unwrap())
}

fn store(bytes: u64) -> MemoryDisk {
    MemoryDisk {
        bytes: vec![0; usize::try_from(bytes).unwrap()],
        logical_bytes: 1,
    }
}

/// A journal that was just made.
fn made() -> (MemoryDisk, JournalHeader, Contents) {
    let job = job();
    let header = header(&job);
    let contents = Contents::first(&header, &job, &origin());
    let mut store = store(header.total_bytes);
    Journal::create(&mut store, header.clone(), &contents)
        .map(drop)
        .unwrap();
    (store, header, contents)
}

fn read(store: &MemoryDisk) -> Result<Contents, Error> {
    journal::read(&mut store.clone())
}

#[test]
fn all_of_a_job_is_read_back() {
    let (store, header, contents) = made();
    assert_eq!(read(&store).unwrap(), contents);
    assert_eq!(
        (contents.host.as_str(), contents.target.as_str()),
        ("höst", "a disk")
    );
    assert_eq!(contents.run, header.id);
    let mut store = store;
    let (journal, again) = Journal::open(&mut store).unwrap();
    assert_eq!((journal.header(), again), (&header, contents));
    // Two runs of one job have different names.
    assert_ne!(made().1.id, header.id);
}

#[test]
fn its_parts_lie_beside_each_other() {
    let (_, header, _) = made();
    assert_eq!(header.slot_bytes, 4 * KIB);
    assert!(header.slots_at.is_multiple_of(BLOCK));
    assert_eq!(
        header.total_bytes,
        header.slots_at + 2 * header.slot_bytes + BLOCK
    );
    let job_at = 167_936;
    assert!(
        (job_at + header.job_bytes..job_at + header.job_bytes + BLOCK).contains(&header.slots_at)
    );
    // Slots are as long as the longest window that overlaps its source closely.
    let slots = |bytes: u64, distance: u64, direct_from: u64| {
        let mut job = job();
        job.moves = vec![Move {
            from: 8 * KIB,
            to: 8 * KIB + distance,
            bytes,
        }];
        let options = MoverOptions {
            chunk: 64 * KIB,
            piece: KIB,
            direct_from,
            ..MoverOptions::default()
        };
        header_for(&job, options.sizes(512).unwrap()).slot_bytes
    };
    assert_eq!(slots(16 * KIB, 512, 16 * KIB), 16 * KIB);
    assert_eq!(slots(5 * KIB, 512, 16 * KIB), 8 * KIB);
    assert_eq!(slots(256 * KIB, 512, 16 * KIB), 64 * KIB);
    assert_eq!(slots(16 * KIB, 16 * KIB, 32 * KIB), 0);
    assert_eq!(slots(16 * KIB, 8 * KIB, 8 * KIB), 0);
    assert_eq!(slots(16 * KIB, 8 * KIB - 512, 8 * KIB), 16 * KIB);
}

#[test]
fn a_header_is_read_back_where_its_numbers_fit() {
    let (_, good, _) = made();
    let fits = |change: &dyn Fn(&mut JournalHeader)| {
        let mut header = good.clone();
        change(&mut header);
        let mut block = header.encode();
        block.resize(4096, 0);
        let read = JournalHeader::decode(&block);
        assert!(read.is_none() || read == Some(header));
        read.is_some()
    };
    assert!(fits(&|_| {}));
    assert!(fits(&|header| header.disk_bytes += 1));
    let piece = |bytes: u64| fits(&|header| header.piece_bytes = bytes);
    assert!(piece(512) && piece(PIECE_MOST));
    assert!(!piece(0) && !piece(513) && !piece(PIECE_MOST + 512));
    let logical = |bytes: u64| fits(&|header| header.logical_bytes = bytes);
    assert!(logical(1024) && !logical(0) && !logical(2048));
    assert!(fits(&|header| header.direct_from = 1) && !fits(&|header| header.direct_from = 0));
    let slots = |bytes: u64| {
        fits(&|header| {
            header.slot_bytes = bytes;
            header.total_bytes = header.slots_at + 2 * bytes + BLOCK;
        })
    };
    assert!(slots(0) && slots(SLOT_MOST) && !slots(SLOT_MOST + BLOCK));
    for off in [1, BLOCK] {
        assert!(!fits(&|header| header.total_bytes += off));
        assert!(!fits(&|header| header.total_bytes -= off));
    }
    let job = |bytes: u64| fits(&|header| header.job_bytes = bytes);
    let room = good.slots_at - 167_936;
    assert!(job(room) && !job(room + 1) && !job(u64::MAX));
    // A block of another version, or damaged.
    let mut block = good.encode();
    block.resize(4096, 0);
    for at in [0, 8, 12, 20, 96, 120] {
        let mut bad = block.clone();
        bad[at] ^= 1;
        assert_eq!(JournalHeader::decode(&bad), None, "{at}");
    }
    assert_eq!(JournalHeader::decode(&block[..123]), None);
}

#[test]
fn a_record_is_read_back() {
    let staged = |toward| Staged {
        slot: 1,
        toward,
        start: 5,
        end: 6,
        hash: 1 << 100,
    };
    let states = [
        Stage::Marking,
        Stage::Moving,
        Stage::Contents,
        Stage::Committed,
        Stage::Done,
        Stage::RolledBack,
    ];
    for (number, stage) in (7..).zip(states) {
        for staged in [
            None,
            Some(staged(Side::Source)),
            Some(staged(Side::Destination)),
        ] {
            let state = JournalState {
                number,
                stage,
                index: 3,
                done: 4,
                unreadable: 2,
                staged,
            };
            let block = state.encode(99);
            assert!(block.len() < 512);
            assert_eq!(JournalState::decode(&block, 99), Some(state));
            assert_eq!(JournalState::decode(&block, 98), None);
            let contents = Contents { state, ..made().2 };
            let is_final = matches!(stage, Stage::Committed | Stage::Done);
            assert_eq!(contents.can_roll_back(), !is_final);
        }
    }
    // Even and odd numbers lie apart, two blocks each.
    let places = [0, 1, 2, 3].map(JournalState::place);
    assert_eq!(places, [4096, 12288, 4096, 12288]);
}

/// The newest record of a journal to which this one was added, in both its blocks.
fn newest(state: &JournalState) -> Option<JournalState> {
    let (mut store, header, _) = made();
    let mut block = state.encode(header.id);
    block.resize(4096, 0);
    for copy in [0, BLOCK] {
        store
            .write_at(JournalState::place(state.number) + copy, &block)
            .unwrap();
    }
    read(&store).ok().map(|contents| contents.state)
}

#[test]
fn a_record_with_impossible_numbers_is_damaged() {
    let base = JournalState {
        number: 2,
        stage: Stage::Moving,
        ..JournalState::first()
    };
    let fits = |state: JournalState| {
        let found = newest(&state);
        assert!(found.is_none() || found == Some(state));
        found.is_some()
    };
    let at = |index, done| {
        fits(JournalState {
            index,
            done,
            ..base
        })
    };
    assert!(at(0, 0) && at(0, 512) && at(0, 16 * KIB) && at(1, 0));
    assert!(!at(0, 16 * KIB + 512) && !at(0, 100) && !at(1, 512) && !at(2, 0));
    let numbered = |number| fits(JournalState { number, ..base });
    assert!(numbered((1 << 60) - 1) && !numbered(1 << 60));
    let unreadable = |unreadable| fits(JournalState { unreadable, ..base });
    assert!(!unreadable(1) && !unreadable(257), "there is no such list");
    // Windows on their way: the slot, their length and end, and where they begin.
    for slot in 0..3 {
        for toward in [Side::Destination, Side::Source] {
            for (start, end) in [(0, 4), (4, 8), (12, 16), (0, 5), (14, 17), (4, 4), (8, 4)] {
                for done in [0, 4, 8, 12, 16] {
                    let (start, end) = (start * KIB, end * KIB);
                    let staged = Staged {
                        slot,
                        toward,
                        start,
                        end,
                        hash: 1,
                    };
                    let state = JournalState {
                        done: done * KIB,
                        staged: Some(staged),
                        ..base
                    };
                    let begins = match toward {
                        Side::Destination => start,
                        Side::Source => end,
                    };
                    let good = slot < 2
                        && begins == state.done
                        && end <= 16 * KIB
                        && (start..=start + 4 * KIB).contains(&end);
                    assert_eq!(fits(state), good, "{state:?}");
                }
            }
        }
    }
}

#[test]
fn the_newest_whole_record_counts() {
    let (mut store, header, _) = made();
    let mut journal = Journal::open(&mut store).unwrap().0;
    let state = |done| JournalState {
        stage: Stage::Moving,
        done,
        ..JournalState::first()
    };
    for done in [512, 1024, 1536] {
        journal.settle(&state(done)).unwrap();
    }
    let seen = |store: &MemoryDisk| {
        read(store).map(|contents| (contents.state.number, contents.state.done))
    };
    assert_eq!(seen(&store).unwrap(), (4, 1536));
    // One bad block of two does not matter, both lead to the record before.
    let place = usize::try_from(JournalState::place(4)).unwrap();
    store.bytes[place + 20] ^= 1;
    assert_eq!(seen(&store).unwrap(), (4, 1536));
    store.bytes[place + 4096 + 20] ^= 1;
    assert_eq!(seen(&store).unwrap(), (3, 1024));
    assert_eq!(header.total_bytes, store.size_bytes());
}

#[test]
fn slots_take_turns() {
    let (mut store, header, _) = made();
    let (slots_at, slot_bytes) = (header.slots_at, header.slot_bytes);
    let mut journal = Journal::open(&mut store).unwrap().0;
    assert_eq!(
        (journal.slot_at(0), journal.slot_at(1)),
        (slots_at, slots_at + slot_bytes)
    );
    let staged = |slot| JournalState {
        stage: Stage::Moving,
        staged: Some(Staged {
            slot,
            toward: Side::Destination,
            start: 0,
            end: 4 * KIB,
            hash: 1,
        }),
        ..JournalState::first()
    };
    assert_eq!(journal.free_slot(), 0);
    for (slot, free) in [(0, 1), (1, 0), (0, 1)] {
        journal.settle(&staged(slot)).unwrap();
        assert_eq!(journal.free_slot(), free);
    }
    let at = journal.slot_at(1);
    journal.store().write_at(at + 512, b"window").unwrap();
    let mut bytes = [0; 6];
    journal.read_slot(1, 512, &mut bytes).unwrap();
    assert_eq!(&bytes, b"window");
    // Whoever opens it knows the slot that is taken.
    assert_eq!(Journal::open(&mut store).unwrap().0.free_slot(), 1);
}

#[test]
fn places_that_could_not_be_read_are_kept() {
    let places: Vec<Range<u64>> = (0..256).map(|n| n * 1024..n * 1024 + 512).collect();
    let (mut store, _, _) = made();
    let mut journal = Journal::open(&mut store).unwrap().0;
    journal.add_unreadable(&places[..3]).unwrap();
    journal.add_unreadable(&places[3..]).unwrap();
    assert_eq!(journal.unreadable(), places);
    let more = journal.add_unreadable(&places[..1]).unwrap_err();
    assert!(more.to_string().contains("more than 256 places"), "{more}");
    assert_eq!(journal.unreadable(), places);
    journal.settle(&JournalState::first()).unwrap();
    let (journal, contents) = Journal::open(&mut store).unwrap();
    assert_eq!(
        (journal.unreadable(), &contents.unreadable),
        (&places[..], &places)
    );
    assert_eq!(contents.state.unreadable, 256);
    // What is listed and damaged is not made less.
    let mut bad = store;
    bad.bytes[20_480 + 3 * 512] ^= 1;
    assert!(
        read(&bad)
            .unwrap_err()
            .to_string()
            .contains("the list of what could not be read")
    );
}

#[test]
fn damage_is_named() {
    let (good, header, _) = made();
    let said = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut store = good.clone();
        change(&mut store.bytes);
        read(&store)
            .err()
            .map_or(String::new(), |error| error.to_string())
    };
    let end = good.bytes.len() - 4096;
    assert!(said(&|bytes| bytes.truncate(5000)).contains("cut off"));
    assert!(said(&|bytes| bytes.truncate(0)).contains("it is empty"));
    assert_eq!(
        said(&|bytes| bytes[20] ^= 1),
        "",
        "the last block is a header, too"
    );
    assert_eq!(said(&|bytes| bytes[end + 20] ^= 1), "");
    let both = |bytes: &mut Vec<u8>| {
        bytes[20] ^= 1;
        bytes[end + 20] ^= 1;
    };
    assert!(said(&both).contains("its header is damaged"));
    assert!(
        said(&|bytes| {
            both(bytes);
            bytes[0] = 0;
        })
        .contains("its header is damaged")
    );
    assert!(
        said(&|bytes| {
            both(bytes);
            bytes[end] = 0;
        })
        .contains("its header is damaged")
    );
    assert!(
        said(&|bytes| {
            both(bytes);
            bytes[0] = 0;
            bytes[end] = 0;
        })
        .contains("this is none")
    );
    let blank = |bytes: &mut Vec<u8>| bytes[..4096].fill(0);
    assert_eq!(said(&blank), "");
    // Half of one that was damaged is not one that was never finished.
    assert!(
        said(&|bytes| {
            blank(bytes);
            bytes[end + 20] ^= 1;
        })
        .contains("its header is damaged")
    );
    assert!(
        said(&|bytes| {
            blank(bytes);
            bytes[end..].fill(0);
        })
        .contains("can be deleted")
    );
    let newer = |bytes: &mut Vec<u8>| {
        bytes[8] = 3;
        bytes[end + 8] = 3;
    };
    assert!(said(&newer).contains("it has version 3, this program knows 2 only"));
    assert!(said(&|bytes| bytes[167_936 + 40] ^= 1).contains("the job is not what was written"));
    assert!(said(&|bytes| bytes[151_552 + 20] ^= 1).contains("where it was begun"));
    let records = |bytes: &mut Vec<u8>| bytes[4096..20_480].fill(0);
    assert!(said(&records).contains("no whole record"));
    let mut longer = header;
    longer.total_bytes += 4096;
    let mut small = store(longer.total_bytes - 4096);
    let contents = made().2;
    let refused = Journal::create(&mut small, longer, &contents)
        .map(drop)
        .unwrap_err();
    assert!(
        refused.to_string().contains("the journal needs"),
        "{refused}"
    );
}

#[test]
fn checksums_of_a_changed_journal_are_made_right() {
    let (mut store, header, _) = made();
    let end = store.bytes.len() - 4096;
    // A longer job, an origin and a state of another letter: all found wrong, and right once signed.
    store.bytes[167_936] ^= 1;
    store.bytes[151_552 + 16] ^= 1;
    for block in 0..4 {
        store.bytes[4096 * (block + 1) + 33] = 0;
        store.bytes[4096 * (block + 1) + 26] ^= 1;
    }
    store.bytes[end..].fill(0);
    assert!(read(&store).is_err());
    journal::sign(&mut store.bytes);
    let said = read(&store).unwrap_err().to_string();
    assert!(
        said.contains("planned for a disk"),
        "the job itself is looked at: {said}"
    );
    store.bytes[167_936] ^= 1;
    journal::sign(&mut store.bytes);
    let said = read(&store).unwrap_err().to_string();
    assert!(
        said.contains("no whole record"),
        "a move of that number is none: {said}"
    );
    for block in 0..4 {
        store.bytes[4096 * (block + 1) + 26] ^= 1;
        store.bytes[4096 * (block + 1) + 24] = 1;
    }
    journal::sign(&mut store.bytes);
    let contents = read(&store).unwrap();
    assert_eq!(
        (contents.run, contents.state.stage),
        (header.id, Stage::Moving)
    );
    assert_ne!(contents.host, "höst");
    // What is too short to be one is left alone.
    for length in [0, 50, 124, 160_000] {
        let mut bytes = store.bytes[..length].to_vec();
        journal::sign(&mut bytes);
        assert_eq!(bytes.len(), length);
    }
}

/// A store that keeps a list of what is done to it.
struct WatchedStore {
    disk: MemoryDisk,
    /// Where a write began; `None` for a flush.
    events: Vec<Option<u64>>,
}

impl Disk for WatchedStore {
    fn size_bytes(&self) -> u64 {
        self.disk.size_bytes()
    }

    fn logical_bytes(&self) -> u64 {
        1
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(at, bytes)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.events.push(Some(at));
        self.disk.write_at(at, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.events.push(None);
        Ok(())
    }
}

#[test]
fn headers_come_last_and_each_step_is_durable() {
    let job = job();
    let header = header(&job);
    let contents = Contents::first(&header, &job, &origin());
    let mut watched = WatchedStore {
        disk: store(header.total_bytes),
        events: Vec::new(),
    };
    let end = header.total_bytes - BLOCK;
    let slots_at = header.slots_at;
    Journal::create(&mut watched, header, &contents)
        .map(drop)
        .unwrap();
    let headers = watched
        .events
        .iter()
        .position(|event| *event == Some(0))
        .unwrap();
    let (before, after) = watched.events.split_at(headers);
    assert_eq!(after, [Some(0), Some(end), None]);
    assert_eq!(before.last(), Some(&None));
    assert!(
        before
            .iter()
            .flatten()
            .all(|at| (BLOCK..slots_at).contains(at))
    );
    assert_eq!(
        before.iter().flatten().count(),
        3,
        "origin, job and the first record"
    );
    watched.events.clear();
    let mut journal = Journal::open(&mut watched).unwrap().0;
    journal.settle(&JournalState::first()).unwrap();
    let places: Vec<Range<u64>> = std::iter::once(0..512).collect();
    journal.add_unreadable(&places).unwrap();
    let record = Some(JournalState::place(2));
    assert_eq!(watched.events, [None, record, None, Some(20_480), None]);
}
