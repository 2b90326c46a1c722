//! Crashes of the mover: simulated loss of power at every write, damaged journals, and killed processes.

mod check;
mod journal;
mod kill;
mod layout;
mod power;
mod sim;
mod trial;
