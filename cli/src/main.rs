//! The `fencehound` tool: compiles C programs so that every shared access can be watched, explores their thread
//! schedules, and shows what it finds.
//!
//! How to read it: [`args`] is what may be typed, [`plan`] what that means; [`check`] (with [`litmus`]), [`replay`],
//! [`monitor`], [`cc`] and [`doctor`] are the commands; [`toolchain`] finds the parts of the tool, [`program`] runs a program under test,
//! [`symbols`] names the source line of a fault, [`record`] writes event logs, [`findings`] owns the findings directory, [`report`] and [`json`] write results, [`exit`] decides the exit status.
//! Only [`report`], [`json`] and [`screen`] know what a result looks like.

mod args;
mod cc;
mod check;
mod compile;
mod consequences;
mod doctor;
mod exit;
mod findings;
mod interrupt;
mod json;
mod litmus;
mod monitor;
mod plan;
mod program;
mod record;
mod replay;
mod report;
mod screen;
mod search;
mod symbols;
mod toolchain;
mod trust;
mod workplace;

fn main() -> std::process::ExitCode {
    args::dispatch(std::env::args_os().collect()).into()
}
