//! The options that clang is given.

use super::explorer::Explored;
use crate::args::CheckArgs;
use crate::clang;

/// Returns the options for the compiler.
pub(super) fn compile_options(typed: &CheckArgs, models: &[Explored]) -> Vec<String> {
    let mut options = vec![format!("-O{}", typed.optimise)];
    let mut add = |flag: &str, values: &[String]| options.extend(values.iter().map(|value| format!("{flag}{value}")));
    add("-D", &typed.define);
    add("-U", &typed.undefine);
    add("-I", &typed.include);
    add("-L", &typed.library_folder);
    add("-l", &typed.library);
    add("-std=", typed.std.as_slice());
    if typed.sv_comp_transactions {
        let names = ["begin", "end"].map(|end| format!("-D__VERIFIER_atomic_{end}=fh_atomic_{end}"));
        options.extend(names);
    }
    if let Some(file) = &typed.asm_templates {
        options.extend(clang::templates(file));
    }
    if models.iter().any(|&(model, _)| model.has_dependencies()) {
        options.extend(clang::labels());
    }
    if typed.uninitialised {
        options.extend(clang::uninitialised());
    }
    options.extend(typed.cflags.iter().flat_map(|words| words.0.iter().cloned()));
    options
}
