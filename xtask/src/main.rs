//! What developers and CI run beside cargo itself, so that a clone needs one command a purpose:
//! `cargo xtask test`, `demo`, `vm`, `fixtures`, `bpf`, `docs`, `book`, `fuzz`, `dist`.
mod book;
mod bpf;
mod demo;
mod deny;
mod dist;
mod docs;
mod fixtures;
mod fuzz;
mod nightly;
mod packages;
mod paths;
mod publish;
mod run;
mod shells;
mod test;
mod tools;
mod vm;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask COMMAND

  test [--quick | --only STEP] [-p CRATE] [NAME]
                           everything that CI runs, one step of it, or the tests of a crate or with a name; the
                           last line counts passes and failures. STEP: packages, format, clippy, shell, bpf,
                           fixtures, test, doc, book, publish, fuzz, deny; of the tests those that need nothing
                           (unit), programs or root (oracle), or the virtual machine (vm)
     --quick               the inner loop: format, clippy of changed crates, tests without root and guests
  nightly [PART…]          what is too long for every run, written to docs/nightly.md; PART: fuzz, libfuzzer,
                           crashes, mutants, processors, static
  demo                     builds ioalign, runs its demo and checks this machine
  vm SCRIPT [OPTIONS]      runs a shell script in a microVM (docs/vm.md)
     --disk PATH=SIZE[,logical=N][,physical=N][,min=N][,opt=N][,serial=NAME]
                           attaches a scratch disk; PATH - is thrown away afterwards
     --out DIR             unpacks there the tar that the guest wrote to /dev/out
     --program NAME        adds a program and its libraries
     --module NAME         adds a kernel module and what it needs
     --memory MIB          memory of the guest (default 1024)
     --timeout SECONDS     limit for the whole run (default 300)
     --icount              virtual time: repeatable to the microsecond, one CPU
     --kvm                 hardware virtualisation, where it is known to work
  fixtures [NAME…]         builds the missing fixtures of lab/fixtures in microVMs and lists them
  bpf [--check]            compiles the BPF program, or checks that the object is that of its source
  dist [OPTIONS]           the packages of a release, listed with their hashes (docs/releasing.md)
     --arch NAME           x86_64 or aarch64; without it both
     --only KIND           deb, rpm, static, oci, wheel, sbom or book; may be repeated; without it all
     --profile NAME        of cargo (default dist); demo is quick, for a look at the packages
     --out DIR             default: dist in the target folder
     --prove               installs and runs them afterwards. Needs root
     --reproduce           builds all again in a clone at another place, and compares the hashes
  book                     makes the documents a book to read and to search, without a network
  docs                     writes docs/rules.md from the pages in crates/core/src/rules
  fuzz [--runs N] [--format NAME] [--seed N] [--seeds DIR] [--truncate]
                           damages valid images, texts, traces, journals and the like, and runs every reader on
                           them; with --truncate cuts one of each at every byte of its first MiB
     --traces, --trees, --journals, --boot, --convert, --ovf, --containers
                           these readers alone
     --brief               a minute of a processor, in the build of the tests: what CI runs
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<ExitCode> {
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", args),
    };
    match command {
        "test" => test::command(rest),
        "demo" => demo::command(rest),
        "vm" => vm::command(rest),
        "fixtures" => fixtures::command(rest),
        "fuzz" => fuzz::command(rest),
        "docs" => docs::command(rest),
        "book" => book::command(rest),
        "nightly" => nightly::command(rest),
        "dist" => dist::command(rest),
        "bpf" => bpf::command(rest),
        "help" | "-h" | "--help" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("there is no command {other}; `cargo xtask help` lists them"),
    }
}
