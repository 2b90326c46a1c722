//! What every request passes before it reaches a route, and what every answer takes along.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::AccessRules;
use crate::hosts::is_same_origin;
use crate::refusal::Refusal;
use crate::token::given_token;

/// A request is answered within this time, its body read, or refused.
const LONGEST: Duration = Duration::from_secs(30);

/// A page loads what this server has, runs no script and applies no style that is written into it, and is shown in no
/// frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Of every answer that does not set them itself.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// The name of the host, and the origin of a page that asks.
pub async fn known_names(
    State(rules): State<Arc<AccessRules>>,
    request: Request,
    next: Next,
) -> Response {
    let answer = match judged(&rules, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    dressed(answer)
}

fn judged(rules: &AccessRules, request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    let host = only(headers, header::HOST);
    let asked = request.uri().authority().map(|name| name.as_str());
    let known = host.is_some_and(|host| rules.hosts.has(host));
    if !known || asked.is_some_and(|name| !rules.hosts.has(name)) {
        return Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this server does not go by that name; --host adds one",
        ));
    }
    let own = |origin: &str| host.is_some_and(|host| is_same_origin(origin, host));
    if headers.contains_key(header::ORIGIN) && !only(headers, header::ORIGIN).is_some_and(own) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "a page of another site may not ask this server",
        ));
    }
    Ok(())
}

/// The value of a header that stands there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// The headers of an answer.
fn dressed(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    answer
}

/// The token.
pub async fn shown_token(
    State(rules): State<Arc<AccessRules>>,
    request: Request,
    next: Next,
) -> Response {
    let given = given_token(request.headers());
    let is_known = match &rules.token {
        None => true,
        Some(token) => given.as_ref().is_some_and(|given| token.is(given)),
    };
    if is_known {
        return next.run(request).await;
    }
    let why = match given {
        Some(_) => "that is not the token of this server",
        None => "a token is needed: `Authorization: Bearer TOKEN`, or as the password in a browser",
    };
    let asks = [(header::WWW_AUTHENTICATE, "Basic realm=\"ioalign\"")];
    (asks, Refusal::new(StatusCode::UNAUTHORIZED, why)).into_response()
}

/// The time that an answer may take.
pub async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(LONGEST, next.run(request)).await {
        Ok(answer) => answer,
        Err(_) => Refusal::new(StatusCode::REQUEST_TIMEOUT, "it took more than 30 seconds")
            .into_response(),
    }
}
