//! The tool with the pass and the runtime: `fencehound cc` in the place of a compiler, and findings that somebody
//! changed. What `check` says of programs is in the corpus.

mod alone;
mod bench;
mod bounds;
mod compiler;
mod consequences;
mod debugger;
mod executors;
mod fences;
mod findings;
mod guide;
mod hardships;
mod html;
#[path = "../installed/mod.rs"]
mod installed;
mod judged_by_force;
mod judging;
mod known;
mod known_fences;
mod machines;
mod memory;
mod patches;
mod recipes;
mod relax;
mod remedies;
mod reports;
mod search;
mod settings;
mod shares;
mod shorter;
mod trust;
mod undone_rounds;
mod wrappers;
