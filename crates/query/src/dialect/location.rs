//! Where a piece of expanded SQL was written, and how it became part of the statement.

use std::fmt;
use std::sync::Arc;

use super::source::Fragment;

/// One step between the written text and the statement that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// The text belongs to the body of a macro.
    Macro {
        /// Name of the macro, without `!`.
        name: Arc<str>,
        /// The name in the call.
        call: Fragment,
    },
    /// The text belongs to a module.
    Include {
        /// The statement that includes the module.
        at: Fragment,
    },
}

/// A place in a script, and the calls and includes that lead to it, the innermost first.
///
/// Printed, it reads `line 3, column 14 of q.sql, in macro foo!, called at line 9, column 8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The place. Its span may be empty, and is never longer than what is reported.
    pub at: Fragment,
    /// How it became part of the statement.
    pub via: Vec<Via>,
}

impl Location {
    /// A place that is not inside a macro.
    pub fn new(at: Fragment) -> Self {
        Self::through(at, Vec::new())
    }

    /// A place inside macros, the innermost first. The includes around the outermost place are added.
    pub fn through(at: Fragment, mut via: Vec<Via>) -> Self {
        let outermost = via.iter().rev().map(Via::place).next();
        let mut source = Arc::clone(&outermost.unwrap_or(&at).source);
        while let Some(include) = source.included_at().cloned() {
            source = Arc::clone(&include.source);
            via.push(Via::Include { at: include });
        }
        Self { at, via }
    }

    /// Name of the script or module.
    pub fn name(&self) -> &str {
        self.at.source.name()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.at.line()
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.at.column()
    }
}

impl Via {
    /// The call, or the `INCLUDE` statement.
    pub fn place(&self) -> &Fragment {
        match self {
            Self::Macro { call, .. } => call,
            Self::Include { at } => at,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at)?;
        let mut source = &self.at.source;
        for via in &self.via {
            match via {
                Via::Macro { name, .. } => write!(f, ", in macro {name}!, called at ")?,
                Via::Include { .. } => write!(f, ", included at ")?,
            }
            let place = via.place();
            write!(f, "line {}, column {}", place.line(), place.column())?;
            if !Arc::ptr_eq(source, &place.source) {
                write!(f, " of {}", place.source.name())?;
            }
            source = &place.source;
        }
        Ok(())
    }
}
