//! Tests of the tables readers.
