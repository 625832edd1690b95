//! The difference between two versions of a text, as `patch -p1` and `git apply` take it.

use std::fmt::Write;

/// Lines before and behind a change.
const CONTEXT: usize = 3;

/// A line of one or both texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line<'t> {
    Both(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// Returns the difference, with the names `a/NAME` and `b/NAME`; empty if there is none.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let lines = lines(old, new);
    let is_near = |at: usize| {
        let near = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len());
        lines[near].iter().any(|line| !matches!(line, Line::Both(_)))
    };
    let mut text = String::new();
    let (mut at, mut numbers) = (0, [1, 1]);
    while at < lines.len() {
        let length = (at..lines.len()).take_while(|&at| is_near(at)).count();
        if length > 0 {
            text.push_str(&hunk(&lines[at..at + length], numbers));
        }
        for line in &lines[at..at + length.max(1)] {
            numbers[0] += usize::from(!matches!(line, Line::New(_)));
            numbers[1] += usize::from(!matches!(line, Line::Old(_)));
        }
        at += length.max(1);
    }
    if text.is_empty() { text } else { format!("--- a/{name}\n+++ b/{name}\n{text}") }
}

fn hunk(lines: &[Line<'_>], numbers: [usize; 2]) -> String {
    let old = lines.iter().filter(|line| !matches!(line, Line::New(_))).count();
    let new = lines.iter().filter(|line| !matches!(line, Line::Old(_))).count();
    // An empty part is said to be at the line before it.
    let begin = |number: usize, count: usize| if count == 0 { number - 1 } else { number };
    let mut text = format!("@@ -{},{old} +{},{new} @@\n", begin(numbers[0], old), begin(numbers[1], new));
    for line in lines {
        let (mark, line) = match line {
            Line::Both(line) => (' ', line),
            Line::Old(line) => ('-', line),
            Line::New(line) => ('+', line),
        };
        let _ = write!(text, "{mark}{line}");
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
    text
}

/// Returns all lines of both texts in order. What is the same behind a difference is looked for near it.
fn lines<'t>(old: &'t str, new: &'t str) -> Vec<Line<'t>> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let (mut from, mut to) = (0, 0);
    let mut all = Vec::new();
    while from < old.len() || to < new.len() {
        let (skipped, added) = next_common(&old[from..], &new[to..]);
        all.extend(old[from..from + skipped].iter().map(|line| Line::Old(line)));
        all.extend(new[to..to + added].iter().map(|line| Line::New(line)));
        (from, to) = (from + skipped, to + added);
        if let Some(line) = old.get(from) {
            all.push(Line::Both(line));
            (from, to) = (from + 1, to + 1);
        }
    }
    all
}

/// Returns how many lines of each text come before the next one that both have: as few as can be.
fn next_common(old: &[&str], new: &[&str]) -> (usize, usize) {
    for distance in 0..old.len() + new.len() {
        for skipped in (0..=distance.min(old.len())).rev() {
            let added = distance - skipped;
            if let (Some(one), Some(other)) = (old.get(skipped), new.get(added))
                && one == other
            {
                return (skipped, added);
            }
        }
    }
    (old.len(), new.len())
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_line_more_and_a_line_changed() {
        let old: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let new = old.replace("line 4\n", "line 4\nfence\n").replace("line 17\n", "line seventeen\n");
        let expected = "--- a/x.c\n+++ b/x.c\n@@ -2,6 +2,7 @@\n line 2\n line 3\n line 4\n+fence\n line 5\n line 6\n line 7\n\
                        @@ -14,7 +15,7 @@\n line 14\n line 15\n line 16\n-line 17\n+line seventeen\n line 18\n line 19\n line 20\n";
        assert_eq!(unified("x.c", &old, &new), expected);
    }

    #[test]
    fn a_text_without_an_end_of_its_last_line() {
        let expected =
            "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
        assert_eq!(unified("x", "a", "b"), expected);
        assert_eq!(unified("x", "same\n", "same\n"), "");
    }
}
