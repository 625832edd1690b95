//! The members of variables and types: which member stands at an offset, written as a C program names it.
//!
//! The pass takes them from the debug information and hands them to the runtime as text (`members` of
//! `struct fh_object` and `struct fh_variable`): a number of four bytes is `n4`, a pointer `p`, an array of two pointers
//! `[2*8 p]` (its elements are eight bytes apart; the count is 0 if it is not known), and a struct with a counter and
//! that array `{0 count n4,8 slots [2*8 p],}`. A member without a name is called `-`; the members of a union have the
//! same offset.

/// Returns the element or member that an access of `width` bytes (at least 1) is to, `offset` bytes into an object with
/// these members: `.slots[1]`.
///
/// That is the element or member to which the first byte belongs, down to a number or a pointer, but an array or a
/// struct as a whole where the access begins with it and goes beyond its first element or member. Reserved names, which
/// the C library's types have, are left out. Returns `None` if no member stands there (between members), or if
/// `members` is not such a text.
#[must_use]
pub fn path(members: &str, offset: u64, width: u64) -> Option<String> {
    find(members, Bytes { offset, width: Some(width) })
}

/// Returns the element or member that begins `offset` bytes into an object with these members, which is what a pointer
/// there points to: the largest if several begin there, and an element rather than its array. Returns `None` if nothing
/// begins there.
#[must_use]
pub fn beginning(members: &str, offset: u64) -> Option<String> {
    find(members, Bytes { offset, width: None })
}

/// Returns the path to the element or member that holds the bytes.
fn find(members: &str, bytes: Bytes) -> Option<String> {
    let mut path = String::new();
    let mut reader = Reader { rest: members };
    (reader.find(Some(bytes), &mut path)? != Holds::Nothing).then_some(path)
}

/// The bytes that are looked for, within a type.
#[derive(Clone, Copy)]
struct Bytes {
    offset: u64,
    /// The number of bytes; `None` looks for the beginning of an element or member, whatever its size.
    width: Option<u64>,
}

/// The part of the bytes that are looked for that a type holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The type holds none of the bytes.
    Nothing,
    /// The type holds the first byte, but not all of them.
    First,
    /// The type holds all bytes.
    All,
}

/// A reader of a text of members, which holds what has not been read yet.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// Reads a type and returns how many of the bytes it holds; `bytes` is `None` if none of them can be in it. The
    /// path from the type to the bytes is appended to `path`. Returns `None` if the text is malformed.
    fn find(&mut self, bytes: Option<Bytes>, path: &mut String) -> Option<Holds> {
        if self.takes('p') {
            return Some(held(bytes, 8));
        }
        if self.takes('n') {
            return Some(held(bytes, self.number()?));
        }
        if self.takes('[') {
            return self.find_element(bytes, path);
        }
        self.takes('{').then_some(())?;
        self.find_member(bytes, path)
    }

    /// Reads the rest of an array type, as [`Self::find`] does: looks into the element that holds the first byte.
    fn find_element(&mut self, bytes: Option<Bytes>, path: &mut String) -> Option<Holds> {
        let count = self.number()?;
        self.takes('*').then_some(())?;
        let distance = self.number()?.max(1);
        self.takes(' ').then_some(())?;
        let bytes = bytes.filter(|bytes| count == 0 || bytes.offset / distance < count);
        let mut within = path.clone();
        if let Some(bytes) = bytes {
            within += &format!("[{}]", bytes.offset / distance);
        }
        let element = bytes.map(|bytes| Bytes { offset: bytes.offset % distance, ..bytes });
        let holds = self.find(element, &mut within)?;
        let is_pointed_to = bytes.is_some_and(|bytes| bytes.width.is_none());
        if is_pointed_to || !is_whole(bytes, holds) {
            *path = within;
        }
        self.takes(']').then_some(holds)
    }

    /// Reads the rest of a struct or union type, as [`Self::find`] does: takes the first member that holds all bytes,
    /// or else the first one that holds the first byte.
    fn find_member(&mut self, bytes: Option<Bytes>, path: &mut String) -> Option<Holds> {
        let (mut holds, mut found) = (Holds::Nothing, path.clone());
        while !self.takes('}') {
            let begins = self.number()?;
            self.takes(' ').then_some(())?;
            let (name, rest) = self.rest.split_once(' ')?;
            self.rest = rest;
            let mut within = path.clone();
            if !is_reserved(name) {
                within.push('.');
                within += name;
            }
            let inner = bytes.and_then(|bytes| Some(Bytes { offset: bytes.offset.checked_sub(begins)?, ..bytes }));
            let member = self.find(inner, &mut within)?;
            if member == Holds::All && holds != Holds::All || member == Holds::First && holds == Holds::Nothing {
                (holds, found) = (member, within);
            }
            self.takes(',').then_some(())?;
        }
        if !is_whole(bytes, holds) {
            *path = found;
        }
        Some(holds)
    }

    /// Reads a letter if it comes next, and returns whether it does.
    fn takes(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads a decimal number.
    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.len() - self.rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        number.parse().ok()
    }
}

/// Returns how much of the bytes a number or pointer of `size` bytes holds.
fn held(bytes: Option<Bytes>, size: u64) -> Holds {
    match bytes {
        Some(Bytes { offset: 0, width: None }) => Holds::First,
        Some(Bytes { offset, width: Some(width) }) if offset < size && width <= size - offset => Holds::All,
        Some(Bytes { offset, width: Some(_) }) if offset < size => Holds::First,
        _ => Holds::Nothing,
    }
}

/// Whether the bytes begin where a whole does, of which a part holds the first byte only: then the access is to the
/// whole.
fn is_whole(bytes: Option<Bytes>, part: Holds) -> bool {
    part == Holds::First && bytes.is_some_and(|bytes| bytes.offset == 0)
}

/// Whether a member's name is reserved for the compiler and the C library, or is missing.
fn is_reserved(name: &str) -> bool {
    let mut letters = name.chars();
    match letters.next() {
        Some('_') => letters.next().is_some_and(|second| second == '_' || second.is_ascii_uppercase()),
        Some('-') => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{beginning, path};

    /// `struct { int head; char pad[60]; struct { int seq; long value; } slots[4]; union { int i; char *s; }; int tail[]; }`
    const RING: &str =
        "{0 head n4,4 pad [60*1 n1],64 slots [4*16 {0 seq n4,8 value n8,}],128 - {0 i n4,0 s p,},136 tail [0*4 n4],}";

    #[test]
    fn bytes_have_the_names_of_their_members() {
        let named = |offset| path(RING, offset, 1).unwrap_or_default();
        assert_eq!(named(0), ".head");
        assert_eq!(named(3), ".head");
        assert_eq!(named(63), ".pad[59]");
        assert_eq!(named(64 + 3 * 16 + 8), ".slots[3].value");
        assert_eq!(named(128), ".i");
        assert_eq!(named(132), ".s");
        assert_eq!(named(136 + 40), ".tail[10]");
    }

    #[test]
    fn bytes_between_members_have_none() {
        assert_eq!(path(RING, 64 + 4, 1), None);
        assert_eq!(path("n4", 4, 1), None);
        assert_eq!(path("[2*4 n4]", 8, 4), None);
        assert_eq!(path("n4", 2, 1).as_deref(), Some(""));
        assert_eq!(path("[2*8 [2*4 n4]]", 12, 4).as_deref(), Some("[1][1]"));
    }

    #[test]
    fn an_access_to_more_than_a_member_is_to_the_whole_that_begins_there() {
        let named = |offset, width| path(RING, offset, width);
        assert_eq!(named(0, 4).as_deref(), Some(".head"));
        assert_eq!(named(0, 8).as_deref(), Some(""));
        assert_eq!(named(4, 8).as_deref(), Some(".pad"));
        assert_eq!(named(64, 16).as_deref(), Some(".slots"));
        assert_eq!(named(80, 8).as_deref(), Some(".slots[1]"));
        assert_eq!(named(128, 4).as_deref(), Some(".i"));
        assert_eq!(named(128, 8).as_deref(), Some(".s"));
    }

    #[test]
    fn pointers_point_to_the_largest_that_begins_there() {
        let named = |offset| beginning(RING, offset);
        assert_eq!(named(0).as_deref(), Some(""));
        assert_eq!(named(4).as_deref(), Some(".pad[0]"));
        assert_eq!(named(80).as_deref(), Some(".slots[1]"));
        assert_eq!(named(88).as_deref(), Some(".slots[1].value"));
        assert_eq!(named(89), None);
    }

    #[test]
    fn members_of_the_c_library_are_not_named() {
        let mutex = "{0 lock {0 __data {0 __lock n4,4 __count n4,},0 __size [40*1 n1],},40 flag {0 _Value n1,},}";
        assert_eq!(path(mutex, 0, 4).as_deref(), Some(".lock"));
        assert_eq!(path(mutex, 40, 1).as_deref(), Some(".flag"));
    }

    #[test]
    fn other_text_has_no_members() {
        for text in ["", "x", "{", "{0 a n4", "[3*", "n", "{0}", "[2*4 n4", "{99999999999999999999 a n4,}"] {
            assert_eq!(path(text, 0, 1), None, "{text}");
        }
    }
}
