//! Recognises the slices of frames by the names that Android gives them.

use traceloom_trace::StringPool;

/// The role of a slice in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Role {
    /// No role.
    Other,
    /// A frame on a UI thread.
    Frame,
    /// A traversal of the views. Before Android 4.1 no slice marked the whole frame, so this one is the frame.
    Traversal,
    /// The part of a frame that the RenderThread draws.
    Render,
    /// A frame on the UI thread of Flutter.
    Flutter,
    /// The work inside such a frame. Some releases mark only this.
    FlutterWork,
    /// The part of a frame that Flutter's raster thread draws.
    Raster,
    /// The hand-over of a buffer to the compositor.
    Buffer,
    /// The app's own slice around the hand-over. Some traces have only this slice.
    Swap,
    /// A vsync that Flutter responds to.
    Tick,
    /// The compositor composes a picture: Android 12 and later.
    Composite,
    /// The same before Android 12.
    Refresh,
    /// The message that makes the compositor compose.
    Message,
}

/// The roles whose slices can be the frames of the compositor. The first role of which a thread has slices is used.
pub(super) const COMPOSITOR: [Role; 3] = [Role::Composite, Role::Refresh, Role::Message];

/// The same for the UI thread of an app.
pub(super) const APP: [Role; 2] = [Role::Frame, Role::Traversal];

/// The same for the UI thread of Flutter.
pub(super) const FLUTTER: [Role; 2] = [Role::Flutter, Role::FlutterWork];

/// The roles of threads that draw the frames of a UI thread.
pub(super) const DRAWERS: [Role; 2] = [Role::Render, Role::Raster];

/// The same for a thread that only queues buffers.
pub(super) const BUFFERS: [Role; 2] = [Role::Buffer, Role::Swap];

/// The role of each string.
pub(super) fn roles(strings: &StringPool) -> Vec<Role> {
    strings.iter().map(|(_, name)| role(name)).collect()
}

/// Newer releases append the vsync ID: `Choreographer#doFrame 16149055`,
/// `DrawFrames 16149055`, `composite 16149055`; or that the frame was moved:
/// `Choreographer#doFrame - resynced to 16149057 in 20.1ms`.
fn role(name: &str) -> Role {
    match split(name).0 {
        "Choreographer#doFrame" => Role::Frame,
        "DrawFrame" | "DrawFrames" => Role::Render,
        "performTraversals" => Role::Traversal,
        "Animator::BeginFrame" => Role::Flutter,
        "Framework" if name.starts_with("Framework Workload") => Role::FlutterWork,
        "GPURasterizer::Draw" | "Rasterizer::DoDraw" => Role::Raster,
        "queueBuffer" => Role::Buffer,
        "eglSwapBuffers" | "eglSwapBuffersWithDamageKHR" => Role::Swap,
        "VSYNC" | "VsyncProcessCallback" => Role::Tick,
        "composite" => Role::Composite,
        "handleMessageRefresh" => Role::Refresh,
        "onMessageReceived" => Role::Message,
        _ => Role::Other,
    }
}

/// The digits of the vsync ID in a name.
pub(super) fn vsync_id(name: &str) -> Option<&str> {
    let (first, rest) = split(name);
    let rest = rest.strip_prefix("- resynced to ").unwrap_or(rest);
    let (digits, _) = split(rest);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match first {
        "Choreographer#doFrame" | "DrawFrame" | "DrawFrames" | "composite" => {
            is_number.then_some(digits)
        }
        _ => None,
    }
}

/// Splits a text at the first space.
fn split<'a>(text: &'a str) -> (&'a str, &'a str) {
    let space = text.bytes().position(|byte| byte == b' ');
    let space = space.unwrap_or(text.len());
    let part = |part: Option<&'a str>| part.unwrap_or_default();
    (part(text.get(..space)), part(text.get(space + 1..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_releases() {
        for (name, expected, id) in [
            ("Choreographer#doFrame", Role::Frame, None),
            (
                "Choreographer#doFrame 16149055",
                Role::Frame,
                Some("16149055"),
            ),
            (
                "Choreographer#doFrame - resynced to 77 in 3.1ms",
                Role::Frame,
                Some("77"),
            ),
            ("DrawFrame", Role::Render, None),
            ("DrawFrames 77", Role::Render, Some("77")),
            ("Framework Workload", Role::FlutterWork, None),
            ("Framework Worker", Role::Other, None),
            ("GPURasterizer::Draw", Role::Raster, None),
            ("queueBuffer", Role::Buffer, None),
            ("composite 9", Role::Composite, Some("9")),
            ("handleMessageRefresh", Role::Refresh, None),
            ("performTraversals", Role::Traversal, None),
            ("Choreographer#doFrames", Role::Other, None),
            ("draw", Role::Other, None),
            ("", Role::Other, None),
        ] {
            assert_eq!((role(name), vsync_id(name)), (expected, id), "{name}");
        }
    }
}
