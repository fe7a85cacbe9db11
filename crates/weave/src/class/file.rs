//! Reading and writing class files. Unchanged parts are written back byte for byte.

use std::borrow::Cow;

use super::error::ClassError;
use super::input::{Cursor, Put};
use super::pool::ConstantPool;

/// A class file (specification, 4.1). Fields and interfaces are kept as bytes, because nothing here needs them.
#[derive(Clone, Debug)]
pub struct ClassFile<'a> {
    /// Minor version.
    pub minor: u16,
    /// Major version: 52 is Java 8, 61 is Java 17.
    pub major: u16,
    /// The constant pool.
    pub pool: ConstantPool<'a>,
    /// Access flags.
    pub access: u16,
    /// Index of the Class constant of this class.
    pub this_class: u16,
    /// Index of the Class constant of its superclass; 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    interfaces: &'a [u8],
    fields: &'a [u8],
    /// The methods in file order.
    pub methods: Vec<Member<'a>>,
    /// The class's own attributes.
    pub attributes: Vec<Attribute<'a>>,
}

/// A method (specification, 4.6).
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Access flags.
    pub access: u16,
    /// Index of its name.
    pub name: u16,
    /// Index of its descriptor.
    pub descriptor: u16,
    /// Its attributes, including `Code`.
    pub attributes: Vec<Attribute<'a>>,
}

/// An attribute with its content as bytes.
#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    /// Index of its name.
    pub name: u16,
    /// Offset of its content in the file that was read, bytes.
    pub at: usize,
    /// Its content, original or changed.
    pub content: Cow<'a, [u8]>,
}

/// The access flags used here (specification, 4.1 and 4.6).
pub mod access {
    /// A static method.
    pub const STATIC: u16 = 0x0008;
    /// Implemented in native code.
    pub const NATIVE: u16 = 0x0100;
    /// Without code.
    pub const ABSTRACT: u16 = 0x0400;
    /// The class file describes a module.
    pub const MODULE: u16 = 0x8000;
}

impl<'a> ClassFile<'a> {
    /// Reads a whole class file.
    ///
    /// # Errors
    /// If this is not a class file, or it is truncated or has trailing bytes.
    pub fn read(bytes: &'a [u8]) -> Result<Self, ClassError> {
        let mut cursor = Cursor::new(bytes, 0);
        match cursor.u32("magic")? {
            0xcafe_babe => {}
            found => return Err(ClassError::Magic { found }),
        }
        let minor = cursor.u16("minor_version")?;
        let major = cursor.u16("major_version")?;
        let pool = ConstantPool::read(&mut cursor)?;
        let access = cursor.u16("access_flags")?;
        let this_class = cursor.u16("this_class")?;
        let super_class = cursor.u16("super_class")?;
        let interfaces = counted(&mut cursor, |cursor| {
            cursor.take(2, "interface").map(|_| ())
        })?;
        let fields = counted(&mut cursor, |cursor| {
            cursor.take(6, "field")?;
            counted(cursor, skip_attribute).map(|_| ())
        })?;
        let methods = (0..cursor.u16("methods_count")?)
            .map(|_| read_member(&mut cursor))
            .collect::<Result<_, _>>()?;
        let attributes = read_attributes(&mut cursor)?;
        cursor.end("the class")?;
        Ok(Self {
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
        })
    }

    /// The class file as bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size());
        out.put_u32(0xcafe_babe);
        out.put_u16(self.minor);
        out.put_u16(self.major);
        self.pool.write(&mut out);
        out.put_u16(self.access);
        out.put_u16(self.this_class);
        out.put_u16(self.super_class);
        out.extend_from_slice(self.interfaces);
        out.extend_from_slice(self.fields);
        // The number of methods never changes, so it fits.
        out.put_u16(self.methods.len() as u16);
        for method in &self.methods {
            out.put_u16(method.access);
            out.put_u16(method.name);
            out.put_u16(method.descriptor);
            write_attributes(&method.attributes, &mut out);
        }
        write_attributes(&self.attributes, &mut out);
        out
    }

    fn size(&self) -> usize {
        let size = |attributes: &[Attribute<'_>]| -> usize {
            let each = attributes.iter().map(|one| one.content.len() + 6);
            each.sum::<usize>() + 2
        };
        let methods = self
            .methods
            .iter()
            .map(|method| size(&method.attributes) + 6);
        let raw = self.pool.size() + self.interfaces.len() + self.fields.len();
        24 + raw + methods.sum::<usize>() + size(&self.attributes)
    }

    /// The internal name of the class, `java/lang/String`.
    ///
    /// # Errors
    /// If `this_class` is not a Class constant.
    pub fn name(&self) -> Result<&[u8], ClassError> {
        self.pool.class(self.this_class)
    }

    /// Index of the Utf8 constant with the class's name.
    ///
    /// # Errors
    /// If `this_class` is not a Class constant.
    pub(crate) fn this_class_name(&self) -> Result<u16, ClassError> {
        self.pool.class_name(self.this_class)
    }

    /// The attribute with this name among `attributes`.
    pub fn attribute<'s>(
        &self,
        attributes: &'s [Attribute<'a>],
        name: &[u8],
    ) -> Option<&'s Attribute<'a>> {
        let has_name = |one: &&Attribute<'_>| self.pool.utf8(one.name) == Ok(name);
        attributes.iter().find(has_name)
    }
}

/// Reads a 16-bit count and that many elements. Returns all their bytes, including the count.
fn counted<'a>(
    cursor: &mut Cursor<'a>,
    mut element: impl FnMut(&mut Cursor<'a>) -> Result<(), ClassError>,
) -> Result<&'a [u8], ClassError> {
    let from = cursor.consumed();
    for _ in 0..cursor.u16("count")? {
        element(cursor)?;
    }
    Ok(cursor.since(from))
}

fn skip_attribute(cursor: &mut Cursor<'_>) -> Result<(), ClassError> {
    cursor.u16("attribute_name_index")?;
    let length = cursor.u32("attribute_length")?;
    cursor.take(length as usize, "attribute").map(|_| ())
}

fn read_member<'a>(cursor: &mut Cursor<'a>) -> Result<Member<'a>, ClassError> {
    Ok(Member {
        access: cursor.u16("access_flags")?,
        name: cursor.u16("name_index")?,
        descriptor: cursor.u16("descriptor_index")?,
        attributes: read_attributes(cursor)?,
    })
}

pub(super) fn read_attributes<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<Vec<Attribute<'a>>, ClassError> {
    let mut attributes = Vec::new();
    for _ in 0..cursor.u16("attributes_count")? {
        let name = cursor.u16("attribute_name_index")?;
        let length = cursor.u32("attribute_length")?;
        let at = cursor.place();
        let content = Cow::Borrowed(cursor.take(length as usize, "attribute")?);
        attributes.push(Attribute { name, at, content });
    }
    Ok(attributes)
}

pub(super) fn write_attributes(attributes: &[Attribute<'_>], out: &mut Vec<u8>) {
    out.put_u16(attributes.len() as u16);
    for attribute in attributes {
        out.put_u16(attribute.name);
        out.put_u32(attribute.content.len() as u32);
        out.extend_from_slice(&attribute.content);
    }
}
