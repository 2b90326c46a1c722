//! Load for `benches/fleet.sh`: a store filled with made hosts, and the times of its questions.
//!
//! ```text
//! fleet_load fill STORE HOSTS        judged reports into a store, 256 a transaction
//! fleet_load ask STORE [ROUNDS]      each question, its median time in ms
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ask;
mod fill;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fill", store, hosts] => fill::fill(&store.parse().unwrap(), hosts.parse().unwrap()),
        ["ask", store] => ask::ask(&store.parse().unwrap(), 5),
        ["ask", store, rounds] => ask::ask(&store.parse().unwrap(), rounds.parse().unwrap()),
        _ => panic!("fill STORE HOSTS | ask STORE [ROUNDS]"),
    }
}
