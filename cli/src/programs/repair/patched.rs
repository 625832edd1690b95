//! A repair as changes of the source files, and the files with these changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use protocol::{Operation, Order, Place, Point, Strength};

use super::universe::{Element, Universe};
use crate::editing::diff::unified;
use crate::editing::edits::{Change, Editor, changed};
use crate::editing::spelling::spelling;
use crate::exit::Failure;
use crate::hash::{hash_file, plain_name};
use crate::programs::subjects::Subjects;
use crate::report::names::short_place;
use crate::text::{printable, reason};

/// A source file, as it is and as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PatchedFile {
    /// Its name below the folder that the tool was run in.
    pub(crate) name: String,
    /// The file itself, whatever links lead to it.
    pub(crate) path: PathBuf,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// The files that a repair changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Patch {
    pub(crate) files: Vec<PatchedFile>,
}

impl Patch {
    /// As `patch -p1` and `git apply` take it, in the folder that the tool was run in.
    pub(crate) fn text(&self) -> String {
        self.files.iter().map(|file| unified(&file.name, &file.old, &file.new)).collect()
    }

    /// Returns the names of the files in words: `a.c and b.c`.
    pub(crate) fn names(&self) -> String {
        self.files.iter().map(|file| printable(&file.name)).collect::<Vec<_>>().join(" and ")
    }
}

/// The source files of a program, as far as they were read.
pub(crate) struct Texts<'a> {
    subjects: &'a Subjects,
    read: BTreeMap<String, Result<PatchedFile, String>>,
}

/// The changes of a file, with the name that places have for it.
type Changes = (String, Vec<Change>);

impl<'a> Texts<'a> {
    /// Makes texts of which none has been read.
    pub(crate) fn new(subjects: &'a Subjects) -> Texts<'a> {
        Texts { subjects, read: BTreeMap::new() }
    }

    /// Returns the file that places call so, or why it is not to be edited.
    fn file(&mut self, name: &str) -> Result<PatchedFile, String> {
        let subjects = self.subjects;
        self.read.entry(name.to_string()).or_insert_with(|| read(subjects, name)).clone()
    }

    /// Returns what an element changes, or why no text can be made for it: in words that go on from `it is`.
    pub(crate) fn changes(&mut self, element: &Element, universe: &Universe) -> Result<Changes, String> {
        let name = element.chosen.at.place.file.clone();
        let file = self.file(&name)?;
        let editor = Editor::new(&file.old);
        let changes = match element.chosen.strength {
            Strength::Order(order) => {
                let Point { place, operation } = &element.chosen.at;
                editor.order(byte(&editor, place)?, kind(*operation), order_name(order))?
            }
            Strength::FenceBefore(order) | Strength::FenceAfter(order) => {
                let found = spelling(&file.old, universe.light_order());
                let fence = if order == Order::SequentiallyConsistent { found.full } else { found.light };
                fence_in_gap(element, universe, &editor, &fence)?
            }
        };
        if changed(&file.old, &changes).is_none_or(|new| new == file.old) {
            return Err(editor.inside_of(byte(&editor, &element.chosen.at.place)?));
        }
        Ok((name, changes))
    }

    /// Returns the files with the changes of all elements; none if the text of one cannot be made.
    pub(crate) fn patch(&mut self, elements: &[Element], universe: &Universe) -> Option<Patch> {
        let mut by_file: BTreeMap<PathBuf, (PatchedFile, Vec<Change>)> = BTreeMap::new();
        for element in elements {
            let (name, changes) = self.changes(element, universe).ok()?;
            let file = self.file(&name).ok()?;
            by_file.entry(file.path.clone()).or_insert((file, Vec::new())).1.extend(changes);
        }
        let mut files = Vec::new();
        for (_, (file, changes)) in by_file {
            let new = changed(&file.old, &changes)?;
            files.push(PatchedFile { new, ..file });
        }
        Some(Patch { files })
    }
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcquireRelease => "acq_rel",
        Order::SequentiallyConsistent => "seq_cst",
    }
}

/// Returns a part of the names of the functions that do this in C.
fn kind(operation: Operation) -> &'static str {
    match operation {
        Operation::Load => "load",
        Operation::Store => "store",
        _ => "",
    }
}

fn byte(editor: &Editor<'_>, place: &Place) -> Result<usize, String> {
    editor.byte(place.line, place.column).ok_or_else(|| format!("at no place of {}", short_place(place)))
}

/// Returns the change that puts a fence behind the statement in front of the gaps, or in front of the one behind them.
fn fence_in_gap(
    element: &Element,
    universe: &Universe,
    editor: &Editor<'_>,
    fence: &str,
) -> Result<Vec<Change>, String> {
    let at = &element.chosen.at;
    let is_after = matches!(element.chosen.strength, Strength::FenceAfter(_));
    let own = byte(editor, &at.place)?;
    let in_file = |point: &&Point| point.place.file == at.place.file;
    for other in element.gaps.iter().filter_map(|gap| gap[usize::from(is_after)].as_ref()).filter(in_file) {
        if editor.are_together(own, byte(editor, &other.place)?) {
            return Err(editor.inside_of(own));
        }
    }
    let sides = match element.sides() {
        [Some(after), Some(before)] if in_file(&after) && in_file(&before) => [Some(after), Some(before)],
        _ if is_after => [Some(at), None],
        _ => [None, Some(at)],
    };
    let [after, before] = sides.map(|point| point.map(|point| byte(editor, &point.place)).transpose());
    let [after, before] = [after?, before?];
    let behind = || after.map(|after| editor.fence_after(after, before, fence));
    let in_front = || before.map(|before| editor.fence_before(before, fence));
    let refusals = if belongs_to_next(element, universe) { [in_front(), behind()] } else { [behind(), in_front()] };
    let mut tried = refusals.into_iter().flatten();
    let first = tried.next().unwrap_or_else(|| Err(editor.inside_of(own)));
    first.or_else(|why| tried.find_map(Result::ok).ok_or(why))
}

/// Whether a fence belongs to what it stands in front of: one that is not full belongs to a store of another function,
/// which releases something.
fn belongs_to_next(element: &Element, universe: &Universe) -> bool {
    let function = |point: &Point| universe.performed(point).map(|performed| performed.function.clone());
    let is_light = !matches!(element.chosen.strength, Strength::FenceBefore(order) | Strength::FenceAfter(order) if order == Order::SequentiallyConsistent);
    match element.sides() {
        [Some(after), Some(before)] => {
            is_light && before.operation == Operation::Store && function(after) != function(before)
        }
        _ => false,
    }
}

/// Reads a source file that places call so.
fn read(subjects: &Subjects, name: &str) -> Result<PatchedFile, String> {
    let shown = printable(name);
    let missing = |error: std::io::Error| format!("in {shown}: {}", reason(&error));
    let folder = subjects.directory.canonicalize().map_err(missing)?;
    let path = subjects.source(name).canonicalize().map_err(missing)?;
    let Ok(below) = path.strip_prefix(&folder) else {
        return Err(format!("in {shown}, which is outside of this folder"));
    };
    let old = fs::read_to_string(&path).map_err(|_| format!("in {shown}, which is no text in UTF-8"))?;
    if let Some((_, hash)) = subjects.files.iter().find(|(file, _)| file == plain_name(name))
        && hash_file(&path).ok().as_ref() != Some(hash)
    {
        return Err(format!("in {shown}, which has changed since it was compiled"));
    }
    if subjects.is_older_than(&path) {
        return Err(format!("in {shown}, which has changed since the executable was made"));
    }
    Ok(PatchedFile { name: below.to_string_lossy().into_owned(), path, old, new: String::new() })
}

/// Writes the new texts in the place of the old ones: all of them or none.
pub(crate) fn write(patch: &Patch) -> Result<(), Failure> {
    for file in &patch.files {
        require_unchanged(file)?;
    }
    for (index, file) in patch.files.iter().enumerate() {
        if let Err(failure) = require_unchanged(file).and_then(|()| replace(&file.path, &file.new)) {
            restore(&patch.files[..index])?;
            return Err(failure);
        }
    }
    Ok(())
}

/// Writes the old texts again, where the new ones are.
pub(crate) fn restore(files: &[PatchedFile]) -> Result<(), Failure> {
    for file in files {
        if fs::read_to_string(&file.path).is_ok_and(|text| text == file.new) {
            replace(&file.path, &file.old)?;
        }
    }
    Ok(())
}

fn require_unchanged(file: &PatchedFile) -> Result<(), Failure> {
    let name = printable(&file.name);
    let cannot = |what: String, help: &str| Err(Failure::usage(format!("{name} is not edited: {what}"), help));
    match fs::read_to_string(&file.path) {
        Err(error) => cannot(reason(&error), "make it readable"),
        Ok(text) if text != file.old => cannot("it has changed meanwhile".to_string(), "run the command again"),
        Ok(_) if fs::metadata(&file.path).is_ok_and(|there| there.permissions().readonly()) => {
            cannot("it may not be written".to_string(), "make it writable, or apply the patch that is shown elsewhere")
        }
        Ok(_) => Ok(()),
    }
}

/// Writes a text beside a file, and gives it the name of the file: who reads it meanwhile sees the one or the other.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| {
        let message = format!("{} is not edited: {}", printable(&path.to_string_lossy()), reason(&error));
        Failure::usage(message, "make its folder writable")
    };
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".fencehound-{}", std::process::id()));
    let beside = folder.join(name);
    let permissions = fs::metadata(path).map_err(failed)?.permissions();
    let written = fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, permissions))
        .and_then(|()| fs::File::open(&beside)?.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        drop(fs::remove_file(&beside));
        failed(error)
    })
}
