//! `fencehound doctor`: shows which parts are there, which are missing, and the line that installs them.

use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;

use crate::exit::Status;
use crate::screen::{Channel, Color, Screen};
use crate::toolchain::{Toolchain, in_path};

/// The bytes of address space that the runtime reserves, rounded up generously.
const ADDRESS_SPACE: u64 = 100 << 30;

/// Whether the tool works without a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    Required,
    Optional,
}

/// A part of the tool, or a property of the machine, that is checked.
struct CheckedPart {
    name: &'static str,
    need: Need,
    /// The place of the part, or its description; none if it is missing.
    found: Option<String>,
    /// The way to get the part.
    remedy: Remedy,
}

/// The way to get what is missing.
enum Remedy {
    /// The part comes in a Debian package.
    Package(&'static str),
    /// The part is got by a line of advice.
    Advice(&'static str),
}

/// Runs the command.
pub(crate) fn run(color: Color) -> Status {
    let screen = Screen::new(Channel::Output, color);
    let parts = parts();
    for part in &parts {
        let state = match (&part.found, part.need) {
            (Some(_), _) => format!("{}", "ok     ".green()),
            (None, Need::Required) => format!("{}", "missing".red().bold()),
            (None, Need::Optional) => format!("{}", "missing".yellow()),
        };
        let optional = if part.need == Need::Optional && part.found.is_none() { "not needed for checking" } else { "" };
        let line = format!("{state}  {:<18} {}", part.name, part.found.as_deref().unwrap_or(optional));
        screen.print(&format!("{}\n", line.trim_end()));
    }
    for line in remedies(&parts) {
        screen.print(&format!("{line}\n"));
    }
    let lacking: Vec<&str> = parts.iter().filter(|part| is_lacking(part)).map(|part| part.name).collect();
    if lacking.is_empty() {
        screen.print_verdict("ready: everything that is needed is here");
        Status::Clean
    } else {
        screen.print_verdict(&format!("not ready: missing {}", lacking.join(", ")));
        Status::Unsupported
    }
}

fn is_lacking(part: &CheckedPart) -> bool {
    part.need == Need::Required && part.found.is_none()
}

/// Returns the lines to type to get what is missing.
fn remedies(parts: &[CheckedPart]) -> Vec<String> {
    let missing = || parts.iter().filter(|part| part.found.is_none());
    let packages: Vec<&str> = missing()
        .filter_map(|part| match part.remedy {
            Remedy::Package(name) => Some(name),
            Remedy::Advice(_) => None,
        })
        .collect();
    let mut lines: Vec<String> = Vec::new();
    if !packages.is_empty() {
        lines.push(format!("to install: sudo apt-get install {}", packages.join(" ")));
    }
    for part in missing() {
        if let Remedy::Advice(advice) = part.remedy {
            let line = format!("{}: {advice}", part.name);
            lines.push(line);
        }
    }
    lines
}

fn parts() -> Vec<CheckedPart> {
    const BUILD: Remedy =
        Remedy::Advice("in fencehound's source folder: scripts/install; cargo installs the tool alone");
    let found = Toolchain::locate();
    let shown = |path: Option<PathBuf>| path.map(|path| path.display().to_string());
    let linker = found.linker.map(|linker| linker.path().display().to_string());
    let header = Path::new("/usr/include/pthread.h");
    let part = |name, need, found, remedy| CheckedPart { name, need, found, remedy };
    vec![
        part("clang 19", Need::Required, shown(found.clang), Remedy::Package("clang-19")),
        part("lld", Need::Required, linker, Remedy::Package("lld-19")),
        part(
            "C library headers",
            Need::Required,
            header.is_file().then(|| header.display().to_string()),
            Remedy::Package("libc6-dev"),
        ),
        part("compiler plugin", Need::Required, shown(found.plugin), BUILD),
        part("runtime library", Need::Required, shown(found.runtime), BUILD),
        part("fencehound.h", Need::Required, shown(found.include), BUILD),
        part("gdb", Need::Optional, shown(in_path("gdb")), Remedy::Package("gdb")),
        part("address space", Need::Required, address_space(), Remedy::Advice("lift the limit: ulimit -v unlimited")),
        part(
            "fixed addresses",
            Need::Optional,
            fixed_addresses(),
            Remedy::Advice("in a container, allow it: docker run --security-opt seccomp=unconfined"),
        ),
    ]
}

fn address_space() -> Option<String> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: getrlimit writes an rlimit through the pointer, which is valid for that.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_AS, limit.as_mut_ptr()) };
    if status != 0 {
        return None;
    }
    // SAFETY: getrlimit succeeded, so it has written the limit.
    let limit = unsafe { limit.assume_init() }.rlim_cur;
    match limit {
        libc::RLIM_INFINITY => Some("unlimited".to_string()),
        limit if limit >= ADDRESS_SPACE => Some(format!("{} GiB", limit >> 30)),
        _ => None,
    }
}

/// Returns a note if the randomisation of addresses can be switched off. This is tried on this process, which is about to end.
fn fixed_addresses() -> Option<String> {
    // SAFETY: personality takes no pointers.
    let before = unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
    (before >= 0).then(|| "randomisation can be switched off".to_string())
}

#[cfg(test)]
mod tests {
    use super::{CheckedPart, Need, Remedy, is_lacking, remedies};

    #[test]
    fn one_line_installs_all_packages() {
        let part = |name, remedy| CheckedPart { name, need: Need::Required, found: None, remedy };
        let parts = [
            part("clang 19", Remedy::Package("clang-19")),
            part("lld", Remedy::Package("lld-19")),
            part("address space", Remedy::Advice("ulimit -v unlimited")),
        ];
        let expected = ["to install: sudo apt-get install clang-19 lld-19", "address space: ulimit -v unlimited"];
        assert_eq!(remedies(&parts), expected);
        assert!(parts.iter().all(is_lacking));
    }
}
