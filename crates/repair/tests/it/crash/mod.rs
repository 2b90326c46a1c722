//! Crashes of the mover: simulated loss of power at every write, damaged journals, and killed processes.

mod check;
mod files;
mod halt;
mod journal;
mod kill;
mod layout;
mod marker;
mod patches;
mod power;
mod refusals;
mod sim;
mod trial;
mod unseen;
