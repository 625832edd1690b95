//! The crate of the benches, which has no code of its own: `benches/RESULTS.md` has what they gave.
