//! The arguments that clang gets besides the user's: for the pass, the header, the runtime library.

use std::ffi::{OsStr, OsString};

use crate::screen::complain;
use crate::toolchain::Parts;

/// The option of the plugin that names a file of templates of inline assembly.
const TEMPLATES: &str = "-fencehound-asm-templates=";

/// Returns the arguments that name a file of templates to the plugin.
pub(crate) fn templates(file: &str) -> [String; 2] {
    ["-mllvm".to_string(), format!("{TEMPLATES}{file}")]
}

/// Returns the arguments that make the plugin label values with the loads that they depend on.
pub(crate) fn labels() -> [String; 2] {
    ["-mllvm".to_string(), "-fencehound-labels".to_string()]
}

/// Returns the arguments that make the plugin follow values that were never written, and clang keep the names of local variables.
pub(crate) fn uninitialised() -> [String; 3] {
    ["-mllvm", "-fencehound-uninitialised", "-fno-discard-value-names"].map(str::to_string)
}

/// Returns the files of templates that options of [`templates`] name.
pub(crate) fn template_files(options: &[String]) -> impl Iterator<Item = &str> {
    options.iter().filter_map(|option| option.strip_prefix(TEMPLATES))
}

/// Returns the arguments that every compilation needs; they go before the user's own, so that those win.
pub(crate) fn compiling(parts: &Parts) -> Vec<OsString> {
    let mut plugin = OsString::from("-fpass-plugin=");
    plugin.push(&parts.plugin);
    // The plugin is loaded before clang reads `-mllvm`, so that it knows the plugin's option.
    let load: [OsString; 4] = ["-Xclang".into(), "-load".into(), "-Xclang".into(), parts.plugin.clone().into()];
    let mut all: Vec<OsString> = vec!["--start-no-unused-arguments".into()];
    all.extend(load);
    all.extend([plugin, "-g".into(), "-fno-common".into()]);
    all.extend(["-D__FENCEHOUND__=1".into(), "-isystem".into(), parts.include.clone().into()]);
    all.push("--end-no-unused-arguments".into());
    all
}

/// Returns the arguments that linking an executable needs; they go after the user's own. The library goes through `-Xlinker`, so
/// that no `-x` of the user makes it a source file.
pub(crate) fn linking(parts: &Parts) -> Vec<OsString> {
    let mut all: Vec<OsString> = vec!["--start-no-unused-arguments".into(), "-no-pie".into()];
    all.extend([parts.linker.argument(), "-Xlinker".into(), parts.runtime.clone().into()]);
    all.extend(["-lpthread", "-ldl", "-lm", "--end-no-unused-arguments"].map(OsString::from));
    all
}

/// Returns the argument that switches link-time optimisation off again, if the arguments ask for it; it goes after them.
pub(crate) fn without_lto(arguments: &[impl AsRef<OsStr>]) -> Option<OsString> {
    asked_lto(arguments).map(|_| "-fno-lto".into())
}

/// Tells the user, once, that link-time optimisation is switched off, where the arguments ask for it.
pub(crate) fn note_lto(arguments: &[impl AsRef<OsStr>]) {
    if let Some(option) = asked_lto(arguments) {
        complain(&format!("note: {option} is ignored: each file is instrumented, and then optimised by itself"));
    }
}

fn asked_lto(arguments: &[impl AsRef<OsStr>]) -> Option<&str> {
    let texts = arguments.iter().filter_map(|argument| argument.as_ref().to_str());
    texts.filter(|text| *text == "-flto" || text.starts_with("-flto=")).last()
}
