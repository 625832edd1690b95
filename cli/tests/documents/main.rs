//! The documents, and comments, name only files, commands and sections that exist.

mod comments;
mod json;
mod refusals;

use std::collections::BTreeSet;
use std::path::{Path as File, PathBuf};
use std::process::Command;

use engine::mapping::calls::{Effect, MUTEX_AGAIN, MUTEX_REFUSED, Path, TABLE};

const DOCUMENTS: [&str; 17] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/guide.md",
    "docs/papers.md",
    "docs/monitors.md",
    "docs/power.md",
    "docs/counting.md",
    "docs/limits.md",
    "docs/event-log.md",
    "docs/json.md",
    "docs/ci.md",
    "docs/config.md",
    "docs/inline-assembly.md",
    "c-tests/README.md",
    "benches/RESULTS.md",
];

fn root() -> PathBuf {
    File::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// What stands between single backquotes or in the target of a link.
fn quoted(document: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut in_block = false;
    for line in text(document).lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            names.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
            names.extend(line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to.to_owned()));
        }
    }
    names
}

/// Whether a quoted text names a file of the project.
fn names_a_file(name: &str) -> bool {
    const FOLDERS: [&str; 10] = [
        "llvm-pass/",
        "runtime/",
        "cli/",
        "c-tests/",
        "benches/",
        "examples/",
        "scripts/",
        "docs/",
        ".ci/",
        ".github/",
    ];
    FOLDERS.iter().any(|folder| name.starts_with(folder)) && !name.contains([' ', '*', '<'])
}

#[test]
fn every_file_that_a_document_names_exists() {
    let mut checked = 0;
    for document in DOCUMENTS {
        let folder = root().join(document).parent().map(File::to_path_buf).unwrap_or_default();
        for name in quoted(document).into_iter().filter(|name| names_a_file(name) || name.ends_with(".md")) {
            let there = root().join(&name).exists() || folder.join(&name).exists();
            assert!(there, "{document} names {name}, which is not there");
            checked += 1;
        }
    }
    assert!(checked > 60, "only {checked} names were recognised");
}

/// The functions that a row of the table in docs/limits.md says this of.
fn functions(status: &str) -> BTreeSet<String> {
    let limits = text("docs/limits.md");
    let table = limits.split("## Threads and synchronisation, function by function").nth(1).expect("there is a table");
    let table = table.split("\n- ").next().unwrap_or_default();
    let rows = table.lines().filter(|line| line.starts_with(&format!("| {status} |")));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The names in one of the pass's lists.
fn names(list: &str) -> BTreeSet<String> {
    let list = text(&format!("llvm-pass/src/{list}.txt"));
    list.lines().map(str::trim).filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn the_table_of_threads_and_synchronisation_is_what_the_pass_does() {
    const PREFIXES: [&str; 7] = ["pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_", "call_once"];
    for (status, list) in [("modelled", "modelled"), ("native", "harmless"), ("refused", "unsupported")] {
        let of_threads = |name: &&String| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let mut known: BTreeSet<String> = names(list).iter().filter(of_threads).cloned().collect();
        // glibc's own, which nobody looks for in the table.
        known.retain(|name| !name.ends_with("_np") || functions(status).contains(name));
        assert_eq!(functions(status), known, "{status} in docs/limits.md, and llvm-pass/src/{list}.txt");
    }
}

#[test]
fn the_table_of_threads_and_synchronisation_has_all_of_posix_and_c11() {
    let listed: BTreeSet<String> = ["modelled", "native", "refused"].into_iter().flat_map(functions).collect();
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut add = |prefix: &str, names: &str| {
        wanted.extend(names.split_whitespace().map(|name| format!("{prefix}{name}")));
    };
    // POSIX.1-2017, volume 1, chapter 13: <pthread.h>, <semaphore.h>, <signal.h>. The cleanup functions are macros.
    add("pthread_", "atfork cancel create detach equal exit getconcurrency getcpuclockid getschedparam getspecific");
    add("pthread_", "join key_create key_delete kill once self setcancelstate setcanceltype setconcurrency");
    add("pthread_", "setschedparam setschedprio setspecific sigmask testcancel");
    let pairs = |add: &mut dyn FnMut(&str, &str), object: &str, names: &str| {
        add(&format!("pthread_{object}_get"), names);
        add(&format!("pthread_{object}_set"), names);
        add(&format!("pthread_{object}_"), "init destroy");
    };
    let attributes = "detachstate guardsize inheritsched schedparam schedpolicy scope stack stacksize";
    pairs(&mut add, "attr", attributes);
    pairs(&mut add, "mutexattr", "prioceiling protocol pshared robust type");
    pairs(&mut add, "condattr", "clock pshared");
    pairs(&mut add, "rwlockattr", "pshared");
    pairs(&mut add, "barrierattr", "pshared");
    add("pthread_barrier_", "init destroy wait");
    add("pthread_cond_", "init destroy wait timedwait signal broadcast");
    add("pthread_mutex_", "init destroy lock trylock timedlock unlock consistent getprioceiling setprioceiling");
    add("pthread_rwlock_", "init destroy rdlock wrlock tryrdlock trywrlock timedrdlock timedwrlock unlock");
    add("pthread_spin_", "init destroy lock trylock unlock");
    add("sem_", "close destroy getvalue init open post timedwait trywait unlink wait");
    // C11, 7.26.
    add("", "call_once");
    add("cnd_", "broadcast destroy init signal timedwait wait");
    add("mtx_", "destroy init lock timedlock trylock unlock");
    add("thrd_", "create current detach equal exit join sleep yield");
    add("tss_", "create delete get set");
    let missing: Vec<_> = wanted.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/limits.md says nothing of {missing:?}");
}

#[test]
fn the_table_of_what_drains_is_that_of_the_engine() {
    let limits = text("docs/limits.md");
    let table = limits.split("## What drains the store buffer").nth(1).expect("there is a table");
    let rows: Vec<&str> =
        table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|')).collect();
    let known: Vec<String> = TABLE.iter().map(Path::line).collect();
    assert_eq!(rows[2..], known, "docs/limits.md, and runtime/engine/src/mapping/calls.rs");
}

#[test]
fn every_call_that_drains_or_not_is_a_modelled_one() {
    let modelled = names("modelled");
    for call in TABLE.iter().flat_map(|path| path.calls.split(' ')) {
        assert!(modelled.contains(call), "{call}");
    }
}

#[test]
fn what_the_pass_knows_of_store_buffers_is_what_the_engine_does() {
    // A file that may make another mutex than a normal one is not known to be fenced, and errors are reported.
    let of_others = [MUTEX_AGAIN, MUTEX_REFUSED];
    let list = text("llvm-pass/src/store_buffer.txt");
    let mut compared = 0;
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (what, name) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(names("modelled").contains(name), "{name} is not modelled");
        let of_call = |path: &&Path| path.calls.split(' ').any(|call| call == name) && !of_others.contains(path);
        let effects: Vec<Effect> = TABLE.iter().filter(of_call).map(|path| path.effect).collect();
        let agrees = match what {
            "drains" => !effects.is_empty() && effects.iter().all(|effect| effect.drains()),
            "stores" => !effects.is_empty() && effects.iter().all(|effect| matches!(effect, Effect::Store(_))),
            "nothing" => !effects.iter().any(|effect| matches!(effect, Effect::Store(_))),
            "leaves" => true,
            _ => panic!("{line}"),
        };
        assert!(agrees, "`{line}` in llvm-pass/src/store_buffer.txt, and {effects:?} in the engine's table");
        compared += 1;
    }
    assert!(compared > 20, "only {compared} lines were read");
}

#[test]
fn every_script_that_a_document_calls_exists_and_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let words: BTreeSet<String> = DOCUMENTS
        .iter()
        .flat_map(|document| text(document).split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .map(|word| word.trim_matches(['`', '.', ',', ':', ';', ')', '(']).to_owned())
        .filter(|word| word.starts_with("scripts/") && word.len() > "scripts/".len())
        .collect();
    assert!(words.contains("scripts/demo") && words.contains("scripts/test"), "{words:?}");
    for script in words {
        let file = std::fs::metadata(root().join(&script)).unwrap_or_else(|error| panic!("{script}: {error}"));
        assert!(file.permissions().mode() & 0o111 != 0, "{script} cannot be run");
    }
}

#[test]
fn every_command_and_option_that_a_document_shows_is_known() {
    let mut shown = 0;
    for document in DOCUMENTS {
        for line in text(document).lines().filter(|line| line.contains("fencehound ")) {
            let Some((_, call)) = line.split_once("fencehound ") else { continue };
            let mut words =
                call.split(|c: char| c.is_whitespace() || "`|,;)".contains(c)).filter(|word| !word.is_empty());
            let Some(command) = words.next().filter(|word| ["check", "replay", "doctor"].contains(word)) else {
                continue;
            };
            let help = Command::new(env!("CARGO_BIN_EXE_fencehound")).args([command, "--help"]).output().unwrap();
            let help = String::from_utf8(help.stdout).unwrap();
            for option in words.take_while(|word| *word != "#").filter(|word| word.starts_with("--") && word.len() > 2)
            {
                let option = option.split('=').next().unwrap_or(option).trim_end_matches(['.', ':']);
                assert!(help.contains(option), "{document} shows {option} of {command}, which its help does not know");
                shown += 1;
            }
        }
    }
    assert!(shown > 0, "no option was recognised");
}

/// The names in one of the pass's lists, but for those of threads and of SV-COMP, which are told of elsewhere.
fn listed(list: &str) -> Vec<String> {
    const ELSEWHERE: [&str; 9] =
        ["pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_", "call_once", "sched_yield", "__VERIFIER_"];
    const OURS: [&str; 2] = ["fh_", "reach_error"];
    text(&format!("llvm-pass/src/{list}.txt"))
        .lines()
        .map(str::trim)
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .filter(|name| !ELSEWHERE.iter().chain(&OURS).any(|prefix| name.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}

/// Whether a name is of a pattern in which `*` stands for anything.
fn is_of(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((before, after)) => {
            name.strip_prefix(before).is_some_and(|rest| (0..=rest.len()).any(|taken| is_of(&rest[taken..], after)))
        }
    }
}

#[test]
fn the_table_of_library_functions_is_that_of_the_pass() {
    let limits = text("docs/limits.md");
    let lists = [("modelled", "modelled"), ("native", "harmless"), ("refused", "unsupported")];
    for (treatment, list) in lists {
        let row = limits.lines().find(|line| line.starts_with(&format!("| {treatment} |")));
        let row = row.unwrap_or_else(|| panic!("no row for {treatment}"));
        // `f` and `l` are letters at the end of names.
        let patterns: Vec<&str> = row.split('`').skip(1).step_by(2).filter(|name| name.len() > 1).collect();
        let names = listed(list);
        for name in &names {
            assert!(patterns.iter().any(|pattern| is_of(name, pattern)), "{name} is {treatment}, but not in the row");
        }
        for pattern in patterns {
            assert!(names.iter().any(|name| is_of(name, pattern)), "{pattern} is not in {list}.txt");
            let others = lists.iter().filter(|&&(_, other)| other != list && !pattern.contains('*'));
            for (other, other_list) in others {
                assert!(!listed(other_list).contains(&pattern.to_owned()), "{pattern} is {treatment} and {other}");
            }
        }
    }
}

#[test]
fn what_the_map_says_to_be_in_a_file_is_there() {
    let map = text("ARCHITECTURE.md");
    // Every second piece stands in backquotes.
    let pieces: Vec<&str> = map.split('`').collect();
    let is_file = |piece: &str| names_a_file(piece) && root().join(piece).is_file();
    let is_name = |piece: &str| piece.chars().all(|c| c.is_alphanumeric() || "_:".contains(c)) && !piece.is_empty();
    let mut checked = 0;
    for at in (1..pieces.len().saturating_sub(2)).step_by(2) {
        let (first, between, second) = (pieces[at], pieces[at + 1].trim(), pieces[at + 2]);
        let (name, file) = match between {
            "in" if is_name(first) && is_file(second) => (first, second),
            "(" if is_file(first) && is_name(second) => (second, first),
            _ => continue,
        };
        let name = name.rsplit(':').next().unwrap_or(name);
        assert!(text(file).contains(name), "ARCHITECTURE.md says that `{name}` is in {file}");
        checked += 1;
    }
    assert!(checked > 10, "only {checked} names were recognised");
}
