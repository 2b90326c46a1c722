//! A loss of power under a client.

use std::time::Duration;

use ioalign_export::media::{PowerRules, UnflushedFate};

use super::Served;
use super::client::{Client, FUA, READ};

const SLOW_NS: u64 = 400_000_000;

#[test]
fn flushed_and_forced_writes_survive_and_others_do_not() {
    let rules = PowerRules {
        unflushed: UnflushedFate::LostAll,
        ..PowerRules::default()
    };
    let served = Served::new("raid10:4x64k", 0, rules);
    let mut client = Client::new(&served.socket());
    client.write(0, 0, &[1; 4096]);
    assert_eq!(client.flush(), 0);
    client.write(0, 4096, &[2; 4096]);
    client.write(FUA, 8192, &[3; 4096]);
    let loss = served.server.power_off().unwrap();
    assert_eq!((loss.unflushed, loss.forgotten, loss.in_flight), (2, 1, 0));
    assert_eq!(client.flush(), 5);
    client.send(READ, 0, 1, 0, 512);
    assert_eq!(client.reply(), (5, 1));
    served.server.power_on();
    for (at, value) in [(0, 1), (4096, 0), (8192, 3)] {
        assert_eq!(client.read(at, 4096), [value; 4096], "{at}");
    }
}

#[test]
fn a_write_in_flight_fails_and_is_torn() {
    let mut parts = 0;
    for seed in 0..12 {
        let rules = PowerRules {
            tear: Some(4096),
            seed,
            ..PowerRules::default()
        };
        let served = Served::new("single", SLOW_NS, rules);
        let mut client = Client::new(&served.socket());
        client.send_write(0, 1, 0, &[1; 16384]);
        std::thread::sleep(Duration::from_millis(30));
        let loss = served.server.power_off().unwrap();
        assert_eq!((loss.in_flight, client.reply()), (1, (5, 1)), "seed {seed}");
        served.server.power_on();
        let found = client.read(0, 16384);
        for unit in found.chunks(4096) {
            assert!(unit.iter().all(|byte| *byte == unit[0]));
        }
        let new = found.iter().filter(|byte| **byte == 1).count();
        assert_eq!(loss.torn, u64::from(new > 0 && new < 16384));
        parts += loss.torn;
    }
    assert!(parts > 0);
}
