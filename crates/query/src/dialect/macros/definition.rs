//! A macro, prepared for calls.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::dialect::source::{Fragment, Span};
use crate::dialect::statement::CreateMacro;
use crate::dialect::tokens::{TokenKind, tokens_of};

/// A macro that was defined in a script.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Arc<str>,
    /// Number of arguments.
    pub arguments: usize,
    pub body: Fragment,
    /// Where the body refers to its arguments, in order.
    pub references: Vec<Reference>,
}

/// `$name` in the body of a macro.
#[derive(Debug)]
pub(super) struct Reference {
    /// Bytes from the start of the body.
    pub span: Span,
    /// Index of the argument.
    pub argument: usize,
}

impl Macro {
    /// Prepares a definition for calls.
    pub fn new(definition: &CreateMacro) -> Self {
        Self {
            name: definition.name.text.as_str().into(),
            arguments: definition.arguments.len(),
            body: definition.body.clone(),
            references: references(definition),
        }
    }
}

/// The references to arguments in the body. Other variables are left to SQLite.
fn references(definition: &CreateMacro) -> Vec<Reference> {
    let text = definition.body.text();
    let arguments = definition.arguments.iter().enumerate();
    let arguments = arguments.map(|(index, argument)| (argument.name.text.as_str(), index));
    let arguments: FxHashMap<&str, usize> = arguments.collect();
    // The body consists of whole tokens, because the statement was read from tokens.
    let tokens = tokens_of(text).unwrap_or_default().into_iter();
    let variables = tokens.filter(|token| token.kind == TokenKind::Variable);
    let references = variables.filter_map(|token| {
        let name = token.text(text).strip_prefix('$')?;
        let argument = *arguments.get(name)?;
        Some(Reference {
            span: token.span(),
            argument,
        })
    });
    references.collect()
}
