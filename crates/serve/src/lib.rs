//! The web pages, the JSON API and the metrics of `ioalign serve`, and the one HTTP server in the program.
//!
//! The server knows nothing of devices, and is read-only but for the pushes of a fleet ([`collect`]). What it shows is published on a [`Board`] by whoever watches
//! the machine, and what it is asked besides goes to [`HostAnswers`]. Every route is added to a [`WebApp`], which puts
//! the same guards before all of them: the name of the host, the origin, the token, limits of time and size, and the
//! headers that keep a browser from doing more than it should.
#![deny(missing_docs)]

mod access;
mod answers;
mod app;
mod board;
mod body;
mod check;
pub mod collect;
mod events;
mod guard;
mod history;
pub mod host;
mod hosts;
mod live;
mod pages;
mod patient;
mod refusal;
mod reports;
mod server;
mod tls;
mod token;

pub use access::AccessRules;
pub use answers::{HostAnswers, ReportView, ServedReport, ServedReports};
pub use app::WebApp;
pub use board::Board;
pub use hosts::HostNames;
pub use live::{LiveDevice, LiveMoment, SCHEMA as LIVE_SCHEMA};
pub use refusal::Refusal;
pub use server::{ServerLimits, WebServer};
pub use tls::TlsFiles;
pub use token::{AccessToken, given_token};
