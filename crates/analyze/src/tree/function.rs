//! Functions: methods, or names of slices.

use serde::Serialize;
use traceloom_trace::{MethodId, MethodLine, StringId};

/// A row of [`CallTree::functions`](crate::CallTree::functions).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// The function of a thread's root: the thread itself, outside of any call.
    pub const TOPLEVEL: Self = Self(u32::MAX);
}

/// Where the name of a function is stored in the tables of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// A method.
    Method(MethodId),
    /// A name of slices.
    Name(StringId),
}

/// The name of a method or slice. Functions with equal names count as one in a profile.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct Function {
    /// The class, with dots; empty for a slice.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// The name of the method or slice.
    pub name: String,
    /// The signature of the method, such as `(I)V`; empty for a slice.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

/// The separator between the file and the address of a function without a name.
const ADDRESS: &str = " +0x";

impl Function {
    /// The name of a slice, or any other text.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// A function without a name: a file of code and an address there, `libc.so +0x1f00`.
    pub fn at_address(file: &str, address: i64) -> Self {
        Self::named(format!("{file}{ADDRESS}{address:x}"))
    }

    /// Whether this is a function without a name ([`Function::at_address`]).
    pub fn is_address(&self) -> bool {
        let address = self.name.rsplit_once(ADDRESS);
        address.is_some_and(|(_, digits)| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    }

    /// A method. Dalvik's slashes in class names become dots. A method without a name is shown by
    /// its id.
    pub fn method(raw_id: u64, class: &str, name: &str, signature: &str) -> Self {
        if class.is_empty() && name.is_empty() {
            return Self::named(format!("0x{raw_id:x}"));
        }
        Self {
            class: class.replace('/', "."),
            name: name.to_owned(),
            signature: signature.to_owned(),
        }
    }

    pub(crate) fn from_line(line: &MethodLine<'_>) -> Self {
        Self::method(line.raw_id, line.class, line.name, line.signature)
    }

    /// `class.method`, without the signature.
    pub fn label(&self) -> String {
        match (self.class.as_str(), self.name.as_str()) {
            ("", name) => name.to_owned(),
            (class, "") => class.to_owned(),
            (class, name) => format!("{class}.{name}"),
        }
    }

    /// The class; `(no class)` if there is none.
    pub fn class_or_none(&self) -> &str {
        match self.class.as_str() {
            "" => "(no class)",
            class => class,
        }
    }

    /// The package: the class up to its last dot; `(no package)` if there is none.
    pub fn package(&self) -> &str {
        match self.class.rsplit_once('.') {
            Some((package, _)) if !package.is_empty() => package,
            _ => "(no package)",
        }
    }
}
