//! Tracks the sections and methods of a thread on one stack.

use traceloom_trace::CallStack;

/// The stack entry for a section. The entry for a method is its row, which is always smaller.
const SECTION: u32 = u32::MAX;

/// The open sections and methods of a thread. The end of one kind never closes the other kind:
///
/// ```text
/// method { section { } }       correct nesting
/// method { section { }         the method's exit also closes the section, whose end is missing
/// method { end of a section }  an end without a begin: the method stays open
/// ```
#[derive(Default)]
pub(super) struct Calls(CallStack<()>);

impl Calls {
    pub fn open_section(&mut self) {
        self.0.push(SECTION, ());
    }

    pub fn open_method(&mut self, method: u32) {
        self.0.push(method, ());
    }

    /// Closes the innermost section. Returns whether there was one.
    pub fn close_section(&mut self) -> bool {
        self.0.pop_innermost(SECTION).is_some()
    }

    /// Closes everything. Returns how many were open.
    pub fn close_all(&mut self) -> usize {
        std::mem::take(&mut self.0).depth()
    }

    /// Closes a method and everything inside it. Returns the number of closed slices; 0 if the
    /// method is not open.
    pub fn close_method(&mut self, method: u32) -> usize {
        let Some(inner) = self.0.inner_calls(method) else {
            return 0;
        };
        for _ in 0..=inner {
            self.0.pop();
        }
        inner + 1
    }
}
