//! `ioalign-tools COMMAND [ARGUMENTS]`: fuzz loops, load makers and devices of known speed, for developers.
//!
//! One program, so that one link makes all of them. `cargo xtask fuzz` and the scripts in `benches/` run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod aa;
mod boot_fuzz;
mod container_fuzz;
mod convert_fuzz;
mod fleet_load;
mod formats;
mod fuzz_loop;
mod journal_fuzz;
mod load;
mod mover;
mod output;
mod ovf_fuzz;
mod served;
mod tree_fuzz;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("aa") => aa::main(),
        Some("boot_fuzz") => boot_fuzz::main(),
        Some("container_fuzz") => container_fuzz::main(),
        Some("convert_fuzz") => convert_fuzz::main(),
        Some("fleet-load") => fleet_load::main(),
        Some("traces") => return formats::main(),
        Some("fuzz_loop") => return fuzz_loop::main(),
        Some("journal_fuzz") => journal_fuzz::main(),
        Some("load") => load::main(),
        Some("mover") => mover::main(),
        Some("output") => output::main(),
        Some("ovf_fuzz") => ovf_fuzz::main(),
        Some("served") => served::main().unwrap(),
        Some("tree_fuzz") => tree_fuzz::main(),
        _ => panic!("there is no such command: tools/src/main.rs lists them"),
    }
    ExitCode::SUCCESS
}
