//! The event log: JSON lines, one event a line, in the order of the execution. `check --record` writes it, `monitor`
//! reads it, and so may other tools; a line outside the format described here is refused.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::place::Frame;

/// The version of the format, which stands under the key `log` of a header.
pub const FORMAT: u32 = 1;

/// The action of an event: the key `op`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// A load.
    Ld,
    /// A store.
    St,
    /// A read-modify-write.
    Rmw,
    /// A compare-and-swap that succeeded: a read-modify-write that would not have written, had it read something else.
    Cas,
    /// A compare-and-swap that failed: a load that drains what a read-modify-write drains.
    CasFail,
    /// A read-modify-write that waits until it can be made, as the lock of a spin lock does: it overtakes nothing, and
    /// what it writes waits in the store buffer as a store does.
    Await,
    /// A full fence.
    Fence,
    /// A store–store barrier.
    Stbar,
    /// The beginning of a transaction.
    Begin,
    /// The end of a transaction.
    End,
    /// The creation of a thread, `child`.
    Fork,
    /// The wait for the end of a thread, `child`.
    Join,
    /// The oldest store of the thread that has not reached memory reaches it.
    Commit,
}

impl Op {
    /// Whether an event with this action has an address.
    #[must_use]
    pub const fn has_address(self) -> bool {
        matches!(self, Self::Ld | Self::St | Self::Rmw | Self::Cas | Self::CasFail | Self::Await | Self::Commit)
    }

    /// Whether an event with this action names another thread, its child.
    #[must_use]
    pub const fn has_child(self) -> bool {
        matches!(self, Self::Fork | Self::Join)
    }
}

/// The memory that an access is to: the address of its first byte, or a variable under any name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Address<'a> {
    /// An address in memory: a number, or a string of `0x` and hexadecimal digits.
    Number(u64),
    /// A name. Different names are different memory, and none of them is the memory of any number.
    Name(Cow<'a, str>),
}

impl Serialize for Address<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Name(name) => serializer.serialize_str(name),
        }
    }
}

/// The reader of an [`Address`], which borrows names where it can.
struct AddressVisitor;

/// Returns the number that a name spells, if it is `0x` and hexadecimal digits.
fn hexadecimal(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("0x")?;
    let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if plain { u64::from_str_radix(digits, 16).ok() } else { None }
}

impl<'de> Visitor<'de> for AddressVisitor {
    type Value = Address<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an address or a name")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Address::Number(number))
    }

    fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(hexadecimal(name).map_or(Address::Name(Cow::Borrowed(name)), Address::Number))
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(hexadecimal(name).map_or_else(|| Address::Name(Cow::Owned(name.to_owned())), Address::Number))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Address<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AddressVisitor)
    }
}

/// The line with which an execution begins; the first execution of a log may have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Header {
    /// The number of threads, if it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// The version of the format, [`FORMAT`].
    pub log: u32,
    /// Whether the execution does not count, since it repeats another one but for iterations of wait loops without
    /// effect.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
}

/// The line of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Event<'a> {
    /// The thread's number, from 1.
    pub t: u32,
    /// The action.
    pub op: Op,
    /// The memory that is accessed; `None` unless the event is an access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Address<'a>>,
    /// The bytes that are accessed, at least 1; the whole location if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub w: Option<u32>,
    /// The thread created or waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<u32>,
    /// The place in the source: `file:line`, or `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loc: Option<Cow<'a, str>>,
    /// The calls through inlined functions, innermost first, each in the form of [`stack_entry`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Cow<'a, str>>,
    /// The name of the variable, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
}

/// A line of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// The beginning of another execution.
    Header(Header),
    /// An event.
    Event(Event<'a>),
}

/// A text that is borrowed from the line where its JSON has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The keys of a line, whether it is a header or an event.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys<'a> {
    t: Option<u32>,
    op: Option<Op>,
    #[serde(default, borrow)]
    a: Option<Address<'a>>,
    w: Option<u32>,
    child: Option<u32>,
    #[serde(default, borrow)]
    loc: Option<Text<'a>>,
    #[serde(default, borrow)]
    stack: Vec<Text<'a>>,
    #[serde(default, borrow)]
    name: Option<Text<'a>>,
    threads: Option<u32>,
    log: Option<u32>,
    repeats: Option<bool>,
}

impl Header {
    /// Returns the header's line, without its end.
    ///
    /// # Panics
    /// Never: a header is plain data.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }
}

impl Event<'_> {
    /// Returns the event's line, without its end.
    ///
    /// # Panics
    /// Never: an event is plain data.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }
}

impl<'a> Line<'a> {
    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// Returns what is wrong with the line, in words.
    pub fn read(text: &'a [u8]) -> Result<Self, String> {
        // serde would also accept an array of the values.
        if !text.trim_ascii_start().starts_with(b"{") {
            return Err("no JSON object".to_owned());
        }
        let keys: Keys<'a> = serde_json::from_slice(text).map_err(|error| in_words(&error))?;
        if let Some(log) = keys.log {
            return header(&keys, log).map(Line::Header);
        }
        if keys.threads.is_some() || keys.repeats.is_some() {
            return Err("a header without the version of the format, `log`".to_owned());
        }
        event(keys).map(Line::Event)
    }
}

/// Makes a header of the keys of a line, of which `log` is the version of the format.
fn header(keys: &Keys<'_>, log: u32) -> Result<Header, String> {
    if log != FORMAT {
        return Err(format!("format {log} of the log is not known, {FORMAT} is"));
    }
    let others = keys.op.is_some() || keys.t.is_some() || keys.w.is_some() || keys.child.is_some();
    let others = others || !keys.stack.is_empty();
    if others || keys.a.is_some() || keys.loc.is_some() || keys.name.is_some() {
        return Err("a header with the keys of an event".to_owned());
    }
    if keys.threads == Some(0) {
        return Err("there is at least one thread".to_owned());
    }
    Ok(Header { threads: keys.threads, log, repeats: keys.repeats.unwrap_or(false) })
}

/// Makes an event of the keys of a line.
fn event(keys: Keys<'_>) -> Result<Event<'_>, String> {
    let missing = |key: &str| format!("`{key}` is missing");
    let op = keys.op.ok_or_else(|| missing("op"))?;
    let t = keys.t.ok_or_else(|| missing("t"))?;
    let numbered = t > 0 && keys.child != Some(0);
    if !numbered {
        return Err("threads are numbered from 1".to_owned());
    }
    match (op.has_address(), &keys.a) {
        (true, None) => return Err(missing("a")),
        (false, Some(_)) => return Err("an address where there is no access".to_owned()),
        _ => {}
    }
    match (op.has_child(), keys.child) {
        (true, None) => return Err(missing("child")),
        (false, Some(_)) => return Err("`child` goes with fork and join".to_owned()),
        _ => {}
    }
    if keys.w.is_some() && !op.has_address() {
        return Err("a width where there is no access".to_owned());
    }
    if keys.w == Some(0) {
        return Err("an access has at least one byte".to_owned());
    }
    let loc = keys.loc.map(|text| text.0);
    if loc.as_deref().is_some_and(|loc| place(loc).is_none()) {
        return Err("`loc` is file:line".to_owned());
    }
    let stack: Vec<Cow<'_, str>> = keys.stack.into_iter().map(|text| text.0).collect();
    if !stack.is_empty() && loc.is_none() {
        return Err("`stack` goes with `loc`".to_owned());
    }
    if stack.iter().any(|entry| frame(entry).is_none()) {
        return Err("an entry of `stack` is `function at file:line`".to_owned());
    }
    Ok(Event { t, op, a: keys.a, w: keys.w, child: keys.child, loc, stack, name: keys.name.map(|text| text.0) })
}

/// Says what is wrong, without serde's own line number, which is always 1.
fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.split(" at line ").next().unwrap_or(&text);
    if error.is_syntax() || error.is_eof() {
        format!("no JSON: {words} in column {}", error.column())
    } else {
        words.to_owned()
    }
}

/// Returns the file, line and column of a `loc`; the column is 0 if there is none.
#[must_use]
pub fn place(loc: &str) -> Option<(&str, u32, u32)> {
    let number = |text: &str| if text.bytes().all(|digit| digit.is_ascii_digit()) { text.parse().ok() } else { None };
    let (rest, last) = loc.rsplit_once(':')?;
    let last: u32 = number(last)?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
        Some((file, line)) => Some((file, line, last)),
        None => Some((rest, last, 0)),
    }
}

/// Writes a frame as an entry of a `stack`: `function at file:line`, or `function at file:line:column`.
#[must_use]
pub fn stack_entry(frame: &Frame) -> String {
    let column = if frame.column > 0 { format!(":{}", frame.column) } else { String::new() };
    format!("{} at {}:{}{column}", frame.function, frame.file, frame.line)
}

/// Returns the frame that an entry of a `stack` denotes.
#[must_use]
pub fn frame(entry: &str) -> Option<Frame> {
    let (function, loc) = entry.split_once(" at ")?;
    let (file, line, column) = place(loc)?;
    Some(Frame { function: function.to_owned(), file: file.to_owned(), line, column })
}

#[cfg(test)]
mod tests {
    use super::{Address, Event, Line, Op, place};

    fn wrong(text: &str) -> String {
        Line::read(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn the_lines_of_the_contract() {
        let Ok(Line::Event(event)) = Line::read(br#"{"t":1,"op":"st","a":"x","loc":"sb.c:7"}"#) else { panic!() };
        assert_eq!((event.t, event.op, event.loc.as_deref()), (1, Op::St, Some("sb.c:7")));
        assert_eq!(event.a, Some(Address::Name("x".into())));
        assert_eq!((event.w, event.child), (None, None));
        let Ok(Line::Header(header)) = Line::read(br#"{"threads":2,"log":1}"#) else { panic!() };
        assert_eq!((header.threads, header.log, header.repeats), (Some(2), 1, false));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in [
            r#"{"t":1,"op":"cas-fail","a":18446744073709551615,"w":4,"loc":"a b:c:7:2","name":"x"}"#,
            r#"{"t":255,"op":"fork","child":2}"#,
            r#"{"t":1,"op":"ld","a":"x","loc":"a.c:9:3","stack":["ld at w at.h:2:5","f at a.c:9:3"]}"#,
            r#"{"t":1,"op":"st","a":"a \"quoted\" name"}"#,
            r#"{"threads":3,"log":1,"repeats":true}"#,
            r#"{"log":1}"#,
        ] {
            let written = match Line::read(text.as_bytes()).unwrap() {
                Line::Event(event) => event.text(),
                Line::Header(header) => header.text(),
            };
            assert_eq!(written, text);
        }
    }

    #[test]
    fn addresses_are_numbers_hexadecimal_or_not() {
        let address = |a: &str| {
            let text = format!(r#"{{"t":1,"op":"ld","a":{a}}}"#);
            match Line::read(text.as_bytes()) {
                Ok(Line::Event(Event { a: Some(Address::Number(number)), .. })) => Address::Number(number),
                Ok(Line::Event(Event { a: Some(Address::Name(name)), .. })) => Address::Name(name.into_owned().into()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(address("16"), address(r#""0x10""#));
        assert_eq!(address(r#""0xfg""#), Address::Name("0xfg".into()));
        assert_eq!(address(r#""16""#), Address::Name("16".into()));
        assert_eq!(address(r#""0x""#), Address::Name("0x".into()));
    }

    #[test]
    fn wrong_lines_say_what_is_wrong() {
        assert_eq!(wrong(""), "no JSON object");
        assert_eq!(wrong(r#"[1,"fence"]"#), "no JSON object");
        assert!(wrong(r#"{"t":1,"op":"ld","a":"x""#).starts_with("no JSON: EOF"));
        assert!(wrong(r#"{"t":1,"op":"load","a":"x"}"#).starts_with("unknown variant `load`, expected one of `ld`"));
        assert!(wrong(r#"{"t":1,"op":"ld","a":"x","v":1}"#).starts_with("unknown field `v`, expected one of"));
        assert!(wrong(r#"{"t":1,"t":2,"op":"ld","a":"x"}"#).starts_with("duplicate field `t`"));
        assert!(wrong(r#"{"t":1,"op":"ld","a":-1}"#).contains("expected an address or a name"));
        assert!(wrong(r#"{"t":1.5,"op":"fence"}"#).contains("expected u32"));
        assert_eq!(wrong(r#"{"op":"fence"}"#), "`t` is missing");
        assert_eq!(wrong(r#"{"t":1}"#), "`op` is missing");
        assert_eq!(wrong(r#"{"t":0,"op":"fence"}"#), "threads are numbered from 1");
        assert_eq!(wrong(r#"{"t":1,"op":"fork","child":0}"#), "threads are numbered from 1");
        assert_eq!(wrong(r#"{"t":1,"op":"ld"}"#), "`a` is missing");
        assert_eq!(wrong(r#"{"t":1,"op":"fence","a":"x"}"#), "an address where there is no access");
        assert_eq!(wrong(r#"{"t":1,"op":"fence","w":4}"#), "a width where there is no access");
        assert_eq!(wrong(r#"{"t":1,"op":"ld","a":"x","w":0}"#), "an access has at least one byte");
        assert_eq!(wrong(r#"{"t":1,"op":"join"}"#), "`child` is missing");
        assert_eq!(wrong(r#"{"t":1,"op":"ld","a":"x","child":2}"#), "`child` goes with fork and join");
        assert_eq!(wrong(r#"{"t":1,"op":"ld","a":"x","loc":"sb.c"}"#), "`loc` is file:line");
        assert_eq!(wrong(r#"{"t":1,"op":"ld","a":"x","stack":["f at a.c:1"]}"#), "`stack` goes with `loc`");
        assert_eq!(
            wrong(r#"{"t":1,"op":"ld","a":"x","loc":"a.c:1","stack":["a.c:1"]}"#),
            "an entry of `stack` is `function at file:line`"
        );
        assert_eq!(wrong(r#"{"log":2}"#), "format 2 of the log is not known, 1 is");
        assert_eq!(wrong(r#"{"log":1,"t":1}"#), "a header with the keys of an event");
        assert_eq!(wrong(r#"{"log":1,"threads":0}"#), "there is at least one thread");
        assert_eq!(wrong(r#"{"threads":2}"#), "a header without the version of the format, `log`");
    }

    #[test]
    fn places() {
        assert_eq!(place("sb.c:7"), Some(("sb.c", 7, 0)));
        assert_eq!(place("a:b.c:7:12"), Some(("a:b.c", 7, 12)));
        assert_eq!(place("c:/a.c:7"), Some(("c:/a.c", 7, 0)));
        assert_eq!(place("sb.c"), None);
        assert_eq!(place("sb.c:+7"), None);
        assert_eq!(place("sb.c:"), None);
    }
}
