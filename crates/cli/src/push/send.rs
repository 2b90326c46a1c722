//! One push over the wire, and what the answer means.

use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body};

use super::trust;
use crate::args::PushArgs;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a push may take.
const WHOLE: Duration = Duration::from_secs(120);
/// Bytes of an answer that are read.
const ANSWER: u64 = 64 << 10;

/// What became of a push.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PushAnswer {
    /// It is in the store.
    Acknowledged {
        /// It was there already.
        duplicate: bool,
    },
    /// It would be refused again.
    Refused(String),
    /// It may be taken later.
    Later {
        /// Why not now.
        why: String,
        /// When the server wants to be asked again.
        after: Option<Duration>,
    },
}

/// The server, as pushes are sent to it.
pub(super) struct PushSender {
    agent: Agent,
    address: Uri,
    token: String,
}

#[derive(Deserialize)]
struct ReceiptJson {
    schema: String,
    duplicate: bool,
}

#[derive(Deserialize)]
struct RefusalJson {
    error: String,
}

impl PushSender {
    /// Reads what is needed of the arguments; nothing is connected yet.
    pub(super) fn new(arguments: &PushArgs) -> Result<Self> {
        let address = trust::address(arguments)?;
        let mut config = Agent::config_builder()
            .user_agent(crate::check::tool().replace(' ', "/"))
            .http_status_as_error(false)
            // A token is shown to the server that was named, and to no other.
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(WHOLE));
        if address.scheme_str() == Some("https") {
            config = config.tls_config(trust::tls(arguments.ca.as_deref())?);
        }
        if trust::is_loopback(address.host().unwrap_or_default()) {
            config = config.proxy(None);
        }
        Ok(Self {
            agent: config.build().new_agent(),
            address,
            token: trust::token(&arguments.token_file)?,
        })
    }

    /// Sends it once.
    pub(super) fn send(&self, push: &[u8]) -> PushAnswer {
        let request = self
            .agent
            .post(&self.address)
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/octet-stream");
        match request.send(push) {
            Ok(answer) => self.answer(answer),
            Err(error) => later(format!("{}: {error}", self.shown()), None),
        }
    }

    fn shown(&self) -> String {
        self.address
            .authority()
            .map_or_else(String::new, ToString::to_string)
    }

    fn answer(&self, mut answer: Response<Body>) -> PushAnswer {
        let status = answer.status();
        let after = answer.headers().get("retry-after");
        let after = after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let after = after.map(Duration::from_secs);
        let body = answer
            .body_mut()
            .with_config()
            .limit(ANSWER)
            .read_to_string();
        let body = body.unwrap_or_default();
        if status.is_success() {
            // A proxy that says 200 to everything acknowledges nothing.
            let receipt = serde_json::from_str::<ReceiptJson>(&body).ok();
            return match receipt.filter(|receipt| receipt.schema == "ioalign.receipt/1") {
                Some(receipt) => PushAnswer::Acknowledged {
                    duplicate: receipt.duplicate,
                },
                None => later(format!("{}: its answer is no receipt", self.shown()), after),
            };
        }
        let said = serde_json::from_str::<RefusalJson>(&body).map(|refusal| refusal.error);
        let said =
            said.unwrap_or_else(|_| status.canonical_reason().unwrap_or("no reason").to_owned());
        let why = format!("{}: {} {said}", self.shown(), status.as_u16());
        match status {
            StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNPROCESSABLE_ENTITY => PushAnswer::Refused(why),
            // Everything else may be put right on the server: a token, a name, a disk.
            _ => later(why, after),
        }
    }
}

const fn later(why: String, after: Option<Duration>) -> PushAnswer {
    PushAnswer::Later { why, after }
}
