//! The gate on sessions of a device whose speed is known, by the clock of a model: how often it fails a device that has not
//! changed, and how often it finds one that has become slower by 2 %.

use ioalign_measure::stats::{Gate, GateAnswer, GateQuestion, SessionLevels, level};

use crate::experiment::model::Noise;

const RUNS: u64 = 1200;
const ASKED: GateQuestion = GateQuestion {
    slower: 0.019_803, // 2 %
    alpha: 0.05,
};

/// How sessions of an unchanged device stray: in which law, and how far.
#[derive(Clone, Copy)]
struct Sessions {
    count: usize,
    law: fn(&mut Noise) -> f64,
    spread: f64,
    seconds: usize,
}

/// Seconds of one session of a device that takes 100 µs an I/O: each is like the one before, and one of thirty stalls.
fn session(noise: &mut Noise, sessions: Sessions, slower: f64) -> Vec<f64> {
    let own = (sessions.law)(noise).mul_add(sessions.spread, (100.0 * slower).ln());
    let mut drift = 0.0;
    let second = |_| {
        drift = 0.6 * drift + 0.004 * noise.normal();
        let stall = if noise.uniform() < 1.0 / 30.0 {
            0.15 * noise.uniform()
        } else {
            0.0
        };
        own + drift + stall
    };
    (0..sessions.seconds).map(second).collect()
}

/// Whether the gate fails at any look, and its answer when it ends.
fn gated(seed: u64, sessions: Sessions, slower: f64) -> (bool, GateAnswer, u64) {
    let mut noise = Noise::new(seed);
    let levels = (0..sessions.count).map(|_| level(&session(&mut noise, sessions, 1.0)).unwrap());
    let levels = SessionLevels::new(&levels.collect::<Vec<_>>()).unwrap();
    let mut gate = Gate::new(levels, ASKED);
    let (mut failed, mut ended) = (false, None);
    for second in session(&mut noise, sessions, slower) {
        gate.add(second);
        failed |= gate.answer() == GateAnswer::Fail;
        if gate.is_over() && ended.is_none() {
            ended = Some((gate.answer(), gate.rounds()));
        }
    }
    let (answer, rounds) = ended.unwrap_or((gate.answer(), gate.rounds()));
    (failed, answer, rounds)
}

/// Runs that failed at any look; those that ended so, passed, and the mean of their seconds.
fn all(name: &str, runs: u64, sessions: Sessions, slower: f64) -> (u64, u64, u64) {
    let (mut at_any_look, mut failed, mut passed, mut seconds) = (0, 0, 0, 0);
    for seed in 0..runs {
        let (any, answer, rounds) = gated(seed, sessions, slower);
        at_any_look += u64::from(any);
        failed += u64::from(answer == GateAnswer::Fail);
        passed += u64::from(answer == GateAnswer::Pass);
        seconds += rounds;
    }
    println!(
        "{name}: of {runs} failed at any look {at_any_look}, failed {failed}, passed {passed}, {} s",
        seconds / runs
    );
    (at_any_look, failed, passed)
}

const CALM: Sessions = Sessions {
    count: 12,
    law: Noise::normal,
    spread: 0.004,
    seconds: 30,
};

#[test]
fn an_unchanged_device_fails_at_most_once_in_twenty() {
    for (name, sessions) in [
        ("normal, 12 sessions", CALM),
        ("normal, 5 sessions", Sessions { count: 5, ..CALM }),
        (
            "normal, far apart",
            Sessions {
                spread: 0.05,
                ..CALM
            },
        ),
        (
            "laplace, 20 sessions",
            Sessions {
                count: 20,
                law: Noise::laplace,
                ..CALM
            },
        ),
        (
            "t3, 20 sessions",
            Sessions {
                count: 20,
                law: Noise::t3,
                ..CALM
            },
        ),
    ] {
        let (at_any_look, ..) = all(name, RUNS, sessions, 1.0);
        assert!(at_any_look <= RUNS / 20, "{name}: {at_any_look}");
    }
}

/// The power of the question: with sessions of two minutes that stray by 0.4 %, 2 % are found in most; if they stray by 1 %,
/// in few, and then nothing is said.
#[test]
fn a_slowdown_of_two_per_cent_is_found_where_sessions_agree() {
    const MANY: u64 = 400;
    let calm = Sessions {
        seconds: 120,
        ..CALM
    };
    let (_, failed, passed) = all("2 % slower, 0.4 % apart", MANY, calm, 1.02);
    assert!(
        failed >= MANY * 4 / 5 && passed <= MANY / 20,
        "{failed} {passed}"
    );
    let apart = Sessions {
        spread: 0.01,
        ..calm
    };
    let (_, failed, passed) = all("2 % slower, 1 % apart", MANY, apart, 1.02);
    assert!(
        failed <= MANY / 2 && passed <= MANY / 20,
        "{failed} {passed}"
    );
    let (_, failed, passed) = all("unchanged, 0.4 % apart", MANY, calm, 1.0);
    assert!(
        passed >= MANY * 9 / 10 && failed <= MANY / 20,
        "{failed} {passed}"
    );
}
