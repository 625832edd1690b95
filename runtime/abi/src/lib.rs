//! The hook ABI as data: the functions, structs and numbers that `runtime/include/fencehound_hooks.h` declares.
//!
//! That header is the one source of the types of hooks. The build scripts of the pass and of the runtime read it with
//! this crate: the pass builds its calls by these types, and the runtime is not compiled unless its definitions have
//! them. The header is written in a small part of C, which [`Header::parse`] reads after the C preprocessor; a
//! declaration outside that part fails the build.

pub mod members;
mod parse;

use std::path::Path;

/// The file name of the header.
const NAME: &str = "fencehound_hooks.h";

/// The declarations of the header.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Header {
    /// The functions, in the order of their declarations.
    pub hooks: Vec<Hook>,
    /// The structs, in the order of their declarations.
    pub structs: Vec<Struct>,
    /// The enumerators with their values, in the order of their declarations.
    pub numbers: Vec<(String, u32)>,
}

/// A function that the header declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hook {
    /// The name of the function.
    pub name: String,
    /// The type of the function's result.
    pub result: Type,
    /// The types of the function's parameters, in order.
    pub parameters: Vec<Type>,
}

/// A struct that the header declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Struct {
    /// The name of the struct, without the word `struct`.
    pub name: String,
    /// The fields of the struct, in order.
    pub fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name of the field.
    pub name: String,
    /// The type of the field, or, of an array, the type of its elements.
    pub kind: Type,
    /// The number of elements, if the field is an array.
    pub elements: Option<u32>,
}

/// A type of a parameter, a result or a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// No value; only a result can have this type.
    Void,
    /// An integer.
    Integer {
        /// The size of the integer in bytes.
        bytes: u32,
        /// Whether the integer is signed.
        is_signed: bool,
    },
    /// A pointer to a type.
    Pointer {
        /// The type that is pointed to, as C writes it: `void`, `struct fh_site`.
        to: String,
        /// Whether what is pointed to is `const`.
        is_constant: bool,
    },
    /// The struct with this name.
    Struct(String),
}

impl Header {
    /// Reads the header in a folder, as a build script: the C compiler preprocesses it, and Cargo is told to run the
    /// script again when it changes.
    ///
    /// # Errors
    /// Returns the C compiler's message, or the declaration that was not understood.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let header = folder.join(NAME);
        println!("cargo:rerun-if-changed={}", header.display());
        let text =
            cc::Build::new().file(&header).cargo_metadata(false).try_expand().map_err(|error| error.to_string())?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Parses the preprocessed header. Lines that come from included files, as the preprocessor's markers say, are left
    /// out.
    ///
    /// # Errors
    /// Returns the declaration that was not understood.
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

    /// Returns the struct with a name.
    #[must_use]
    pub fn find_struct(&self, name: &str) -> Option<&Struct> {
        self.structs.iter().find(|one| one.name == name)
    }
}
