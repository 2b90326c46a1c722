//! What the routes share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ioalign_fleet::{AgentList, AgentRight, Collector, FleetError, StorePlace};
use tokio::sync::Semaphore;

use super::counts::PushCounts;
use super::readers::StoreReaders;
use crate::refusal::Refusal;
use crate::token::given_token;

/// Pushes that are received at one time: each may hold 16 MiB, and a capture more while it is judged.
const PUSHES: usize = 16;
/// When a push that was sent away is to come again.
const AGAIN_SECONDS: &str = "5";
/// A line of the log is repeated after this time at the earliest.
const QUIET: Duration = Duration::from_secs(10);

/// Writes a line of the log.
pub type FleetLog = Arc<dyn Fn(&str) + Send + Sync>;

/// A server that collects.
pub struct FleetServer {
    pub(super) collector: Collector,
    pub(super) readers: StoreReaders,
    pub(super) counts: PushCounts,
    pub(super) places: Arc<Semaphore>,
    agents: Mutex<AgentList>,
    log: FleetLog,
    said: Mutex<Option<(String, Instant)>>,
}

impl FleetServer {
    /// A server on an open store.
    pub fn new(collector: Collector, place: &StorePlace, agents: AgentList, log: FleetLog) -> Self {
        Self {
            collector,
            readers: StoreReaders::new(place),
            counts: PushCounts::default(),
            places: Arc::new(Semaphore::new(PUSHES)),
            agents: Mutex::new(agents),
            log,
            said: Mutex::default(),
        }
    }

    /// The agent that asks, if it may do that.
    pub(super) fn agent(
        &self,
        headers: &HeaderMap,
        right: AgentRight,
    ) -> Result<String, Box<Response>> {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = agents.refresh() {
            self.say(&error.to_string());
            return Err(Box::new(later("the list of agents cannot be read")));
        }
        let token = given_token(headers).and_then(|token| String::from_utf8(token).ok());
        let name = token.and_then(|token| agents.allows(&token, right).map(str::to_owned));
        name.ok_or_else(|| {
            let asks = [(header::WWW_AUTHENTICATE, "Bearer")];
            let why = "that is no token of an agent that may do this";
            Box::new((asks, Refusal::new(StatusCode::UNAUTHORIZED, why)).into_response())
        })
    }

    /// An answer for an error, and a line in the log for those that are not the client's.
    pub(super) fn refusal(&self, error: &FleetError) -> Response {
        match error {
            FleetError::Refused(why) => {
                Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why.as_str()).into_response()
            }
            other => {
                self.say(&other.to_string());
                // What the database says is for the log: a client has no use for it.
                later("the store is not available")
            }
        }
    }

    /// A line in the log; the same is not said again and again.
    pub(super) fn say(&self, line: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = said
            .as_ref()
            .is_none_or(|(last, at)| last != line || at.elapsed() >= QUIET);
        if is_fresh {
            (self.log)(line);
            *said = Some((line.to_owned(), Instant::now()));
        }
    }
}

/// Try again.
pub(super) fn later(why: &str) -> Response {
    let after = [(header::RETRY_AFTER, AGAIN_SECONDS)];
    (after, Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)).into_response()
}
