//! Weaving the methods of one class.

use std::borrow::Cow;

use super::call::{Call, CallCode, CallInClass};
use super::method::{self, About, Shared};
use super::skip_reason::SkipReason;

use crate::class::{Attribute, ClassError, ClassFile, Code, access, opcode};

/// The treatment of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    /// Insert calls with this id and text.
    Weave {
        /// Value of `int` parameters.
        id: u32,
        /// Value of `String` parameters.
        text: String,
    },
    /// Leave it unchanged.
    Leave,
}

/// The result of weaving a class.
#[derive(Debug)]
pub struct Woven {
    /// The class file; `None` if no method was changed.
    pub bytes: Option<Vec<u8>>,
    /// The methods that could not be woven: index in the class, and reason.
    pub skipped: Vec<(usize, SkipReason)>,
}

/// Weaves a class. `plan` decides what to do with each method, by its index in the class.
///
/// # Errors
/// If the bytes are not a class file. An error in a single method only skips that method.
pub fn weave_class(
    bytes: &[u8],
    call: &Call,
    mut plan: impl FnMut(usize) -> Plan,
) -> Result<Woven, ClassError> {
    let mut class = ClassFile::read(bytes)?;
    let mut skipped = Vec::new();
    let mut weaver = ClassWeaver {
        call,
        in_class: None,
        shared: Shared::default(),
        buffer: Vec::new(),
    };
    let mut changed = false;
    for number in 0..class.methods.len() {
        let Plan::Weave { id, text } = plan(number) else {
            continue;
        };
        match weaver.weave(&mut class, number, id, &text) {
            Ok(()) => changed = true,
            Err(why) => skipped.push((number, why)),
        }
    }
    Ok(Woven {
        bytes: changed.then(|| class.write()),
        skipped,
    })
}

struct ClassWeaver<'c> {
    call: &'c Call,
    in_class: Option<CallInClass>,
    shared: Shared,
    buffer: Vec<crate::class::Instruction>,
}

impl ClassWeaver<'_> {
    fn weave(
        &mut self,
        class: &mut ClassFile<'_>,
        number: usize,
        id: u32,
        text: &str,
    ) -> Result<(), SkipReason> {
        let method = &class.methods[number];
        let place = code_place(class, number)?;
        let attribute = &method.attributes[place];
        let about = About {
            major: class.major,
            is_static: method.access & access::STATIC != 0,
            // Only java/lang/Object has no superclass; its `this` is initialized from the start.
            is_constructor: class.super_class != 0 && class.pool.utf8(method.name)? == b"<init>",
            descriptor: method.descriptor,
            class: class.this_class,
        };
        let content = attribute.content.clone();
        let code = match &content {
            Cow::Borrowed(content) => Code::read(content, attribute.at)?,
            Cow::Owned(content) => Code::read(content, attribute.at)?,
        };
        if class.pool.utf8(method.name)? == b"finalize" && code.code[..] == [opcode::RETURN] {
            // An empty finalizer costs nothing. With any code in it, every object of the class must wait for the finalizer.
            return Err(SkipReason::Empty);
        }
        let calls = self.calls(class, id, text)?;
        let (shared, buffer) = (&mut self.shared, &mut self.buffer);
        let woven = method::weave(&code, about, &calls, &mut class.pool, shared, buffer)?;
        class.methods[number].attributes[place].content = woven.into();
        Ok(())
    }

    fn calls(
        &mut self,
        class: &mut ClassFile<'_>,
        id: u32,
        text: &str,
    ) -> Result<CallCode, ClassError> {
        let in_class = match self.in_class.take() {
            Some(in_class) => in_class,
            None => CallInClass::new(self.call, &mut class.pool)?,
        };
        let in_class = self.in_class.insert(in_class);
        in_class.code(self.call, id, text, &mut class.pool)
    }
}

/// Index of the `Code` attribute of a method.
fn code_place(class: &ClassFile<'_>, number: usize) -> Result<usize, SkipReason> {
    let method = &class.methods[number];
    let is_code = |one: &Attribute<'_>| class.pool.utf8(one.name) == Ok(b"Code");
    match method.attributes.iter().position(is_code) {
        Some(place) => Ok(place),
        None if method.access & access::NATIVE != 0 => Err(SkipReason::Native),
        None => Err(SkipReason::Abstract),
    }
}
