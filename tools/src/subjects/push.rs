//! What a host sends to a server that collects, and the profile in it. Its capture is what `archives` is given.

use ioalign_fleet::{PushEnvelope, envelope, rates::IoRates};
use ioalign_testkit::Random;

use crate::damage;
use crate::subject::{Answer, Subject};

const PROFILE: &str = r#"{"schema": "ioalign.profile/1", "source": "live", "duration_us": 600000000, "events": 1, "dropped": 0,
"devices": [{"device": "nvme0n1", "offset_applied_bytes": 0, "grids": [], "by_op": {"write": {"ios": 100000, "bytes": 1,
"size_histogram": [], "start_pow2_histogram": [], "length_pow2_histogram": [], "straddling_pow2": [0, 0, 7],
"start_mod_4096": [0, 0, 0, 0, 0, 0, 0, 0], "sequential_ratio": null, "latency_us": null}}}]}"#;

pub fn all() -> Vec<Subject> {
    vec![
        Subject::of_bytes(
            "push",
            "envelope",
            || vec![push(PROFILE.into())],
            damage,
            one,
        )
        .with_least(20),
    ]
}

fn push(profile: Vec<u8>) -> Vec<u8> {
    let push = PushEnvelope {
        host_id: envelope::host_id("1"),
        host: "db1".to_owned(),
        taken_at_seconds: 1_790_000_000,
        capture: b"a capture".to_vec(),
        profile: Some(profile),
    };
    push.encode().unwrap()
}

/// Either the profile, with a first line that holds, or all of it.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if random.below(2) == 0 {
        let mut profile = PROFILE.as_bytes().to_vec();
        damage::text(&mut profile, random);
        // An empty one is not sent.
        profile.push(b'\n');
        *bytes = push(profile);
    } else {
        damage::text(bytes, random);
    }
}

/// Whether it is a push; then it is the same once it is sent again.
fn one(bytes: &[u8]) -> Answer {
    let Ok(push) = PushEnvelope::decode(bytes) else {
        return Answer::NotMine;
    };
    let again = push.encode().ok().map(|bytes| PushEnvelope::decode(&bytes));
    assert_eq!(again.and_then(Result::ok), Some(push.clone()));
    let _ = push.profile.as_deref().map(IoRates::read);
    Answer::Mine
}
