//! The meanings that a user gives to inline assembly, in a file with lines `TEMPLATE => MEANING` (docs/inline-assembly.md).

use std::collections::BTreeMap;

use super::instructions::fence_of_riscv;
use super::notation::{as_llvm, statements};
use crate::abi::{FH_FENCE_INSTRUCTIONS, FH_FENCE_LOADS, FH_FENCE_STORES};

/// A user's explanation of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// `nothing`: the template does nothing.
    Nothing,
    /// `fence KIND`: the template is a fence, given by its number in the hook ABI.
    Fence(u32),
    /// `x86 TEXT`: the template does what this text does with the same operands; the text is in LLVM's notation.
    Like(String),
}

/// The explanations of templates, by their statements in LLVM's notation.
#[derive(Clone, Default, Debug)]
pub(crate) struct Templates {
    meanings: BTreeMap<Vec<String>, Meaning>,
}

impl Templates {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The number of the first line that is wrong, from 1, and what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut templates = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((template, meaning)) = line.rsplit_once("=>") else {
                return Err((number, "a line is `TEMPLATE => MEANING`".to_owned()));
            };
            let template = statements(&as_llvm(template));
            if template.is_empty() {
                return Err((number, "there is no template before `=>`".to_owned()));
            }
            let meaning = Self::meaning_of(meaning.trim()).map_err(|wrong| (number, wrong))?;
            if templates.meanings.insert(template, meaning).is_some() {
                return Err((number, "this template has a meaning already".to_owned()));
            }
        }
        Ok(templates)
    }

    fn meaning_of(text: &str) -> Result<Meaning, String> {
        let fence = |number| Ok(Meaning::Fence(number));
        match text.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["nothing"] => Ok(Meaning::Nothing),
            ["fence", "full"] => fence(5),
            ["fence", "lightweight"] => fence(4),
            ["fence", "stores"] => fence(FH_FENCE_STORES),
            ["fence", "loads"] => fence(FH_FENCE_LOADS),
            ["fence", "instructions"] => fence(FH_FENCE_INSTRUCTIONS),
            ["fence", pairs] if pairs.contains(',') => {
                let fence = fence_of_riscv(&format!("fence {pairs}"));
                fence
                    .map(Meaning::Fence)
                    .ok_or_else(|| format!("`{pairs}` is no pair of sets of r and w, such as `rw,w`"))
            }
            ["x86", _, ..] => Ok(Meaning::Like(as_llvm(text.trim_start_matches("x86")))),
            _ => Err(format!(
                "unknown meaning `{text}`: it is `nothing`, `fence full`, `fence lightweight`, `fence stores`, `fence \
                 loads`, `fence instructions`, `fence rw,w` and its like, or `x86` and instructions"
            )),
        }
    }

    /// Returns the user's explanation of a template with these statements.
    pub(crate) fn meaning(&self, statements: &[String]) -> Option<&Meaning> {
        self.meanings.get(statements)
    }
}

#[cfg(test)]
mod tests {
    use super::{Meaning, Templates};
    use crate::abi::{FH_FENCE_PAIRS, FH_FENCE_READ_READ};
    use crate::assembly::notation::statements;

    #[test]
    fn templates_are_found_however_they_are_spaced() {
        let text = "# ours\nyield => nothing\nldr %w0, %1 => x86 movl %1, %0\ndmb  osh=>fence full\nf => fence r,r\n";
        let templates = Templates::parse(text).unwrap();
        assert_eq!(templates.meaning(&statements("yield\n")), Some(&Meaning::Nothing));
        assert_eq!(templates.meaning(&statements("dmb osh")), Some(&Meaning::Fence(5)));
        assert_eq!(templates.meaning(&statements("f")), Some(&Meaning::Fence(FH_FENCE_PAIRS | FH_FENCE_READ_READ)));
        let load = templates.meaning(&statements("ldr ${0:w},  $1"));
        assert!(matches!(load, Some(Meaning::Like(text)) if text.trim() == "movl $1, $0"), "{load:?}");
        assert_eq!(templates.meaning(&statements("isb")), None);
    }

    #[test]
    fn bad_lines_are_refused_by_number() {
        for (text, line, words) in [
            ("yield", 1, "TEMPLATE => MEANING"),
            ("\n\nyield => noting", 3, "unknown meaning `noting`"),
            ("a => nothing\na => fence full", 2, "already"),
            (" => nothing", 1, "no template"),
            ("a => x86", 1, "unknown meaning"),
            ("a => fence r,x", 1, "no pair of sets"),
        ] {
            let (number, wrong) = Templates::parse(text).unwrap_err();
            assert_eq!(number, line, "{text}");
            assert!(wrong.contains(words), "{wrong}");
        }
    }
}
