//! The routes, behind one set of guards.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;

use crate::access::AccessRules;
use crate::guard;
use crate::refusal::Refusal;

/// Bytes of a request's body. A route that takes more says so: `.layer(DefaultBodyLimit::max(…))`.
const BODY: usize = 64 << 10;

/// The routes of a server. Whatever is added is behind the same guards.
pub struct WebApp {
    rules: Arc<AccessRules>,
    guarded: Router,
    own_access: Router,
}

impl WebApp {
    /// Nothing but `/healthz`.
    pub fn new(rules: AccessRules) -> Self {
        let health = Router::new().route("/healthz", get(|| async { "ok\n" }));
        Self {
            rules: Arc::new(rules),
            guarded: Router::new(),
            own_access: health,
        }
    }

    /// Adds routes that ask for the token, where there is one.
    #[must_use]
    pub fn with(mut self, routes: Router) -> Self {
        self.guarded = self.guarded.merge(routes);
        self
    }

    /// Adds routes that decide by themselves who may ask ([`given_token`](crate::given_token)). Names, origins and
    /// limits are judged for them as for all others.
    #[must_use]
    pub fn with_own_access(mut self, routes: Router) -> Self {
        self.own_access = self.own_access.merge(routes);
        self
    }

    /// The whole.
    pub fn router(self) -> Router {
        let nothing = || async { Refusal::new(StatusCode::NOT_FOUND, "there is no such page") };
        let token = from_fn_with_state(Arc::clone(&self.rules), guard::shown_token);
        let names = from_fn_with_state(self.rules, guard::known_names);
        // The fallback is behind the token too: what is there is no business of strangers.
        self.guarded
            .fallback(nothing)
            .layer(token)
            .merge(self.own_access)
            .layer(DefaultBodyLimit::max(BODY))
            .layer(from_fn(guard::in_time))
            .layer(names)
    }
}
