//! The hooks of each line of C, against what is written at the line's end: `//> load4 x; store4 y` (nothing there: no
//! hooks). They must be the same at -O0, -O1, -O2 and -O3, and with line tables alone but for the names of members. The files are in `tests/hooks`.
//!
//! A hook is written as its name without `__fh_`, then what it is told, then the variable: `rmw4 add seq_cst counter`,
//! `read 32 queue`, `external puts known; external_pointer`, `site` (before a call of a
//! modelled function), `unsupported asm goto`, `loop`.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use support::{LEVELS, c_files, folder, plugin, run, stem};

/// Options with which the names of members are not known.
const LINE_TABLES: &str = "-O2 -gline-tables-only";

/// "…" as LLVM writes it.
const ELLIPSIS: &str = r"\E2\80\A6";

/// The hooks of a file by line, sorted.
type Hooks = BTreeMap<u32, Vec<String>>;

fn main() {
    let arguments = Arguments::from_args();
    let plugin = plugin();
    let mut trials = Vec::new();
    for file in c_files(&folder("hooks")) {
        for level in LEVELS.into_iter().chain([LINE_TABLES]) {
            let (plugin, file) = (plugin.clone(), file.clone());
            trials.push(Trial::test(format!("{} {level}", stem(&file)), move || check(&plugin, &file, level)));
        }
    }
    let same = plugin.clone();
    trials.push(Trial::test("instrumented once", move || instrument_again(&same)));
    let same = plugin.clone();
    trials.push(Trial::test("bad templates", move || refuse_templates(&same)));
    trials.push(Trial::test("internal failure", move || fail(&plugin)));
    libtest_mimic::run(&arguments, trials).exit();
}

/// What the pass cannot do ends the compilation with a message (here: a constant that is a thread-local's address,
/// which no C program has).
fn fail(plugin: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let module = folder.path().join("module.ll");
    fs::write(&module, "@t = thread_local global i32 0\n@p = global ptr @t\n").map_err(|error| error.to_string())?;
    let mut clang = Command::new("clang-19");
    clang.arg(format!("-fpass-plugin={}", plugin.display())).args(["-c", "-x", "ir"]).arg(&module).arg("-o").arg("-");
    let output = clang.output().map_err(|error| error.to_string())?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let wanted = "error: fencehound pass: internal error: the address of the thread-local `t` in a constant";
    if output.status.code() == Some(1) && message.contains(wanted) && output.stdout.is_empty() {
        return Ok(());
    }
    Err(format!("{}: {message}", output.status).into())
}

/// A module that comes back is left as it is; one of which a part is instrumented is refused.
fn instrument_again(plugin: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let again = |text: &str| {
        let module = folder.path().join("module.ll");
        fs::write(&module, text).map_err(|error| error.to_string())?;
        let mut opt = Command::new("opt-19");
        opt.arg("-load-pass-plugin").arg(plugin).args(["-passes=fencehound", "-S"]).arg(&module);
        opt.output().map_err(|error| error.to_string())
    };
    let once = instrumented(plugin, &folder_of_hooks("scalars.c"), "-O1");
    let hooks = |text: &str| text.matches("@__fh_").count();
    let output = again(&once)?;
    let twice = String::from_utf8_lossy(&output.stdout).into_owned();
    if hooks(&once) == 0 || hooks(&once) != hooks(&twice) {
        return Err(format!("{} hooks, then {}", hooks(&once), hooks(&twice)).into());
    }
    let output = again(&(once + "\ndefine void @another() { ret void }\n"))?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() || !message.contains("a part of the module is instrumented already") {
        return Err(format!("{}: {message}", output.status).into());
    }
    Ok(())
}

fn folder_of_hooks(file: &str) -> std::path::PathBuf {
    folder("hooks").join(file)
}

/// A line of a file of templates that is wrong ends the compilation, with its number.
fn refuse_templates(plugin: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let templates = folder.path().join("templates.txt");
    for (text, wanted) in [
        ("yield => nothing\nwfe => noting\n", "templates.txt:2: unknown meaning `noting`"),
        ("yield\n", "templates.txt:1: a line is `TEMPLATE => MEANING`"),
    ] {
        fs::write(&templates, text).map_err(|error| error.to_string())?;
        let mut clang = Command::new("clang-19");
        clang.arg(format!("-fpass-plugin={}", plugin.display())).args(["-Xclang", "-load", "-Xclang"]).arg(plugin);
        clang.args(["-mllvm", &format!("-fencehound-asm-templates={}", templates.display())]);
        clang.args(["-c", "-o", "-"]).arg(folder_of_hooks("scalars.c"));
        let output = clang.output().map_err(|error| error.to_string())?;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() || !message.contains(wanted) {
            return Err(format!("{}: {message}", output.status).into());
        }
    }
    Ok(())
}

/// Compares the hooks of a file with the expected ones.
fn check(plugin: &Path, file: &Path, level: &str) -> Result<(), Failed> {
    let source = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (mut expected, mut found) = (expected(&source), found(&instrumented(plugin, file, level)));
    if level == LINE_TABLES {
        for hooks in [&mut expected, &mut found] {
            hooks.values_mut().flatten().for_each(|hook| *hook = hook.split(' ').next().unwrap_or("").to_owned());
        }
    }
    if found == expected {
        return Ok(());
    }
    let lines: std::collections::BTreeSet<u32> = found.keys().chain(expected.keys()).copied().collect();
    let differing = lines.into_iter().filter(|line| found.get(line) != expected.get(line)).map(|line| {
        let text = |hooks: &Hooks| hooks.get(&line).map(|hooks| hooks.join("; ")).unwrap_or_default();
        format!("line {line}: expected `{}`\n         found    `{}`\n", text(&expected), text(&found))
    });
    Err(differing.collect::<String>().into())
}

/// The hooks that a source asks for.
fn expected(source: &str) -> Hooks {
    (1..)
        .zip(source.lines())
        .filter_map(|(number, line)| {
            let (_, hooks) = line.split_once("//>")?;
            let mut quoted = false;
            let separates = |letter: char| {
                quoted ^= letter == '`';
                letter == ';' && !quoted
            };
            let mut hooks: Vec<String> = hooks.split(separates).map(|hook| hook.trim().to_owned()).collect();
            hooks.sort();
            Some((number, hooks))
        })
        .collect()
}

/// The module as the pass leaves it, before any optimisation.
fn instrumented(plugin: &Path, file: &Path, level: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let module = folder.path().join("module.ll");
    let mut clang = Command::new("clang-19");
    clang
        .args(["-g", "-w", "-mno-outline-atomics", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"])
        .args(level.split(' '));
    run(clang.arg(file).arg("-o").arg(&module));
    let mut opt = Command::new("opt-19");
    opt.arg("-load-pass-plugin").arg(plugin).args(["-passes=fencehound", "-S"]).arg(&module);
    String::from_utf8(run(&mut opt).stdout).expect("LLVM's text is UTF-8")
}

/// The hooks in a module.
fn found(module: &str) -> Hooks {
    let (mut texts, mut sites, mut hooks) = (BTreeMap::new(), BTreeMap::new(), Hooks::new());
    for line in module.lines() {
        if let Some((name, text)) = line.split_once(" = private unnamed_addr constant ") {
            let text = text.split_once(" c\"").map_or("", |(_, text)| text.split("\\00\"").next().unwrap_or(""));
            texts.insert(name.to_owned(), text.replace(ELLIPSIS, "…"));
        } else if let Some((name, record)) =
            line.split_once(" = private constant { ptr, ptr, ptr, ptr, ptr, i64, i32, i16, i16 } ")
        {
            sites.insert(name.to_owned(), site(record, &texts));
        } else if line.starts_with("  ")
            && let Some((number, hook)) = hook(line, &texts, &sites)
        {
            hooks.entry(number).or_default().push(hook);
        }
    }
    hooks.values_mut().for_each(|hooks| hooks.sort());
    hooks
}

/// The line and the variable of a site record.
fn site(record: &str, texts: &BTreeMap<String, String>) -> (u32, String) {
    let fields: Vec<&str> = record.trim_start_matches(['{', ' ']).split(", ").collect();
    let expression = fields[2].trim_start_matches("ptr ");
    let line = fields[6].trim_start_matches("i32 ").parse().expect("a line is a number");
    (line, texts.get(expression).cloned().unwrap_or_default())
}

/// The line and the text of the hook that an instruction is, if it is one.
fn hook(
    instruction: &str,
    texts: &BTreeMap<String, String>,
    sites: &BTreeMap<String, (u32, String)>,
) -> Option<(u32, String)> {
    if let Some((site, _)) =
        instruction.strip_prefix("  store ptr ").and_then(|rest| rest.split_once(", ptr @__fh_call_site"))
    {
        return Some((sites.get(site)?.0, "site".to_owned()));
    }
    let (_, call) = instruction.split_once("@__fh_")?;
    let (name, arguments) = call.split_once('(')?;
    let arguments: Vec<&str> = arguments.split(", ").map(|argument| argument.trim_end_matches(')')).collect();
    let (line, expression) = arguments.iter().find_map(|argument| sites.get(argument.strip_prefix("ptr ")?))?;
    let text = |argument: &str| texts.get(argument.trim_start_matches("ptr ")).cloned().unwrap_or_default();
    // What the hook is told is counted from the end: an address may contain commas.
    let told = |from_end: usize| arguments[arguments.len() - 1 - from_end - trailing(instruction)];
    let details = match name {
        "atomic_rmw" => format!("{} {} {}", length(told(3)), operation(number(told(2))), order(number(told(1)))),
        "atomic_cas" => format!("{} {}", length(told(2)), orders(told(1))),
        "atomic_read" | "atomic_write" => format!("{} {}", length(told(2)), order(number(told(1)))),
        _ if name.starts_with("atomic_") => order(number(told(1))),
        _ if name.starts_with("rmw") => format!("{} {}", operation(number(told(2))), order(number(told(1)))),
        _ if name.starts_with("cas") => orders(told(1)),
        _ if name.starts_with("weak_cas") => orders(told(2)),
        "fence" => order(number(told(1))),
        "read" | "write" | "copy" | "fill" => length(told(1)),
        "unsupported" => text(arguments[0]),
        "external" => {
            let known = if number(arguments[1]) == 1 { "known" } else { "unknown" };
            format!("{} {known}", text(arguments[0]))
        }
        _ => String::new(),
    };
    let words = [name, &details, expression];
    Some((*line, words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")))
}

/// How many pieces follow a call's arguments on its line: metadata.
fn trailing(instruction: &str) -> usize {
    instruction.matches(", !").count()
}

/// The number in `i32 5`.
fn number(argument: &str) -> u32 {
    argument.rsplit(' ').next().and_then(|digits| digits.parse().ok()).expect("a constant")
}

/// The length in `i64 8`, or `?` if it is not constant.
fn length(argument: &str) -> String {
    let digits = argument.rsplit(' ').next().unwrap_or("");
    if digits.starts_with('%') { "?".to_owned() } else { digits.to_owned() }
}

/// The two orders of a compare-and-exchange, and whether it is weak.
fn orders(argument: &str) -> String {
    let orders = number(argument);
    let weak = if orders >> 16 == 1 { " weak" } else { "" };
    format!("{} {}{weak}", order(orders & 0xff), order(orders >> 8 & 0xff))
}

fn order(number: u32) -> String {
    const NAMES: [&str; 9] =
        ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst", "stores", "loads", "instructions"];
    NAMES[number as usize].to_owned()
}

fn operation(number: u32) -> &'static str {
    const NAMES: [&str; 16] = [
        "exchange", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "negate", "fadd", "fsub",
        "fmax", "fmin",
    ];
    NAMES[number as usize]
}
