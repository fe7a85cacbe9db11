//! Writes the page's modules as one script, as short as it gets.
//!
//! ```text
//! web/app/main.js                        function d$0(a$0){…}         function a(b){…}
//!   import {decode} from "source/frame"  decode$0(data$1);      ──►   a(c);
//!   decode(data);                   ──►
//! web/source/frame.js                    flat.rs: one scope,          squeeze.rs: no blanks, no
//!   export function decode(all) {…}      names made distinct          needless marks; rename.rs
//! ```
//! It knows JavaScript by its tokens and brackets (`code.rs`, `scopes.rs`), not by a syntax tree:
//! where the tokens leave open what something means, it stays as it is.

use std::error::Error;

use crate::bundle::{Find, joined};

mod code;
mod constants;
mod edit;
mod flat;
mod operators;
mod rename;
mod scopes;
mod squeeze;
mod style;

pub(crate) use style::short_style;

/// `entry` and all that it imports as one short script.
///
/// # Errors
/// As of [`bundle`](crate::bundle::bundle).
pub(crate) fn shortened(entry: &str, find: &Find<'_>) -> Result<String, Box<dyn Error>> {
    let script = joined(entry, find, flat::flat)?;
    let open = |(what, at)| format!("{entry}: {what} at {at} does not end");
    let script = squeeze::squeezed(&script).map_err(open)?;
    Ok(rename::renamed(&script).map_err(open)?)
}

#[cfg(test)]
mod tests;
