//! The functions of the C library that have nothing to do with threads: text, numbers, random numbers, time.

pub(crate) mod clock;
pub(crate) mod cursor;
pub(crate) mod formats;
pub(crate) mod numbers;
pub(crate) mod printing;
pub(crate) mod random;
pub(crate) mod results;
pub(crate) mod scanning;
pub(crate) mod sorting;
pub(crate) mod strings;
