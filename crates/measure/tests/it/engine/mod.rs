//! The engine on real files and devices.

mod bench;
mod pages;
