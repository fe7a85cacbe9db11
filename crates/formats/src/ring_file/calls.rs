//! The sections and methods of a thread as one stack.

use traceloom_trace::CallStack;

/// The key of a section; a method's is its row, which is smaller.
const SECTION: u32 = u32::MAX;

/// The open sections and methods of a thread. Each closes only its like:
///
/// ```text
/// method { section { } }       as it should be
/// method { section { }         the method's exit closes the section, which has lost its end
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

    /// Whether the end of a section closes something.
    pub fn close_section(&mut self) -> bool {
        self.0.pop_innermost(SECTION).is_some()
    }

    /// How many were open, none of which is now.
    pub fn close_all(&mut self) -> usize {
        std::mem::take(&mut self.0).depth()
    }

    /// How many slices the exit of a method closes, itself included; 0 where it is not open.
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
