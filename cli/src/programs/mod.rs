//! The command `fencehound check` on C programs.
//!
//! [`subjects`] makes the program; [`found`] runs again and keeps what a search has found; [`shown`] shows it; [`consequences`]
//! knows its consequences in relaxed executions; [`judging`] judges the executions of a model; [`judged`] runs the searches for
//! that and words the result; [`named`] does so for models that are asked for by name; [`machines`] searches where execution
//! graphs do not decide; both search with a [`bench`], and [`consistent`] knows what they compare with; [`wronged`] knows what is wrong for the commands `fences` and `relax`; [`accepted`] knows what the user has accepted, and [`acceptance`] why;
//! [`searched`] comes to a verdict on a search; [`remedies`] looks for advice on findings, and [`grounds`] says what all of their executions
//! have in common; [`results`] comes to the verdict on
//! all.

pub(crate) mod acceptance;
pub(crate) mod accepted;
pub(crate) mod bench;
pub(crate) mod consequences;
pub(crate) mod consistent;
pub(crate) mod found;
pub(crate) mod grounds;
pub(crate) mod iterated;
pub(crate) mod judged;
pub(crate) mod judging;
pub(crate) mod machines;
pub(crate) mod models;
pub(crate) mod named;
pub(crate) mod portable;
pub(crate) mod relaxing;
pub(crate) mod remedies;
pub(crate) mod repair;
pub(crate) mod results;
pub(crate) mod searched;
mod shorter;
pub(crate) mod shown;
pub(crate) mod subjects;
pub(crate) mod wronged;
