//! Journals that are damaged, cut off, or of something else.
