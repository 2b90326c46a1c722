//! A fleet: captures and profiles of many hosts, kept in a database, and the questions of those who own them.
//!
//! A host packs a [`PushEnvelope`] into its [`spool`], from where it is sent until a server has acknowledged it. The server
//! hands it to a [`Collector`], which has it judged, writes it to a [`FleetStore`] (SQLite or PostgreSQL) together with the
//! pushes of other hosts, and answers when the transaction is committed. [`questions`] reads the store; each function there
//! is one page and one call of the API.
//!
//! There is no HTTP here and no judgement: the caller brings both.

pub mod agents;
pub mod claims;
pub mod collector;
pub mod envelope;
pub mod error;
pub mod hash;
pub mod judged;
pub mod questions;
pub mod rates;
pub mod spool;
pub mod store;

pub use agents::{AgentList, AgentRight};
pub use collector::{Collector, PushReceipt};
pub use envelope::PushEnvelope;
pub use error::{FleetError, FleetResult};
pub use store::{FleetStore, StorePlace};
