//! Images cut off at every byte.
