//! Splits the file into its events, in chunks of any size.
//!
//! ```text
//! [ {event}, {event}, …                                   the end of the array may be missing
//! { "traceEvents": [ {event}, … ], "otherData": {…}, … }
//! {event} {event} …                                      one on each line, with or without commas
//! ```
//! A program that starts again may append another such array or object. The array before it may have no end. Lists of
//! events may contain other lists.

use crate::json::{Fields, Scan, unescape};

/// The maximum size of a first object that is an event, bytes. A larger first object contains the events.
const MOST_FIRST: usize = 64 << 10;

/// A part of the file.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Part<'a> {
    /// An element of the array of events.
    Event(&'a [u8]),
    /// Any other member of the outermost object.
    Member(&'a str, &'a [u8]),
    /// Bytes that are neither.
    Junk(&'a [u8]),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Start,
    /// In the first object, which is an event or contains the events.
    First,
    /// Among the members of the outermost object.
    Object,
    /// In the key of a member.
    Key,
    /// After a key.
    Colon,
    /// In the value of a member.
    Member,
    /// Between events.
    Events,
    /// In an event.
    Event,
    /// After the `[` of another list of events, or of an element that is a list.
    List,
    End,
}

/// Splits a file into [`Part`]s.
#[derive(Debug)]
pub(super) struct Splitter {
    state: State,
    scan: Scan,
    /// The incomplete part.
    held: Vec<u8>,
    key: String,
    in_object: bool,
    /// The number of open lists inside the list of events.
    lists: u32,
    /// Whether the array of events was found.
    pub found_events: bool,
}

impl Splitter {
    pub fn new() -> Self {
        Self {
            state: State::Start,
            scan: Scan::default(),
            held: Vec::new(),
            key: String::new(),
            in_object: false,
            lists: 0,
            found_events: false,
        }
    }

    /// Processes the next bytes and passes on each part that ends in them.
    pub fn feed<E>(
        &mut self,
        piece: &[u8],
        mut take: impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut at = 0;
        while at < piece.len() {
            at += self.step(&piece[at..], &mut take)?;
        }
        Ok(())
    }

    /// Processes some of the next bytes. Returns how many.
    fn step<E>(
        &mut self,
        rest: &[u8],
        take: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<usize, E> {
        match self.state {
            State::First => self.first(rest, take),
            State::Key | State::Member | State::Event => self.inside(rest, take),
            _ => self.between(rest[0], rest, take),
        }
    }

    /// Passes on what is left of a file that ends in its first object.
    pub fn finish<E>(&mut self, mut take: impl FnMut(Part<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.state == State::First {
            self.members(&mut take)?;
        }
        Ok(())
    }

    /// Continues the first object. Returns how many bytes of `rest` belong to it.
    fn first<E>(
        &mut self,
        rest: &[u8],
        take: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<usize, E> {
        // Not more than is needed to see that it is too large for an event.
        let most = MOST_FIRST + 1 - self.held.len().min(MOST_FIRST);
        let rest = &rest[..rest.len().min(most)];
        let end = self.scan.value_end(rest);
        let length = end.unwrap_or(rest.len());
        self.held.extend_from_slice(&rest[..length]);
        let is_small = self.held.len() <= MOST_FIRST;
        if end.is_some() && is_small && is_event(&self.held) {
            let event = std::mem::take(&mut self.held);
            self.events();
            take(Part::Event(&event))?;
        } else if end.is_some() || !is_small {
            self.members(take)?;
        }
        Ok(length)
    }

    /// Splits the first object into its members. It is not an event.
    fn members<E>(&mut self, take: &mut impl FnMut(Part<'_>) -> Result<(), E>) -> Result<(), E> {
        let held = std::mem::take(&mut self.held);
        self.in_object = true;
        self.state = State::Object;
        let mut rest = held.get(1..).unwrap_or(b"");
        while !rest.is_empty() {
            let length = self.step(rest, take)?;
            rest = &rest[length..];
        }
        Ok(())
    }

    /// Whether the file is an array of events, without an object around it.
    pub fn is_array(&self) -> bool {
        self.found_events && !self.in_object
    }

    /// Whether the file ends inside a part.
    pub fn is_torn(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether the file ends before the end of its outermost object. An array needs no end.
    pub fn lacks_its_end(&self) -> bool {
        self.in_object && self.state != State::End
    }

    /// Continues a part. Returns how many bytes of `rest` belong to it.
    fn inside<E>(
        &mut self,
        rest: &[u8],
        take: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let Some(end) = self.scan.value_end(rest) else {
            self.held.extend_from_slice(rest);
            return Ok(rest.len());
        };
        let held = std::mem::take(&mut self.held);
        let whole = if held.is_empty() {
            std::borrow::Cow::Borrowed(&rest[..end])
        } else {
            [&held, &rest[..end]].concat().into()
        };
        self.part(&whole, take)?;
        // A byte that cannot belong to any value is skipped. Otherwise this would loop forever.
        Ok(end.max(usize::from(whole.is_empty())))
    }

    fn part<E>(
        &mut self,
        whole: &[u8],
        take: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.state {
            State::Key => {
                let inside = whole.get(1..whole.len().saturating_sub(1)).unwrap_or(b"");
                self.key = String::from_utf8_lossy(&unescape(inside)).into_owned();
                self.state = State::Colon;
                Ok(())
            }
            State::Member => {
                self.state = State::Object;
                take(Part::Member(&self.key, whole))
            }
            _ => {
                self.state = State::Events;
                match whole.first() {
                    Some(b'{') => take(Part::Event(whole)),
                    _ => take(Part::Junk(whole)),
                }
            }
        }
    }

    /// Processes the text between parts. Returns how many bytes are finished.
    fn between<E>(
        &mut self,
        byte: u8,
        rest: &[u8],
        take: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<usize, E> {
        if byte.is_ascii_whitespace() {
            return Ok(1);
        }
        let begin = |splitter: &mut Self, state| {
            splitter.state = state;
            splitter.scan = Scan::default();
            Ok(0)
        };
        match (self.state, byte) {
            (State::Start, b'[') => self.events(),
            (State::Start, b'{') => return begin(self, State::First),
            (State::Object, b'"') => return begin(self, State::Key),
            (State::Object, b'}') => self.state = State::End,
            (State::Object | State::Events, b',') => {}
            (State::Colon, b':') => {}
            (State::Colon, b'[') if self.key == "traceEvents" => self.events(),
            (State::Colon, _) => return begin(self, State::Member),
            (State::Events, b']') if self.lists > 0 => self.lists -= 1,
            (State::Events, b']') => {
                self.state = if self.in_object {
                    State::Object
                } else {
                    State::End
                };
            }
            (State::Events | State::List, b'[') => {
                self.lists = self.lists.saturating_add(1);
                self.state = State::List;
            }
            (State::End, b'[') if !self.in_object => self.state = State::List,
            (State::End, b'{') if self.in_object => self.state = State::Object,
            (State::List, b'{') => return begin(self, State::Event),
            (State::List, b']') => {
                self.lists = self.lists.saturating_sub(1);
                self.state = State::Events;
            }
            (State::List, _) => {
                self.lists = self.lists.saturating_sub(1);
                self.held.push(b'[');
                begin(self, State::Event)?;
                self.scan.value_end(b"[");
                return Ok(0);
            }
            (State::Events, b'}' | b':') | (State::Object, _) => take(Part::Junk(&rest[..1]))?,
            (State::Events, _) => return begin(self, State::Event),
            // A byte order mark, or text that some tool wrote before or after the trace.
            (State::Start, _) => {}
            (State::End, _) => {
                take(Part::Junk(rest))?;
                return Ok(rest.len());
            }
            (State::First | State::Key | State::Member | State::Event, _) => {}
        }
        Ok(1)
    }

    fn events(&mut self) {
        self.state = State::Events;
        self.found_events = true;
    }
}

/// Whether an object is an event. Only the first object of a file is examined.
fn is_event(object: &[u8]) -> bool {
    Fields::new(object).any(|(key, _)| *key == *b"ph")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(part: Part<'_>) -> String {
        match part {
            Part::Event(text) => String::from_utf8_lossy(text).into_owned(),
            Part::Member(key, text) => format!("{key}={}", String::from_utf8_lossy(text)),
            Part::Junk(_) => "junk".to_owned(),
        }
    }

    fn parts(text: &str, size: usize) -> Vec<String> {
        let mut splitter = Splitter::new();
        let mut found = Vec::new();
        let mut take = |part: Part<'_>| -> Result<(), ()> {
            found.push(shown(part));
            Ok(())
        };
        for piece in text.as_bytes().chunks(size) {
            splitter.feed(piece, &mut take).unwrap();
        }
        splitter.finish(&mut take).unwrap();
        found
    }

    #[test]
    fn lists_in_lists() {
        for size in [1, 2, 3, 100] {
            let [a, b, c] = ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"];
            let lists = format!("[[{a}],[[{b}], 7],[],{c}]");
            let expected = [a, b, "junk", c];
            assert_eq!(parts(&lists, size), expected, "{size}");
            let object = format!("{{\"traceEvents\":{lists},\"d\":4}}");
            let expected = [a, b, "junk", c, "d=4"];
            assert_eq!(parts(&object, size), expected, "{size}");
        }
    }

    #[test]
    fn events_without_a_list() {
        let [a, b] = ["{\"ph\":\"X\"}", "{\"b\":2}"];
        for size in [1, 2, 3, 100] {
            for text in [
                format!("{a}\n{b}\n"),
                format!("{a},\n{b}\n]"),
                format!("{a}{b}"),
            ] {
                assert_eq!(parts(&text, size), [a, b], "{text} {size}");
            }
            assert_eq!(parts(r#"{"c":3,"d":[4"#, size), ["c=3"]);
        }
        let large = format!("{{\"c\":\"{}\",\"ph\":1}}", "x".repeat(MOST_FIRST));
        assert_eq!(parts(&large, 1 << 10).len(), 2, "members");
    }

    #[test]
    fn events_and_members_in_any_pieces() {
        let text =
            r#"{ "a": "x\"]", "traceEvents":[{"b":[1,"}"]} , 7,{"c":{}},],"n":-1,"o":{"p":[]}}"#;
        let expected = [
            r#"a="x\"]""#,
            r#"{"b":[1,"}"]}"#,
            "junk",
            r#"{"c":{}}"#,
            "n=-1",
            r#"o={"p":[]}"#,
        ];
        for size in [1, 2, 3, 7, 100] {
            assert_eq!(parts(text, size), expected, "{size}");
        }
    }

    #[test]
    fn an_array_without_its_end() {
        assert_eq!(
            parts("[{\"a\":1},\n{\"b\":2}", 4),
            ["{\"a\":1}", "{\"b\":2}"]
        );
        assert_eq!(parts("[}{\"a\":1}]x", 3), ["junk", "{\"a\":1}", "junk"]);
    }

    #[test]
    fn several_arrays_or_objects() {
        let ab = ["{\"a\":1}", "{\"b\":2}"];
        for size in [1, 2, 3, 100] {
            for between in ["]\n[", ",\n[\n", "\n[", "] [] ["] {
                let text = format!("[{}{between}{}]", ab[0], ab[1]);
                assert_eq!(parts(&text, size), ab, "{between} {size}");
            }
            let [a, b] = ab;
            assert_eq!(parts(&format!("[{a},[1,2],{b}]"), size), [a, "junk", b]);
            let objects = format!("{{\"traceEvents\":[{a}],\"c\":3}}\n{{\"traceEvents\":[{b}]}}");
            assert_eq!(parts(&objects, size), [a, "c=3", b]);
        }
    }
}
