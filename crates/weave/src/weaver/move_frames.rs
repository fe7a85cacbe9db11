//! Moves a method's frames to new offsets, and adds the frames of trampolines and our handler.

use super::layout::Layout;
use super::skip_reason::SkipReason;
use crate::class::{ClassError, Frame, FrameForm, Frames, VerificationType};

/// The types of all variables and stack entries.
#[derive(Clone, Debug, Default)]
struct Full {
    locals: Vec<VerificationType>,
    stack: Vec<VerificationType>,
}

/// The frames with new offsets. `initial` gives the variables at the start of the method; it is only called if there are
/// trampolines.
pub(super) fn move_frames(
    mut frames: Frames,
    layout: &Layout<'_>,
    initial: impl FnOnce() -> Result<Vec<VerificationType>, SkipReason>,
) -> Result<Frames, SkipReason> {
    const WHAT: &str = "StackMapTable";
    if !layout.trampolines.is_empty() {
        frames = with_trampolines(&frames, layout, initial()?)?;
    } else {
        for frame in &mut frames.frames {
            frame.at = layout.jump(frame.at.into(), WHAT)?;
        }
    }
    for new in frames.uninitialized() {
        *new = layout.place_of(i64::from(*new), WHAT)? as u16;
    }
    Ok(frames)
}

/// All frames in full form, including the frames of trampolines. A trampoline has the frame of its
/// target.
fn with_trampolines(
    frames: &Frames,
    layout: &Layout<'_>,
    initial: Vec<VerificationType>,
) -> Result<Frames, SkipReason> {
    const WHAT: &str = "StackMapTable";
    let full = in_full(frames, initial)?;
    let mut placed = Vec::with_capacity(full.len() + layout.trampolines.len());
    for (frame, full) in frames.frames.iter().zip(&full) {
        placed.push((layout.jump(frame.at.into(), WHAT)?, full));
    }
    for trampoline in &layout.trampolines {
        let target = frames
            .frames
            .binary_search_by_key(&trampoline.target, |frame| frame.at);
        let index = target.map_err(|_| SkipReason::JumpTooFar)?;
        placed.push((trampoline.at, &full[index]));
    }
    placed.sort_by_key(|(at, _)| *at);
    let mut out = Frames::default();
    for (at, full) in placed {
        let form = FrameForm::Full {
            from: out.types.len() as u32,
            locals: full.locals.len() as u16,
            stack: full.stack.len() as u16,
        };
        out.types.extend(&full.locals);
        out.types.extend(&full.stack);
        out.frames.push(Frame { at, form });
    }
    Ok(out)
}

fn in_full(frames: &Frames, initial: Vec<VerificationType>) -> Result<Vec<Full>, SkipReason> {
    let mut now = Full {
        locals: initial,
        stack: Vec::new(),
    };
    let types = |from: u32, count: usize| &frames.types[from as usize..][..count];
    let mut all = Vec::with_capacity(frames.frames.len());
    for frame in &frames.frames {
        now.stack.clear();
        match frame.form {
            FrameForm::Same { .. } => {}
            FrameForm::OneOnStack { stack, .. } => now.stack.push(stack),
            FrameForm::Chop(count) => {
                let left = now.locals.len().checked_sub(count.into());
                now.locals.truncate(left.ok_or_else(chopped_too_much)?);
            }
            FrameForm::Append(from, count) => now.locals.extend(types(from, count.into())),
            FrameForm::Full {
                from,
                locals,
                stack,
            } => {
                let locals = usize::from(locals);
                now.locals = types(from, locals).to_vec();
                now.stack = types(from + locals as u32, stack.into()).to_vec();
            }
        }
        all.push(now.clone());
    }
    Ok(all)
}

fn chopped_too_much() -> SkipReason {
    ClassError::Value {
        what: "variables of a chop frame",
        at: 0,
        value: 0,
    }
    .into()
}

/// Adds the frame of our handler at the end of the code: an exception on the stack.
///
/// Its variables must be valid for the whole covered range. No variables at all are always valid. If the previous frames
/// end with the variables of the method's start, and no instruction ever stores to one of these (`keeps_parameters`), they
/// are valid everywhere too, and the frame takes 4 bytes instead of 10.
pub(super) fn push_handler_frame(
    frames: &mut Frames,
    at: u32,
    exception: u16,
    keeps_parameters: bool,
) {
    let stack = VerificationType::Object(exception);
    let form = if keeps_parameters && ends_as_it_began(frames) {
        FrameForm::OneOnStack {
            extended: false,
            stack,
        }
    } else {
        frames.types.push(stack);
        FrameForm::Full {
            from: frames.types.len() as u32 - 1,
            locals: 0,
            stack: 1,
        }
    };
    frames.frames.push(Frame { at, form });
}

/// Whether the variables after the last frame are those at the start of the method.
fn ends_as_it_began(frames: &Frames) -> bool {
    let mut more = 0;
    for frame in &frames.frames {
        more += match frame.form {
            FrameForm::Same { .. } | FrameForm::OneOnStack { .. } => 0,
            FrameForm::Append(_, count) => i32::from(count),
            FrameForm::Chop(count) => -i32::from(count),
            FrameForm::Full { .. } => return false,
        };
        if more < 0 {
            return false;
        }
    }
    more == 0
}
