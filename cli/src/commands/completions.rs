//! `fencehound completions`: prints what a shell needs to complete commands and options.

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

use crate::args::Cli;
use crate::exit::Status;
use crate::screen::{Channel, Color, Screen};

/// Runs the command.
pub(crate) fn run(shell: Shell) -> Status {
    let mut script = Vec::new();
    generate(shell, &mut without_hidden(&Cli::command()), "fencehound", &mut script);
    Screen::new(Channel::Output, Color::Never).print(&String::from_utf8_lossy(&script));
    Status::Clean
}

/// Returns a command without what is hidden in it, which not all shells' scripts leave out.
fn without_hidden(command: &Command) -> Command {
    let options = command.get_arguments().filter(|option| !option.is_hide_set()).cloned();
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set()).map(without_hidden);
    let about = command.get_about().cloned().unwrap_or_default();
    let version = command.get_version().map(str::to_string);
    let bare = Command::new(command.get_name().to_string()).about(about).args(options).subcommands(commands);
    match version {
        Some(version) => bare.version(version),
        None => bare,
    }
}
