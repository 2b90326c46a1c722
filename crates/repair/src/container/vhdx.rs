//! stub
use super::open::refused;
use super::store::{Store, damaged};
use crate::{Disk, Result};
use ioalign_inspect::images::Image;
use std::io;
pub fn open(_store: Box<dyn Store>, _image: &Image) -> Result<Box<dyn Disk>> {
    Err(refused("not yet"))
}
pub fn mount(_store: Box<dyn Store>) -> Result<Box<dyn Disk>> {
    Err(refused("not yet"))
}
pub fn create(_store: &mut dyn Store, _bytes: u64, _logical: u64) -> io::Result<()> {
    Err(damaged("not yet"))
}
