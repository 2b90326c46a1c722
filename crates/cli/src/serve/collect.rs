//! `ioalign serve --collect`: the server of a fleet.
//!
//! It looks at no device of its machine. On SQLite it gives up every file but the store and the list of agents before it
//! reads the first byte of a client.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use ioalign_fleet::{AgentList, Collector, StorePlace};
use ioalign_serve::collect::{self, FleetServer};
use ioalign_serve::{ServerLimits, WebApp, WebServer};

use super::{access, announce};
use crate::allowed_files::{AllowedFiles, folder_of};
use crate::args::ServeArgs;
use crate::check;
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::say::note;

/// Connections at one time: hosts come in crowds, each for a second.
const CONNECTIONS: usize = 1024;
/// Questions that are asked at one time, besides a judge on each processor.
const QUESTIONS: usize = 4;

/// Serves until it is interrupted.
pub(super) fn run(arguments: &ServeArgs) -> Result<Exit> {
    let (Some(place), Some(agents)) = (&arguments.store, &arguments.agents_file) else {
        return Err(UsageError("--collect needs --store and --agents-file".to_owned()).into());
    };
    access::is_safe(arguments)?;
    let rules = access::rules(arguments)?;
    let tls = access::tls(arguments)?;
    let interrupt = Interrupt::watched()?;
    let list = AgentList::load(agents)?;
    if list.is_empty() {
        note(format_args!(
            "{}: there is no agent in it: nobody can push",
            agents.display()
        ));
    }
    let judges = std::thread::available_parallelism().map_or(1, usize::from);
    let limits = ServerLimits {
        connections: CONNECTIONS,
        workers: judges + QUESTIONS,
        ..ServerLimits::default()
    };
    let server = WebServer::bind(arguments.listen, tls.as_ref(), limits)
        .with_context(|| format!("cannot serve on {}", arguments.listen))?;
    confine(place, agents);
    let judge = Arc::new(|capture: &[u8]| check::captured(capture));
    let collector =
        Collector::start(place, judge, arguments.keep).with_context(|| place.shown())?;
    let fleet = FleetServer::new(collector, place, list, Arc::new(|line: &str| note(line)));
    let fleet = Arc::new(fleet);
    announce(arguments, &server)?;
    let app = WebApp::new(rules)
        .with(collect::routes(Arc::clone(&fleet)))
        .with_own_access(collect::agent_routes(fleet));
    server.run(app.router(), &interrupt.flag())?;
    Ok(Exit::Done)
}

/// Foreign captures are judged here: nothing else is within their reach. PostgreSQL is reached by the network or by a socket,
/// which a confined process does not open again after the server was away.
fn confine(place: &StorePlace, agents: &Path) {
    let StorePlace::Sqlite(file) = place else {
        return;
    };
    let allowed = AllowedFiles {
        read: vec![
            "/proc/self".into(),
            "/sys/fs/cgroup".into(),
            folder_of(agents),
        ],
        folders: vec![folder_of(file)],
        ..AllowedFiles::default()
    };
    if let Err(error) = allowed.enforce() {
        note(format_args!(
            "the server keeps all of its files within reach: {error:#}"
        ));
    }
}
