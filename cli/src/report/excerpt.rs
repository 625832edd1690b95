//! The line of the source that a place means, with a caret under its column.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use protocol::Place;

use super::names::{frame_place, full_place};
use crate::text::printable;
use crate::trust::Roots;

const TAB: &str = "    ";
/// The number of characters of a line that are shown.
const LONGEST: usize = 160;

/// Source files, each read once.
#[derive(Debug)]
pub(crate) struct Sources {
    /// The folders in which relative names are looked for, in order.
    folders: Vec<PathBuf>,
    /// The folders in which files must lie to be quoted, unless the user's own program names them.
    roots: Option<Roots>,
    files: BTreeMap<String, Vec<String>>,
}

impl Sources {
    /// Makes the sources of the user's own program, whose relative names are looked for in these folders.
    pub(crate) fn new(folders: impl IntoIterator<Item = PathBuf>) -> Sources {
        Sources { folders: folders.into_iter().collect(), roots: None, files: BTreeMap::new() }
    }

    /// Makes sources whose names somebody else may have written: only what lies below the roots is quoted.
    pub(crate) fn within(folders: impl IntoIterator<Item = PathBuf>, roots: Roots) -> Sources {
        Sources { roots: Some(roots), ..Sources::new(folders) }
    }

    /// Returns the line of a place, if it can be read.
    pub(crate) fn line(&mut self, place: &Place) -> Option<&str> {
        let index = usize::try_from(place.line.checked_sub(1)?).ok()?;
        self.lines(&place.file).get(index).map(String::as_str)
    }

    /// Returns all lines of a file; none if it cannot be read.
    pub(crate) fn lines(&mut self, file: &str) -> &[String] {
        let (folders, roots) = (&self.folders, &self.roots);
        let may_be_quoted = |file: &Path| file.is_file() && roots.as_ref().is_none_or(|roots| roots.hold(file));
        let read = || {
            let mut places = folders.iter().map(|folder| folder.join(file));
            let content = places.find_map(|file| may_be_quoted(&file).then(|| fs::read(&file).ok())?);
            let content = content.unwrap_or_default();
            String::from_utf8_lossy(&content).lines().map(str::to_string).collect()
        };
        self.files.entry(file.to_string()).or_insert_with(read)
    }
}

/// Returns a heading, below it the line with a caret, and the functions through which the place was reached and leads to the
/// access. A source that cannot be read leaves the rest.
pub(crate) fn excerpt(place: &Place, words: &str, sources: &mut Sources) -> String {
    let mut text = format!("  {}, {words}\n", full_place(place).bold());
    if let Some(line) = sources.line(place) {
        let number = place.line.to_string();
        let number = format!("{number:>5}");
        let (line, before) = window(&expand(line), caret_offset(line, place.column));
        let _ = writeln!(text, "{} {} {line}", number.blue(), "|".blue());
        if place.column > 0 {
            let _ = writeln!(text, "      {} {:before$}{}", "|".blue(), "", "^".red().bold());
        }
    }
    for wrapper in place.wrappers() {
        let _ = writeln!(text, "        in {}, {}", printable(&wrapper.function), frame_place(wrapper));
    }
    for caller in place.callers() {
        let _ = writeln!(text, "        called in {}, {}", printable(&caller.function), frame_place(caller));
    }
    text
}

/// Cuts a very long line to the part around the caret, and returns that part, and where the caret stands in it.
fn window(line: &str, caret: usize) -> (String, usize) {
    if line.chars().count() <= LONGEST {
        return (line.to_string(), caret);
    }
    let start = caret.saturating_sub(LONGEST / 2);
    let part: String = line.chars().skip(start).take(LONGEST).collect();
    (format!("…{part}…"), caret - start + 1)
}

fn expand(line: &str) -> String {
    printable(&line.replace('\t', TAB))
}

/// Returns how many characters are shown before a column, which counts bytes from 1.
fn caret_offset(line: &str, column: u32) -> usize {
    let bytes = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
    let before: String = line.char_indices().take_while(|(index, _)| *index < bytes).map(|(_, c)| c).collect();
    expand(&before).chars().count()
}

#[cfg(test)]
mod tests {
    use protocol::{Frame, Place};

    use super::{LONGEST, Sources, caret_offset, excerpt, window};

    #[test]
    fn below_the_line_stand_its_wrappers_from_without_and_its_callers_from_within() {
        let frame =
            |function: &str, line| Frame { function: function.to_string(), file: "a.c".to_string(), line, column: 2 };
        let stack =
            vec![frame("inner", 3), frame("outer", 5), frame("algorithm", 7), frame("body", 9), frame("main", 11)];
        let place = Place { stack, ..Place::new("a.c".to_string(), 7, 2) };
        let text = excerpt(&place, "load", &mut Sources::new([]));
        let lines: Vec<&str> = text.lines().skip(1).map(str::trim).collect();
        let wanted = ["in outer, a.c:5", "in inner, a.c:3", "called in body, a.c:9", "called in main, a.c:11"];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_caret() {
        let line = format!("{}x{}", " ".repeat(1000), "y".repeat(1000));
        let (part, caret) = window(&line, 1000);
        assert_eq!(part.chars().count(), LONGEST + 2);
        assert_eq!(part.chars().nth(caret), Some('x'));
    }

    #[test]
    fn carets_stand_under_their_column() {
        assert_eq!(caret_offset("    x = 1;", 5), 4);
        assert_eq!(caret_offset("\tr2 = x;", 7), 9);
        assert_eq!(caret_offset("é = x;", 6), 4);
        assert_eq!(caret_offset("x", 80), 1);
    }
}
