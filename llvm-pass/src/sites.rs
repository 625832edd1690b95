//! Places in the source: what is known of the place of a hook, and the text of the variable that it accesses.

use std::iter::successors;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::ir::{Class, Function, Global, Layout, Location, Type, Value, compilation_folder, source_file};
use crate::objects::constant_offset;
use crate::shim;

/// A place in the source where a hook is called, from which a `struct fh_site` is made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Site {
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) expression: String,
    pub(crate) line: u32,
    pub(crate) column: u16,
    /// The calls through inlined functions, innermost first; empty if it is in none.
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

/// The name in the source of a variable. A static one of a function `f` is called `f.name`, and `f.name.1` if there are
/// two.
pub(crate) fn source_name(name: &str) -> &str {
    name.split('.').nth(1).unwrap_or(name)
}

/// Finds the sites of a module.
pub(crate) struct Places {
    module: LLVMModuleRef,
    layout: Layout,
    source_file: String,
    folder: Option<String>,
}

impl Places {
    /// Makes one for a module.
    pub(crate) fn new(module: LLVMModuleRef, layout: Layout) -> Self {
        Self { module, layout, source_file: source_file(module), folder: compilation_folder(module) }
    }

    /// The site of an instruction, which accesses what `pointer` points to, if it accesses something. It is the
    /// innermost place outside wrappers.
    pub(crate) fn site(&self, instruction: Value, pointer: Option<Value>) -> Site {
        let function = instruction.function().name();
        let locations: Vec<Location> = successors(instruction.location(), |location| location.call()).collect();
        let mut stack: Vec<Frame> = locations.iter().map(|location| self.frame(*location)).collect();
        match stack.last_mut() {
            Some(outermost) => outermost.function = function,
            None => {
                stack.push(Frame { file: self.source_file.clone(), function, line: 0, column: 0 });
            }
        }
        let wrapping = locations.iter().take_while(|location| shim::is_in_wrapper(self.module, **location)).count();
        let Frame { file, function, line, column } = stack[wrapping.min(stack.len() - 1)].clone();
        if stack.len() == 1 {
            stack.clear();
        }
        let expression = pointer.map(|pointer| self.expression(pointer)).unwrap_or_default();
        Site { file, function, expression, line, column, stack }
    }

    /// The frame that a location of the debug information stands for.
    fn frame(&self, location: Location) -> Frame {
        let (file, folder) = location.file();
        Frame {
            file: self.path(file, &folder),
            function: shim::function_name(location),
            line: location.line(),
            column: u16::try_from(location.column()).unwrap_or(0),
        }
    }

    /// The site of what a function declares: the place where the function itself is declared.
    pub(crate) fn of_function(&self, function: Value) -> Site {
        let place = Function(function).subprogram_file();
        Site {
            file: place.map_or_else(|| self.source_file.clone(), |(file, folder)| self.path(file, &folder)),
            function: function.name(),
            expression: String::new(),
            line: Function(function).subprogram_line(),
            column: 0,
            stack: Vec::new(),
        }
    }

    /// The path of a file of the debug information. Clang splits absolute paths at what they share with the folder of
    /// the compilation; they are joined again, so that the path can be opened from there.
    fn path(&self, file: String, folder: &str) -> String {
        if folder.is_empty() || file.starts_with('/') {
            return file;
        }
        let joined = format!("{}/{file}", folder.trim_end_matches('/'));
        if self.folder.as_deref() == Some(folder) && joined != self.source_file { file } else { joined }
    }

    /// The variable that a pointer points into, as the program writes it: `flag`, `flags[1]`; no fields, as line tables
    /// have no names of them. "" if the pointer is into no variable of the file's scope.
    fn expression(&self, pointer: Value) -> String {
        let (base, offset) = constant_offset(self.layout, pointer);
        if !base.is(Class::GlobalVariable) {
            return String::new();
        }
        let name = base.name();
        let name = source_name(&name).to_owned();
        let offset = offset.and_then(|offset| u64::try_from(offset).ok());
        offset.map_or_else(|| name.clone(), |offset| name.clone() + &self.elements(Global(base).value_type(), offset))
    }

    /// The indices of the array elements that a byte is in.
    fn elements(&self, mut kind: Type, mut offset: u64) -> String {
        let mut text = String::new();
        while kind.kind() == LLVMTypeKind::LLVMArrayTypeKind {
            kind = kind.element();
            let size = self.layout.allocated_size(kind);
            if size == 0 {
                break;
            }
            text += &format!("[{}]", offset / size);
            offset %= size;
        }
        text
    }
}
