//! Converts the bits of `prev_state`, which differ between kernels, to task states.

use traceloom_trace::TaskState;

use super::format::EventFormat;
use super::layout::PageLayout;
use super::print::{Context, Plan, Shown};
use super::symbols::Symbols;
use crate::bytes::ByteOrder;
use crate::ftrace::state_number;

/// The maximum number of bits in `prev_state`.
const BITS: usize = 24;

/// The meaning of each bit of `prev_state` in the traced kernel, derived from its print format:
///
/// ```text
/// prev_state=%s%s   __print_flags(REC->prev_state & 255, "|", { 1, "S" }, { 2, "D" } …) : "R"
///                   REC->prev_state & 256 ? "+" : ""
/// ```
#[derive(Clone, Debug)]
pub(super) struct States {
    /// The state for each bit; `None` if it does not follow from the print format.
    bits: Option<[TaskState; BITS]>,
}

impl States {
    pub fn new(format: &EventFormat, layout: PageLayout) -> Self {
        let plan = Plan::new(format, layout.long_bytes);
        let mut bits = [TaskState::UNKNOWN; BITS];
        let mut known = format.field("prev_state").is_some();
        for (bit, state) in bits.iter_mut().enumerate() {
            match letters(&plan, format, layout.order, 1 << bit) {
                Some(found) => *state = found,
                None => known = false,
            }
        }
        Self {
            bits: known.then_some(bits),
        }
    }

    /// The state for a value of `prev_state`.
    #[inline]
    pub fn decode(&self, value: u64) -> TaskState {
        match (value, &self.bits) {
            (0, _) => TaskState::RUNNABLE,
            (1, Some(bits)) => bits[0],
            (_, Some(bits)) => several(value, bits),
            (_, None) => state_number(value).unwrap_or(TaskState::UNKNOWN),
        }
    }
}

fn several(mut value: u64, bits: &[TaskState; BITS]) -> TaskState {
    const PLUS: u16 = TaskState::PREEMPTED.0 & !TaskState::RUNNABLE.0;
    let (mut letters, mut plus) = (0, 0);
    while value != 0 {
        let state = bits.get(value.trailing_zeros() as usize);
        let state = state.map_or(0, |state| state.0);
        plus |= state & PLUS;
        // A bit outside the mask is printed as runnable, which has no meaning here.
        letters |= if state & TaskState::RUNNABLE.0 != 0 {
            0
        } else {
            state
        };
        value &= value - 1;
    }
    match letters {
        0 => TaskState(TaskState::RUNNABLE.0 | plus),
        letters => TaskState(letters | plus),
    }
}

/// The state that the kernel would print for a value.
fn letters(plan: &Plan, format: &EventFormat, order: ByteOrder, value: u64) -> Option<TaskState> {
    let field = format.field("prev_state")?;
    let mut event = vec![
        0u8;
        field
            .offset
            .checked_add(field.size)
            .filter(|end| *end <= 4096)?
    ];
    let at = &mut event[field.offset..];
    if !order.big_endian {
        at.copy_from_slice(value.to_le_bytes().get(..field.size)?)
    } else {
        at.copy_from_slice(value.to_be_bytes().get(8usize.checked_sub(field.size)?..)?)
    }
    // Fields after the state are zero.
    event.resize(4096, 0);
    let symbols = Symbols::default();
    let mut made = Vec::new();
    let mut text = None;
    let mut context = Context {
        event: &event,
        format,
        order,
        symbols: &symbols,
        made: &mut made,
    };
    plan.each(&mut context, |key, shown| {
        if key == b"prev_state" {
            text = Some(shown);
        }
    });
    match text? {
        Shown::Text(text) => TaskState::parse(text),
        Shown::Made(range) => TaskState::parse(made.get(range)?),
        _ => None,
    }
}
