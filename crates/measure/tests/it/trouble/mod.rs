//! Devices that fail, vanish or hang while they are in use: an error or a partial report that says so, and
//! an end in time. These tests need root, but for the last.

mod devices;
mod forbidden;
