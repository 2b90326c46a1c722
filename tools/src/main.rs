//! `ioalign-tools COMMAND [ARGUMENTS]`: fuzz loops, load makers and devices of known speed, for developers.
//!
//! One program, so that one link makes all of them. `cargo xtask fuzz` and the scripts in `benches/` run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod aa;
mod fleet_load;
mod load;
mod mover;
mod output;
mod served;
mod traces;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("aa") => aa::main(),
        Some("fleet-load") => fleet_load::main(),
        Some("fuzz") => return ioalign_tools::fuzz::main(std::env::args().skip(2)),
        Some("load") => load::main(),
        Some("mover") => mover::main(),
        Some("output") => output::main(),
        Some("served") => served::main().unwrap(),
        Some("traces") => traces::main(),
        _ => panic!("ioalign-tools aa|fleet-load|fuzz|load|mover|output|served|traces [ARGUMENTS]"),
    }
    ExitCode::SUCCESS
}
