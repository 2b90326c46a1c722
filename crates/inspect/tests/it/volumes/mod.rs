//! Tests of the volumes readers.
