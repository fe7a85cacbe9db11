//! Puts a pair of calls around what each method does.

mod call;
mod emit;
mod layout;
mod left_out;
mod method;
mod move_frames;
mod super_call;

pub use call::{Call, CallError};
pub use left_out::LeftOut;

use std::borrow::Cow;

use call::{CallCode, CallInClass};
use method::{About, Shared};

use crate::class::{Attribute, ClassError, ClassFile, Code, access, opcode};

/// What shall happen to a method, by its place in the class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plan {
    /// It gets calls with this id and text.
    Weave {
        /// What an `int` parameter gets.
        id: u32,
        /// What a `String` parameter gets.
        text: String,
    },
    /// It stays as it is.
    Leave,
}

/// A class after weaving.
#[derive(Debug)]
pub struct Woven {
    /// The class file; `None` where no method was changed, so that it is what it was.
    pub bytes: Option<Vec<u8>>,
    /// The methods that could not be woven, by their place in the class.
    pub left_out: Vec<(usize, LeftOut)>,
}

/// Weaves the methods of a class that `plan` wants, by their place in the class.
///
/// # Errors
/// If the bytes are no class file. What is wrong inside one method leaves that method out.
pub fn weave_class(
    bytes: &[u8],
    call: &Call,
    mut plan: impl FnMut(usize) -> Plan,
) -> Result<Woven, ClassError> {
    let mut class = ClassFile::read(bytes)?;
    let mut left_out = Vec::new();
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
            Err(why) => left_out.push((number, why)),
        }
    }
    Ok(Woven {
        bytes: changed.then(|| class.write()),
        left_out,
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
    ) -> Result<(), LeftOut> {
        let method = &class.methods[number];
        let place = code_place(class, number)?;
        let attribute = &method.attributes[place];
        let about = About {
            major: class.major,
            is_static: method.access & access::STATIC != 0,
            // The class without a superclass is java/lang/Object, whose `this` is an object at once.
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
            // A finalizer that does nothing costs nothing; one that does anything makes every object
            // of the class wait for it.
            return Err(LeftOut::Empty);
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

/// Which attribute of a method is its code.
fn code_place(class: &ClassFile<'_>, number: usize) -> Result<usize, LeftOut> {
    let method = &class.methods[number];
    let is_code = |one: &Attribute<'_>| class.pool.utf8(one.name) == Ok(b"Code");
    match method.attributes.iter().position(is_code) {
        Some(place) => Ok(place),
        None if method.access & access::NATIVE != 0 => Err(LeftOut::Native),
        None => Err(LeftOut::Abstract),
    }
}
