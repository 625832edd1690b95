//! The ways in which the tool ends: the exit status, which is a contract with scripts, and the errors that lead to one.

use std::fmt;
use std::process::ExitCode;

use crate::text::printable;

/// The exit statuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Nothing was found, and everything within the stated bound was explored.
    Clean = 0,
    /// A violation was found, or reproduced.
    Found = 1,
    /// The command line is wrong, or a file named on it cannot be used.
    Usage = 2,
    /// Nothing was found so far, but the search did not reach its end.
    Incomplete = 3,
    /// The program needs something that is not supported, or is nondeterministic.
    Unsupported = 4,
    /// The program does not compile.
    Compile = 5,
    /// The tool or its runtime failed; this must never be read as clean.
    Internal = 70,
}

impl Status {
    /// Returns the status of a run that has both statuses: the first of 70, 2, 5, 1, 4, 3, 0 that is one of them.
    ///
    /// 2 beats 1 here: a violation whose finding could not be written is not the result that was asked for.
    pub(crate) fn and(self, other: Status) -> Status {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Status::Clean => 0,
            Status::Incomplete => 1,
            Status::Unsupported => 2,
            Status::Found => 3,
            Status::Compile => 4,
            Status::Usage => 5,
            Status::Internal => 6,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// A failure that ended the run before its result: what and where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    /// The exit status.
    pub(crate) status: Status,
    /// What went wrong, lower-case, without a full stop.
    pub(crate) message: String,
    /// The advice what to do, if there is any.
    pub(crate) help: Option<String>,
}

impl Failure {
    /// Makes the failure that the command line, or a file that it names, cannot be used.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { status: Status::Usage, message: message.into(), help: Some(help.into()) }
    }

    /// Makes the failure that the program does something that cannot be run under control, at no place in particular.
    pub(crate) fn unsupported(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { status: Status::Unsupported, message: message.into(), help: Some(help.into()) }
    }

    /// Makes the failure that the program does not compile; clang has said why.
    pub(crate) fn compile(message: impl Into<String>) -> Failure {
        let help = "options for the compiler (-I, -D, -std=, -W) stand before `--`, rarer ones in --cflags \"...\"";
        Failure { status: Status::Compile, message: message.into(), help: Some(help.to_string()) }
    }

    /// Makes the failure that the program has no `main`.
    pub(crate) fn no_main(files: &str) -> Failure {
        let help = "name all .c files of the program; one of them defines `int main(void)`, and not as static";
        let message = format!("{files}: the function `main` is missing");
        Failure { status: Status::Compile, message, help: Some(help.to_string()) }
    }

    /// Makes the failure that more than one file of the program has a `main`.
    pub(crate) fn several_mains(files: &str) -> Failure {
        let help = "several .c files are one program; check programs of their own one after the other";
        let message = format!("{files}: more than one of them defines the function `main`");
        Failure { status: Status::Compile, message, help: Some(help.to_string()) }
    }

    /// Makes the failure that a part of the tool is missing without which nothing can be compiled.
    pub(crate) fn missing(message: impl Into<String>) -> Failure {
        let help = "`fencehound doctor` says what is missing and the line that installs it".to_string();
        Failure { status: Status::Compile, message: message.into(), help: Some(help) }
    }

    /// Makes the failure that the tool or its runtime did what it must not do.
    pub(crate) fn internal(message: impl Into<String>) -> Failure {
        let help = "this is a bug in fencehound, not a verdict on the program; please report it".to_string();
        Failure { status: Status::Internal, message: message.into(), help: Some(help) }
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", printable(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {}", printable(help)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn several_statuses_are_70_1_4_3() {
        let order = [Status::Internal, Status::Found, Status::Unsupported, Status::Incomplete, Status::Clean];
        for (index, &worse) in order.iter().enumerate() {
            for &better in &order[index..] {
                assert_eq!(worse.and(better), worse);
                assert_eq!(better.and(worse), worse);
            }
        }
        assert_eq!(Status::Found.and(Status::Usage), Status::Usage);
    }
}
