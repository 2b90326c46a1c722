//! Tests of the tables readers.

mod apm;
mod bsd;
mod bsd_places;
pub mod disk;
mod dos;
mod dos_made;
mod fields;
mod gpt;
mod gpt_damage;
mod gpt_made;
mod hostile;
mod ldm;
mod logical;
mod names;
mod sgi;
mod vtoc;
