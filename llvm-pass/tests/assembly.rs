//! How inline assembly is read: the pure part of the pass, which is no test target of its own, since a plugin finds
//! LLVM's functions only in clang.
#![allow(dead_code, reason = "the pass uses what the tests do not")]

#[path = "../src/abi.rs"]
mod abi;
#[path = "../src/assembly/mod.rs"]
mod assembly;
