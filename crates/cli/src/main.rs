//! `ioalign`: storage I/O alignment, found and explained.
//!
//! This crate is arguments, wiring and exit codes; everything that can be reused is in the libraries.

mod advise;
mod allowed_files;
mod args;
mod bar;
mod build_facts;
mod capture;
mod check;
mod demo;
mod document;
mod exit;
mod explain;
mod fix;
mod generate;
mod help;
mod image_name;
mod interrupt;
mod lab;
mod look;
mod measure;
mod output_file;
mod plan;
mod policy;
mod probe;
mod push;
mod say;
mod serve;
mod simulate;
mod small_file;
mod trace;
mod watch;

use anyhow::Result;
use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Verb};
use crate::exit::Exit;

fn main() -> std::process::ExitCode {
    run().code().into()
}

fn run() -> Exit {
    match Cli::try_parse() {
        Ok(cli) => settled(verb(cli.verb)),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            // Once more, laid out for the terminal.
            let laid_out = help::command().try_get_matches().err();
            usage(&laid_out.unwrap_or(error))
        }
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
        Verb::Probe(arguments) => probe::run(&arguments),
        Verb::Simulate(arguments) => simulate::run(&arguments),
        Verb::Lab(arguments) => lab::run(&arguments),
        Verb::Plan(arguments) => plan::run(&arguments),
        Verb::Fix(arguments) => fix::run(&arguments),
        Verb::Advise(arguments) => advise::run(&arguments),
        Verb::Serve(arguments) => serve::run(&arguments),
        Verb::Push(arguments) => push::run(&arguments),
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
    say::usage(error);
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}

fn failed(error: &anyhow::Error) -> Exit {
    if is_broken_pipe(error) {
        return Exit::Done;
    }
    say::note(format_args!("{error:#}"));
    let is_lifted_by_argument = |refusal: &fix::Refusal| refusal.is_usage;
    if error.is::<exit::UsageError>() || error.downcast_ref().is_some_and(is_lifted_by_argument) {
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
