//! Writes the page's modules as one script, as short as it gets.
//!
//! ```text
//! web/source/frame.js              function decode$0(all) {         function e(e){return e}
//!   export function decode(all) {    return (all);           ──►   e(data);
//!     return (all);                }
//!   }                        ──►   decode$0(data);
//! web/app/main.js
//!   import {decode} from "…"
//!   decode(data);
//!                       flat.rs: one scope            squeeze.rs: no needless marks,
//!                       without equal names           rename.rs: short names
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
mod parentheses;
mod rename;
mod scopes;
mod squeeze;
pub(crate) mod style;

/// `entry` and all that it imports as one short script.
///
/// # Errors
/// As of [`joined`].
pub(crate) fn shortened(entry: &str, find: &Find<'_>) -> Result<String, Box<dyn Error>> {
    let script = joined(entry, find, flat::flat)?;
    let open = |(what, at)| format!("{entry}: {what} at {at} does not end");
    let script = squeeze::squeezed(&script).map_err(open)?;
    Ok(rename::renamed(&script).map_err(open)?)
}

#[cfg(test)]
mod tests;
