//! `ioalign`: storage I/O alignment, found and explained.
//!
//! This crate is arguments, wiring and exit codes; everything that can be reused is in the libraries.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

mod advise;
mod args;
mod bar;
mod beside;
mod capture;
mod check;
mod demo;
mod document;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
mod entry;
mod exit;
mod explain;
mod fix;
mod generate;
mod interrupt;
mod look;
mod measure;
mod plan;
mod policy;
mod trace;
mod watch;

use std::io::Write;

use anyhow::Result;
use clap::Parser;

use crate::args::{Cli, Verb};
use crate::exit::Exit;

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    run().code().into()
}

fn run() -> Exit {
    match args::plain_check() {
        Some(check) => settled(check::run(&check)),
        None => by_definition(),
    }
}

/// By the whole definition of the command line; apart, because its code would lie between the pages
/// that a plain check runs, and its large stack frame costs page faults.
#[cold]
#[inline(never)]
fn by_definition() -> Exit {
    match Cli::try_parse() {
        Ok(cli) => settled(verb(cli.verb)),
        Err(error) => usage(&error),
    }
}

fn verb(verb: Verb) -> Result<Exit> {
    match verb {
        Verb::Check(arguments) => check::run(&arguments),
        Verb::Capture(arguments) => capture::run(&arguments),
        Verb::Explain(arguments) => explain::run(&arguments),
        Verb::Watch(arguments) => watch::run(&arguments),
        Verb::Trace(arguments) => trace::run(&arguments),
        Verb::Measure(arguments) => measure::run(&arguments),
        Verb::Plan(arguments) => plan::run(&arguments),
        Verb::Fix(arguments) => fix::run(&arguments),
        Verb::Advise(arguments) => advise::run(&arguments),
        Verb::Demo(arguments) => demo::run(&arguments),
        Verb::Completions { shell } => generate::completions(shell),
        Verb::Man { folder } => generate::man(folder.as_deref()),
    }
}

fn settled(exit: Result<Exit>) -> Exit {
    match exit {
        Ok(exit) => exit,
        Err(error) => failed(&error),
    }
}

/// Help and version go to standard output with code 0, wrong arguments to standard error with 64.
fn usage(error: &clap::Error) -> Exit {
    // A reader that hangs up early (`ioalign --help | head`) is no failure.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}

#[cold]
#[inline(never)]
fn failed(error: &anyhow::Error) -> Exit {
    if is_broken_pipe(error) {
        return Exit::Done;
    }
    let _ = writeln!(anstream::stderr(), "ioalign: {error:#}");
    if error.is::<exit::UsageError>() {
        Exit::Usage
    } else if error.is::<exit::Stopped>() {
        Exit::Interrupted
    } else {
        Exit::Unreadable
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
