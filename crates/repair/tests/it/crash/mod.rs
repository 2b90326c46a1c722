//! Crashes of the mover: simulated loss of power at every write, damaged journals, and killed processes.

mod back;
mod check;
mod cost;
mod files;
mod halt;
mod journal;
mod kill;
mod layout;
mod limits;
mod marker;
mod patches;
mod power;
mod refusals;
mod saved;
mod sim;
mod trial;
mod unseen;
