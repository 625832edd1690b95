//! Benches; see `RESULTS.md`.
