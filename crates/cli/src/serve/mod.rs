//! `ioalign serve`: this machine in a browser.
//!
//! Two processes: the server, which gives up its rights before it answers, and the [checker], which keeps them and
//! takes no input but the wish for a check.

mod access;
mod answers;
mod checker;
mod collect;
mod folder;
mod live;

use std::sync::Arc;

use anyhow::{Context, Result};
use ioalign_serve::{Board, ServerLimits, WebApp, WebServer, host};
use serde::Serialize;

use crate::args::ServeArgs;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::say::note;
use crate::{look, watch};

/// Serves until it is interrupted.
pub fn run(arguments: &ServeArgs) -> Result<Exit> {
    if arguments.as_checker {
        return checker::run();
    }
    if arguments.collect {
        return collect::run(arguments);
    }
    access::is_safe(arguments)?;
    let rules = access::rules(arguments)?;
    let tls = access::tls(arguments)?;
    let interrupt = Interrupt::watched()?;
    let checker = checker::HostChecker::start()?;
    let server = WebServer::bind(arguments.listen, tls.as_ref(), ServerLimits::default())
        .with_context(|| format!("cannot serve on {}", arguments.listen))?;
    let sight = live::start(&arguments.devices)?;
    if let live::Sight::Sums(why) = &sight {
        note(format_args!("no live counters on boundaries: {why}"));
    }
    // Threads keep the rights that they are made with.
    if let Err(error) = watch::confine::confine_to(None, arguments.reports.as_deref()) {
        note(format_args!(
            "the server keeps all of its rights: {error:#}"
        ));
    }
    let board = Arc::new(Board::new());
    checker.publish(Arc::clone(&board), arguments.check_every);
    live::publish(sight, Arc::clone(&board), interrupt.flag());
    announce(arguments, &server)?;
    let answers = Arc::new(answers::ProgramAnswers::new(arguments.reports.clone()));
    let app = WebApp::new(rules).with(host::routes(board, answers));
    server.run(app.router(), &interrupt.flag())?;
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct ServingAt {
    url: String,
}

/// Says that it is ready, and where.
fn announce(arguments: &ServeArgs, server: &WebServer) -> Result<()> {
    let url = format!("{}://{}/", server.scheme(), server.address()?);
    if arguments.json {
        return look::json_line(&ServingAt { url });
    }
    look::write(&format!("{url}\nCtrl-C ends it.\n"))
}
