//! The hook ABI as data: what `runtime/include/fencehound_hooks.h` declares.
//!
//! That header is the one source of the types of hooks. The build scripts of the pass and of the runtime read it by
//! this crate: the pass builds its calls by these types, and the runtime is not compiled unless its definitions have
//! them. The header is written in a small part of C, which [`Header::parse`] reads after the C preprocessor; what it does
//! not know fails the build.

pub mod members;
mod parse;

use std::path::Path;

/// The name of the header.
const NAME: &str = "fencehound_hooks.h";

/// All that the header declares.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Header {
    /// The functions, in order.
    pub hooks: Vec<Hook>,
    /// The structs, in order.
    pub structs: Vec<Struct>,
    /// The enumerators with their values, in order.
    pub numbers: Vec<(String, u32)>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hook {
    /// Its name.
    pub name: String,
    /// The type of its result.
    pub result: Type,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
}

/// A struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Struct {
    /// Its name, without `struct`.
    pub name: String,
    /// Its fields, in order.
    pub fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type, or that of its elements.
    pub kind: Type,
    /// The number of its elements, if it is an array.
    pub elements: Option<u32>,
}

/// A type of a parameter, a result or a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// No value: of results only.
    Void,
    /// An integer.
    Integer {
        /// Its size in bytes.
        bytes: u32,
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// A pointer to a type.
    Pointer {
        /// What it points to, as C writes it: `void`, `struct fh_site`.
        to: String,
        /// Whether it may only be read through it.
        is_constant: bool,
    },
    /// A struct of this name.
    Struct(String),
}

impl Header {
    /// Reads the header in a folder, in a build script: the C compiler preprocesses it.
    ///
    /// # Errors
    /// The declaration that was not understood.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let header = folder.join(NAME);
        println!("cargo:rerun-if-changed={}", header.display());
        let text =
            cc::Build::new().file(&header).cargo_metadata(false).try_expand().map_err(|error| error.to_string())?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Reads the preprocessed header. What its lines say to come from other files is left out.
    ///
    /// # Errors
    /// The declaration that was not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut own = String::new();
        let mut is_own = true;
        for line in text.lines() {
            match line.strip_prefix("# ") {
                Some(marker) => is_own = marker.contains(NAME),
                None if is_own => own.extend([line, "\n"]),
                None => {}
            }
        }
        parse::header(&own)
    }

    /// The struct of a name.
    #[must_use]
    pub fn find_struct(&self, name: &str) -> Option<&Struct> {
        self.structs.iter().find(|one| one.name == name)
    }
}
