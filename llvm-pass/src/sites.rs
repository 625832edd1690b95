//! Places in the source: where a hook is called, and the text of the variable that it accesses.

use std::collections::HashSet;
use std::iter::successors;

use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::expressions::{Expressions, Object};
use crate::ir::{Function, Layout, Location, Value, compilation_folder, source_file};
use crate::shim::{self, Moved, Subprogram};
use crate::types::Types;

/// A place in the source where a hook is called, from which a `struct fh_site` is made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Site {
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) expression: String,
    /// The object that is accessed, and by how many bytes the access is into it.
    pub(crate) object: Option<(Object, u64)>,
    pub(crate) line: u32,
    pub(crate) column: u16,
    /// The calls through inlined functions, innermost first; empty if the place is in none.
    pub(crate) stack: Vec<Frame>,
}

/// A place in a function, from which a `struct fh_frame` is made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) line: u32,
    pub(crate) column: u16,
}

/// The finder of a module's sites.
pub(crate) struct Places {
    wrappers: HashSet<Subprogram>,
    /// The functions that were moved to hand results to local variables: their places are as if they were called.
    results: HashSet<Subprogram>,
    expressions: Expressions,
    source_file: String,
    folder: Option<String>,
    /// The folder of the compilation without symbolic links; none if the debug information names another folder, as it does where
    /// prefixes are mapped.
    here: Option<String>,
}

impl Places {
    /// Makes a finder for a module.
    pub(crate) fn new(module: LLVMModuleRef, layout: Layout) -> Self {
        let expressions = Expressions::new(Types::of(module), layout);
        let folder = compilation_folder(module);
        let here = folder.as_deref().and_then(working_folder);
        let [wrappers, results] = [Moved::Wrapper, Moved::Results].map(|why| shim::moved(module, why));
        Self { wrappers, results, expressions, source_file: source_file(module), folder, here }
    }

    /// Returns the site of an instruction: the innermost place outside wrappers. If the instruction accesses something,
    /// `accessed` is the pointer, and how many bytes it accesses there.
    pub(crate) fn site(&self, instruction: Value, accessed: Option<(Value, u64)>) -> Site {
        let mut function = instruction.function().name();
        let mut locations: Vec<Location> = successors(instruction.location(), |location| location.call()).collect();
        let called = locations.iter().position(|location| self.results.contains(&shim::subprogram(*location)));
        if let Some(called) = called {
            locations.truncate(called + 1);
            function = shim::function_name(locations[called]);
        }
        let mut stack: Vec<Frame> = locations.iter().map(|location| self.frame(*location)).collect();
        match stack.last_mut() {
            Some(outermost) => outermost.function = function,
            None => {
                stack.push(Frame { file: self.source_file.clone(), function, line: 0, column: 0 });
            }
        }
        let wrapping =
            locations.iter().take_while(|location| self.wrappers.contains(&shim::subprogram(**location))).count();
        let Frame { file, function, line, column } = stack[wrapping.min(stack.len() - 1)].clone();
        if stack.len() == 1 {
            stack.clear();
        }
        let expression = accessed.map(|(pointer, width)| self.expressions.of(pointer, width)).unwrap_or_default();
        let object = accessed.and_then(|(pointer, _)| self.expressions.object(pointer));
        Site { file, function, expression, object, line, column, stack }
    }

    /// Returns the frame that a location of the debug information stands for.
    fn frame(&self, location: Location) -> Frame {
        let (file, folder) = location.file();
        Frame {
            file: self.path(file, &folder),
            function: shim::function_name(location),
            line: location.line(),
            column: u16::try_from(location.column()).unwrap_or(0),
        }
    }

    /// Returns the site of what a function declares: the place where the function itself is declared.
    pub(crate) fn of_function(&self, function: Value) -> Site {
        let place = Function(function).subprogram_file();
        Site {
            file: place.map_or_else(|| self.source_file.clone(), |(file, folder)| self.path(file, &folder)),
            function: function.name(),
            expression: String::new(),
            object: None,
            line: Function(function).subprogram_line(),
            column: 0,
            stack: Vec::new(),
        }
    }

    /// Returns the path of a file of the debug information. Clang splits absolute paths at what they share with the folder of the
    /// compilation; they are joined again, so that the path can be opened from there. A path that was given relative stands
    /// behind that folder and `/./`: so it can be opened from everywhere, and what was given is known.
    fn path(&self, file: String, folder: &str) -> String {
        if folder.is_empty() || file.starts_with('/') {
            return file;
        }
        let joined = format!("{}/{file}", folder.trim_end_matches('/'));
        if self.folder.as_deref() != Some(folder) || joined == self.source_file {
            return joined;
        }
        self.here.as_ref().map_or_else(|| file.clone(), |here| format!("{}/./{file}", here.trim_end_matches('/')))
    }
}

/// Returns the folder that the compiler runs in, if `folder` is that one.
fn working_folder(folder: &str) -> Option<String> {
    let here = std::env::current_dir().and_then(std::fs::canonicalize).ok()?;
    let is_it = std::fs::canonicalize(folder).is_ok_and(|folder| folder == here);
    here.to_str().filter(|_| is_it && folder.starts_with('/')).map(str::to_owned)
}
