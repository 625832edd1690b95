//! The way from a program counter to a place in the source, for faults that no operation of the runtime was part of.

use std::collections::BTreeSet;
use std::path::Path;

use addr2line::Loader;
use object::{Object, ObjectSymbol};
use protocol::{Place, Role, Silence, Violation};

/// Sets the place of a violation that a signal ended, as far as the executable's line table knows it.
///
/// The line of a fault is the line of its instruction.
pub(crate) fn locate(executable: &Path, directory: &Path, violation: &mut Violation) {
    let Some(program_counter) = violation.program_counter else { return };
    let Some((place, function)) = lookup(executable, directory, program_counter) else { return };
    for site in violation.sites.iter_mut().filter(|site| site.role == Role::At) {
        site.place = place.clone();
        site.function.clone_from(&function);
        site.expression.clear();
    }
}

/// Sets the function of a thread that computed for too long, as far as the executable's line table knows it. The thread may have
/// been interrupted at any line of the function, so the place is the first one, which is the same each time.
pub(crate) fn locate_silence(executable: &Path, directory: &Path, silence: &mut Silence) {
    let start = start_of_function(executable, silence.program_counter);
    if let Some((place, function)) = start.and_then(|address| lookup(executable, directory, address)) {
        (silence.place, silence.function) = (place, function);
    }
}

/// Returns the place and the function of an address; none outside of C code with a line table, as in the runtime or in libc.
fn lookup(executable: &Path, directory: &Path, address: u64) -> Option<(Place, String)> {
    let loader = Loader::new(executable).ok()?;
    let location = loader.find_location(address).ok()??;
    let (file, line) = (location.file?, location.line.filter(|&line| line > 0)?);
    if Path::new(file).extension().is_some_and(|extension| extension == "rs") {
        return None;
    }
    let file = Path::new(file).strip_prefix(directory).unwrap_or(Path::new(file));
    let place = Place::new(file.display().to_string(), line, location.column.unwrap_or(0));
    // The program's own main has another name in the executable, so that the runtime's comes first.
    let symbol = loader.find_symbol(address).unwrap_or_default();
    let function = if symbol == "__fh_main" { "main" } else { symbol };
    Some((place, function.to_owned()))
}

/// Returns the C files that the executable's line table knows, sorted, those below the directory relative to it.
pub(crate) fn files(executable: &Path, directory: &Path) -> Vec<String> {
    let names = || {
        let loader = Loader::new(executable).ok()?;
        let mut files = BTreeSet::new();
        for (_, _, location) in loader.find_location_range(0, u64::MAX).ok()? {
            let file = Path::new(location.file?);
            if file.extension().is_some_and(|extension| extension != "rs") {
                files.insert(file.strip_prefix(directory).unwrap_or(file).display().to_string());
            }
        }
        Some(files.into_iter().collect())
    };
    names().unwrap_or_default()
}

/// Returns where the function begins that the address belongs to.
fn start_of_function(executable: &Path, address: u64) -> Option<u64> {
    let content = std::fs::read(executable).ok()?;
    let elf = object::File::parse(content.as_slice()).ok()?;
    let inside =
        |symbol: &object::Symbol<'_, '_>| (symbol.address()..symbol.address() + symbol.size()).contains(&address);
    elf.symbols().find(inside).map(|symbol| symbol.address())
}
