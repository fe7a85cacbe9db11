//! The pair of static methods that woven code calls.

use std::str::FromStr;

use thiserror::Error;

use crate::class::opcode::{BIPUSH, ICONST_0, INVOKESTATIC, LDC, LDC_W, LDC2_W, SIPUSH};
use crate::class::{ClassError, ConstantPool, to_modified_utf8};

/// The tag of apps in `android.os.Trace` (system/core, `cutils/trace.h`).
const TAG_APP: i64 = 1 << 12;

/// The in-app recorder, and the other classes that it consists of.
const RECORDER: &str = "traceloom/Recorder";
const RECORDER_PARTS: &[&str] = &[
    "traceloom/MainThread",
    "traceloom/Sampler",
    "traceloom/TracePoints",
];

/// A pair of static methods. One is called when a method begins, the other on every way out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Internal name of their class.
    class: String,
    enter: Target,
    exit: Target,
    tag: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Target {
    name: String,
    parameters: Vec<Parameter>,
}

/// The value passed to a parameter, by its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Parameter {
    /// `int`: the id.
    Id,
    /// `String`: the id as text, or the name.
    Text,
    /// `long`: the tag.
    Tag,
}

/// A text that is not a pair of methods.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error(
    "{text} is not a pair of static methods; use section, trace-tag, recorder, or for example \
     com.example.Beat.i(int)/o(int), with int for the id, String for the name and long for the tag"
)]
pub struct CallError {
    text: String,
}

impl Call {
    /// `android.os.Trace.beginSection(String)` and `endSection()`: public API of the platform.
    pub fn section() -> Self {
        Self::new(
            "android/os/Trace",
            "beginSection",
            &[Parameter::Text],
            "endSection",
            &[],
        )
    }

    /// `android.os.Trace.traceBegin(long, String)` and `traceEnd(long)`: hidden API with a tag, which selects a category.
    pub fn trace_tag() -> Self {
        let enter = [Parameter::Tag, Parameter::Text];
        Self::new(
            "android/os/Trace",
            "traceBegin",
            &enter,
            "traceEnd",
            &[Parameter::Tag],
        )
    }

    /// `traceloom.Recorder.i(int)` and `o(int)`: the in-app recorder.
    pub fn recorder() -> Self {
        let id = [Parameter::Id];
        Self::new(RECORDER, "i", &id, "o", &id)
    }

    fn new(class: &str, enter: &str, takes: &[Parameter], exit: &str, gives: &[Parameter]) -> Self {
        let target = |name: &str, parameters: &[Parameter]| Target {
            name: name.to_owned(),
            parameters: parameters.to_owned(),
        };
        Self {
            class: class.to_owned(),
            enter: target(enter, takes),
            exit: target(exit, gives),
            tag: TAG_APP,
        }
    }

    /// The same call with another tag, which is passed to `long` parameters.
    #[must_use]
    pub fn with_tag(mut self, tag: i64) -> Self {
        self.tag = tag;
        self
    }

    /// Internal name of the called class.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// Name and descriptor of the method that is called first.
    pub(super) fn enter(&self) -> (&str, String) {
        (&self.enter.name, self.enter.descriptor())
    }

    /// Whether a class is the called class, a class nested in it, or a class of the in-app recorder.
    pub fn is_in(&self, class: &[u8]) -> bool {
        let parts: &[&str] = if self.class == RECORDER {
            RECORDER_PARTS
        } else {
            &[]
        };
        let is_in = |outer: &str| match class.strip_prefix(outer.as_bytes()) {
            Some(rest) => rest.is_empty() || rest[0] == b'$',
            None => false,
        };
        is_in(&self.class) || parts.iter().any(|part| is_in(part))
    }

    /// The call as on the command line: `com.example.Beat.i(int)/o(int)`.
    pub fn to_text(&self) -> String {
        let class = self.class.replace('/', ".");
        format!("{class}.{}/{}", self.enter.to_text(), self.exit.to_text())
    }
}

impl Target {
    fn parse(text: &str) -> Option<Self> {
        let (name, parameters) = text.strip_suffix(')')?.split_once('(')?;
        let is_name =
            |name: &str| !name.is_empty() && !name.contains(['.', '/', ';', '[', '<', ' ']);
        let parameters = parameters.split(',').map(str::trim);
        let parameters = parameters.filter(|each| !each.is_empty());
        Some(Self {
            name: is_name(name).then(|| name.to_owned())?,
            parameters: parameters.map(Parameter::parse).collect::<Option<_>>()?,
        })
    }

    fn to_text(&self) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|each| each.name()).collect();
        format!("{}({})", self.name, names.join(","))
    }

    fn descriptor(&self) -> String {
        let types = self.parameters.iter().map(|each| each.descriptor());
        format!("({})V", types.collect::<String>())
    }

    /// Number of stack slots for the arguments.
    fn slots(&self) -> usize {
        let tags = self
            .parameters
            .iter()
            .filter(|each| **each == Parameter::Tag);
        self.parameters.len() + tags.count()
    }
}

impl Parameter {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "int" => Some(Self::Id),
            "String" | "java.lang.String" => Some(Self::Text),
            "long" => Some(Self::Tag),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Id => "int",
            Self::Text => "String",
            Self::Tag => "long",
        }
    }

    fn descriptor(self) -> &'static str {
        match self {
            Self::Id => "I",
            Self::Text => "Ljava/lang/String;",
            Self::Tag => "J",
        }
    }
}

impl FromStr for Call {
    type Err = CallError;

    fn from_str(text: &str) -> Result<Self, CallError> {
        let parse = || {
            let (enter, exit) = text.split_once(")/")?;
            let enter = format!("{enter})");
            let (head, parameters) = enter.split_once('(')?;
            let (class, name) = head.rsplit_once('.')?;
            Some(Self {
                class: class.replace('.', "/"),
                enter: Target::parse(&format!("{name}({parameters}"))?,
                exit: Target::parse(exit)?,
                tag: TAG_APP,
            })
        };
        match text {
            "section" => Ok(Self::section()),
            "trace-tag" => Ok(Self::trace_tag()),
            "recorder" => Ok(Self::recorder()),
            _ => parse().ok_or_else(|| CallError {
                text: text.to_owned(),
            }),
        }
    }
}

/// The call's constants in one class, added when the first method needs them.
#[derive(Debug)]
pub(super) struct CallInClass {
    enter: u16,
    exit: u16,
    tag: u16,
}

/// The instructions to insert into a method.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CallCode {
    pub enter: Vec<u8>,
    pub exit: Vec<u8>,
    /// Stack slots for the arguments.
    pub enter_stack: u16,
    pub exit_stack: u16,
}

impl CallInClass {
    pub fn new(call: &Call, pool: &mut ConstantPool<'_>) -> Result<Self, ClassError> {
        let texts = [
            call.class.clone(),
            call.enter.name.clone(),
            call.enter.descriptor(),
            call.exit.name.clone(),
            call.exit.descriptor(),
        ]
        .map(|text| to_modified_utf8(&text));
        let mut found = pool.find(texts.each_ref().map(Vec::as_slice));
        for (index, text) in texts.iter().enumerate() {
            // Both methods may share a text that was just added.
            let twin = texts[..index].iter().position(|other| other == text);
            match (found[index], twin) {
                (0, Some(twin)) => found[index] = found[twin],
                (0, None) => found[index] = pool.add_utf8(text)?,
                _ => {}
            }
        }
        let class = match pool.find_class(found[0]) {
            0 => pool.add_class(found[0])?,
            class => class,
        };
        let takes_tag = |target: &Target| target.parameters.contains(&Parameter::Tag);
        let has_tag = takes_tag(&call.enter) || takes_tag(&call.exit);
        Ok(Self {
            enter: pool.add_method(class, found[1], found[2])?,
            exit: pool.add_method(class, found[3], found[4])?,
            tag: if has_tag { pool.add_long(call.tag)? } else { 0 },
        })
    }

    /// The instructions for one method. `text` is passed to `String` parameters.
    pub fn code(
        &self,
        call: &Call,
        id: u32,
        text: &str,
        pool: &mut ConstantPool<'_>,
    ) -> Result<CallCode, ClassError> {
        let mut constants = Constants {
            id,
            text,
            id_index: 0,
            text_index: 0,
            pool,
        };
        Ok(CallCode {
            enter: self.call(&call.enter, self.enter, &mut constants)?,
            exit: self.call(&call.exit, self.exit, &mut constants)?,
            enter_stack: call.enter.slots() as u16,
            exit_stack: call.exit.slots() as u16,
        })
    }

    fn call(
        &self,
        target: &Target,
        method: u16,
        constants: &mut Constants<'_, '_>,
    ) -> Result<Vec<u8>, ClassError> {
        let mut code = Vec::with_capacity(12);
        for parameter in &target.parameters {
            match parameter {
                Parameter::Id => constants.push_id(&mut code)?,
                Parameter::Text => constants.push_text(&mut code)?,
                Parameter::Tag => with_index(LDC2_W, self.tag, &mut code),
            }
        }
        with_index(INVOKESTATIC, method, &mut code);
        Ok(code)
    }
}

/// The constants of one method; each is added once.
struct Constants<'t, 'p> {
    id: u32,
    text: &'t str,
    id_index: u16,
    text_index: u16,
    pool: &'t mut ConstantPool<'p>,
}

impl Constants<'_, '_> {
    fn push_id(&mut self, code: &mut Vec<u8>) -> Result<(), ClassError> {
        match self.id {
            0..=5 => code.push(ICONST_0 + self.id as u8),
            6..=127 => code.extend([BIPUSH, self.id as u8]),
            128..=32_767 => with_index(SIPUSH, self.id as u16, code),
            _ => {
                if self.id_index == 0 {
                    self.id_index = self.pool.add_int(self.id as i32)?;
                }
                load(self.id_index, code);
            }
        }
        Ok(())
    }

    fn push_text(&mut self, code: &mut Vec<u8>) -> Result<(), ClassError> {
        if self.text_index == 0 {
            let text = self.pool.add_utf8(&to_modified_utf8(self.text))?;
            self.text_index = self.pool.add_string(text)?;
        }
        load(self.text_index, code);
        Ok(())
    }
}

fn load(index: u16, code: &mut Vec<u8>) {
    match u8::try_from(index) {
        Ok(index) => code.extend([LDC, index]),
        Err(_) => with_index(LDC_W, index, code),
    }
}

fn with_index(opcode: u8, index: u16, code: &mut Vec<u8>) {
    let [high, low] = index.to_be_bytes();
    code.extend([opcode, high, low]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_written_as_they_are_read() {
        for call in [Call::section(), Call::trace_tag(), Call::recorder()] {
            assert_eq!(call.to_text().parse(), Ok(call));
        }
        assert_eq!(
            Call::recorder().to_text(),
            "traceloom.Recorder.i(int)/o(int)"
        );
        for wrong in [
            "",
            "Beat.i()",
            "i()/o()",
            "a.B.i(float)/o()",
            "a.B.i()/a.B.o()",
        ] {
            assert!(wrong.parse::<Call>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_called_class_and_its_nested_classes_are_recognized() {
        let call = Call::recorder();
        assert!(call.is_in(b"traceloom/Recorder"));
        assert!(call.is_in(b"traceloom/Recorder$Chunk"));
        assert!(!call.is_in(b"traceloom/Recorders"));
        assert!(call.is_in(b"traceloom/Sampler$Seen"));
        assert!(!Call::section().is_in(b"traceloom/Sampler"));
    }
}
