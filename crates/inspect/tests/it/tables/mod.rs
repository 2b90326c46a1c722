//! Tests of the tables readers.

mod apm;
mod bsd;
pub mod disk;
mod dos;
mod fields;
mod gpt;
mod gpt_damage;
mod hostile;
mod ldm;
mod logical;
mod names;
mod sgi;
mod vtoc;
