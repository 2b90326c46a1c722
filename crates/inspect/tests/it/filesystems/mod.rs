//! Tests of the filesystems readers.
