//! Tests of the images readers.
