//! `demangle(name)`: the name of a function as it is written in the source.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, DemangleWrite, Symbol};
use rusqlite::Connection;
use rusqlite::functions::Context;

use super::arguments::text;
use super::flags::PURE;

/// The maximum length of a result, bytes. A C++ name can refer to parts of itself, so a short name can expand to a very
/// long one.
const LONGEST: usize = 64 << 10;

/// Registers the functions with a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for name in ["demangle", "__intrinsic_demangle"] {
        connection.create_scalar_function(name, 1, PURE, |context| demangle(context))?;
    }
    Ok(())
}

/// The name as it is written in the source. NULL for names that are not mangled or whose result would be too long.
fn demangle(context: &Context<'_>) -> rusqlite::Result<Option<String>> {
    Ok(text(context, 0).and_then(|name| of_rust(&name).or_else(|| of_cpp(&name))))
}

/// The readable form of a mangled C++ or Rust name. Unlike the SQL function `demangle`, it leaves out the hash at the
/// end of Rust names. `None` for names that are not mangled, and if the result would be longer than 64 KiB.
pub fn demangled(name: &str) -> Option<String> {
    match rustc_demangle::try_demangle(name) {
        Ok(name) => Some(format!("{name:#}")),
        Err(_) => of_cpp(name),
    }
}

/// Rust is tried before C++, because older Rust names have the form of C++ names.
fn of_rust(name: &str) -> Option<String> {
    Some(rustc_demangle::try_demangle(name).ok()?.to_string())
}

/// Names begin with `_Z` (<https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>). macOS adds another `_` in
/// front.
fn of_cpp(name: &str) -> Option<String> {
    if !name.trim_start_matches('_').starts_with('Z') {
        return None;
    }
    let symbol = Symbol::new(name).ok()?;
    let mut text = Limited(String::new());
    let options = DemangleOptions::default();
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// A text of limited length.
struct Limited(String);

impl DemangleWrite for Limited {
    fn write_string(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.write_str(part)
    }
}
