//! Tests of the host readers.
