//! Puts what the readers found together into one stack.
