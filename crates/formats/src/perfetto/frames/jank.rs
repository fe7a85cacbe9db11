//! Names for the reasons why a frame was late.

/// `FrameTimelineEvent.JankType`.
mod bit {
    pub const UNSPECIFIED: i32 = 0;
    pub const NONE: i32 = 1;
    pub const SF_SCHEDULING: i32 = 2;
    pub const PREDICTION_ERROR: i32 = 4;
    pub const DISPLAY_HAL: i32 = 8;
    pub const SF_CPU_DEADLINE: i32 = 16;
    pub const SF_GPU_DEADLINE: i32 = 32;
    pub const APP_DEADLINE: i32 = 64;
    pub const BUFFER_STUFFING: i32 = 128;
    pub const UNKNOWN: i32 = 256;
    pub const SF_STUFFING: i32 = 512;
    pub const DROPPED: i32 = 1_024;
    pub const NON_ANIMATING: i32 = 2_048;
    pub const APP_JITTER: i32 = 4_096;
    pub const DISPLAY_OFF: i32 = 8_192;
    pub const MODE_CHANGE: i32 = 16_384;
    pub const POWER_MODE_CHANGE: i32 = 32_768;
}

/// `PRESENT_DROPPED`.
const DROPPED: i32 = 4;

/// The names of the reasons, in the order in which they are listed.
const REASONS: [(i32, &str); 15] = [
    (bit::SF_SCHEDULING, "SurfaceFlinger Scheduling"),
    (bit::PREDICTION_ERROR, "Prediction Error"),
    (bit::DISPLAY_HAL, "Display HAL"),
    (bit::SF_CPU_DEADLINE, "SurfaceFlinger CPU Deadline Missed"),
    (bit::SF_GPU_DEADLINE, "SurfaceFlinger GPU Deadline Missed"),
    (bit::APP_DEADLINE, "App Deadline Missed"),
    (bit::APP_JITTER, "App Resynced Jitter"),
    (bit::BUFFER_STUFFING, "Buffer Stuffing"),
    (bit::UNKNOWN, "Unknown Jank"),
    (bit::SF_STUFFING, "SurfaceFlinger Stuffing"),
    (bit::DROPPED, "Dropped Frame"),
    (bit::NON_ANIMATING, "Non Animating"),
    (bit::DISPLAY_OFF, "Display not ON"),
    (bit::MODE_CHANGE, "ModeChange in progress"),
    (bit::POWER_MODE_CHANGE, "PowerModeChange in progress"),
];

/// Reasons in SurfaceFlinger and the display.
const OF_DISPLAY: i32 = bit::SF_SCHEDULING
    | bit::PREDICTION_ERROR
    | bit::DISPLAY_HAL
    | bit::SF_CPU_DEADLINE
    | bit::SF_GPU_DEADLINE;

/// Reasons in the app.
const OF_SURFACE: i32 = bit::APP_DEADLINE | bit::APP_JITTER | bit::UNKNOWN;

/// The names of all reasons in a set of bits.
pub(super) fn reasons(bits: i32) -> String {
    match bits {
        bit::UNSPECIFIED => "Unspecified".to_owned(),
        bit::NONE => "None".to_owned(),
        _ => {
            let set = REASONS.iter().filter(|(bit, _)| bits & bit != 0);
            set.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
        }
    }
}

/// The jank tag: the component that caused the jank. `present` is the frame's `PresentType`, which is only used for
/// surface frames.
pub(super) fn tag(bits: i32, is_surface: bool, present: i32) -> &'static str {
    let is_counted = !matches!(bits, bit::NONE | bit::NON_ANIMATING | bit::DISPLAY_OFF);
    let of_display = is_counted && bits & OF_DISPLAY != 0;
    let of_surface = is_counted && is_surface && bits & OF_SURFACE != 0;
    let is_dropped = if is_surface {
        present == DROPPED
    } else {
        bits == bit::DROPPED
    };
    match bits {
        bit::UNSPECIFIED => "Unspecified",
        _ if of_surface || (of_display && !is_surface) => "Self Jank",
        _ if of_display => "Other Jank",
        bit::BUFFER_STUFFING if is_surface => "Buffer Stuffing",
        bit::SF_STUFFING => "SurfaceFlinger Stuffing",
        _ if is_dropped => "Dropped Frame",
        bit::NON_ANIMATING | bit::DISPLAY_OFF | bit::POWER_MODE_CHANGE => "Non-perceivable Jank",
        _ => "No Jank",
    }
}

/// `PresentType`.
pub(super) fn present(kind: i32) -> &'static str {
    match kind {
        1 => "On-time Present",
        2 => "Late Present",
        3 => "Early Present",
        4 => "Dropped Frame",
        5 => "Unknown Present",
        _ => "Unspecified Present",
    }
}

/// `PredictionType`.
pub(super) fn prediction(kind: i32) -> &'static str {
    match kind {
        1 => "Valid Prediction",
        2 => "Expired Prediction",
        3 => "Unknown Prediction",
        _ => "Unspecified Prediction",
    }
}

/// `JankSeverityType`. Older devices do not record it. Then the severity is known only for a frame without jank.
pub(super) fn severity(kind: Option<i64>, bits: i32) -> &'static str {
    match kind {
        Some(1) => "None",
        Some(2) => "Partial",
        Some(3) => "Full",
        None if bits == bit::NONE => "None",
        _ => "Unknown",
    }
}

/// `LatchedFenceState`.
pub(super) fn fence(kind: i64) -> &'static str {
    match kind {
        1 => "Latched Signaled",
        2 => "Latched Unsignaled",
        3 => "Delayed Latch Fence Unsignaled",
        _ => "Unknown",
    }
}
