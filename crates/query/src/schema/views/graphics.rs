//! Views about GPUs, buffers and frames.

use super::view::{View, view};

/// A view of the slices on some tracks, with their arguments. `$of` are columns of the track.
macro_rules! of_arguments {
    ($name:literal, $doc:literal, $of:literal, $which:literal, $($argument:literal AS $column:literal),*) => {
        view(
            $name,
            $doc,
            concat!("id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id", $of, $(", ", $column),*),
            concat!(
                "SELECT slice.id, slice.ts, slice.dur, slice.track_id, slice.category, slice.name, slice.depth, ",
                "slice.parent_id, slice.arg_set_id",
                $of,
                $(", extract_arg(slice.arg_set_id, '", $argument, "') AS ", $column,)*
                " FROM slice JOIN __intrinsic_track AS track ON track.id = slice.track_id WHERE track.type ",
                $which
            ),
        )
    };
}

pub(super) const GPU_COUNTER_TRACK: View = view(
    "gpu_counter_track",
    "Counters of GPUs.",
    "id, name, type, parent_id, source_arg_set_id, machine_id, unit, description, ugpu, gpu_id",
    "SELECT track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.machine_id, \
     track.counter_unit AS unit, extract_arg(track.source_arg_set_id, 'description') AS description, coalesce(detail.ugpu, extract_arg(track.dimension_arg_set_id, 'ugpu')) AS ugpu, \
     coalesce(detail.gpu_id, extract_arg(track.dimension_arg_set_id, 'gpu')) AS gpu_id \
     FROM __intrinsic_track AS track LEFT JOIN _gpu_track_detail AS detail ON detail.track_id = track.id \
     WHERE track.event_type = 'counter' AND (track.type = 'gpu_counter' \
     OR extract_arg(track.dimension_arg_set_id, 'ugpu') IS NOT NULL)",
);

pub(super) const GPU_TRACK: View = view(
    "gpu_track",
    "Tracks of what GPUs do, and of the buffers that are drawn.",
    "id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id, machine_id, scope, description, context_id",
    "SELECT track.id, track.name, track.type, track.parent_id, track.source_arg_set_id, track.dimension_arg_set_id, \
     track.machine_id, track.type AS scope, extract_arg(track.source_arg_set_id, 'description') AS description, \
     NULL AS context_id FROM __intrinsic_track AS track \
     WHERE track.type IN ('drm_vblank', 'drm_sched_ring', 'drm_fence', 'mali_mcu_state', 'gpu_render_stage', \
     'vulkan_events', 'gpu_log', 'graphics_frame_event')",
);

pub(super) const GPU: View = view(
    "gpu",
    "The GPUs.",
    "id, ugpu, gpu, name, vendor, model, architecture, uuid, pci_bdf, machine_id, arg_set_id",
    "SELECT id, id AS ugpu, gpu, name, vendor, model, architecture, uuid, pci_bdf, machine_id, arg_set_id \
     FROM __intrinsic_gpu WHERE gpu IS NOT NULL",
);

pub(super) const FRAME_SLICE: View = of_arguments!(
    "frame_slice",
    "What happened to the buffers that were drawn.",
    "",
    "= 'graphics_frame_event'",
    "layer_name" AS "layer_name",
    "frame_number" AS "frame_number",
    "queue_to_acquire_time" AS "queue_to_acquire_time",
    "acquire_to_latch_time" AS "acquire_to_latch_time",
    "latch_to_present_time" AS "latch_to_present_time"
);

pub(super) const GPU_SLICE: View = of_arguments!(
    "gpu_slice",
    "What GPUs did: stages of rendering, submissions, messages.",
    "",
    "IN ('gpu_render_stage', 'vulkan_events', 'gpu_log')",
    "context_id" AS "context_id",
    "render_target" AS "render_target",
    "render_target_name" AS "render_target_name",
    "render_pass" AS "render_pass",
    "render_pass_name" AS "render_pass_name",
    "command_buffer" AS "command_buffer",
    "command_buffer_name" AS "command_buffer_name",
    "frame_id" AS "frame_id",
    "submission_id" AS "submission_id",
    "hw_queue_id" AS "hw_queue_id",
    "upid" AS "upid",
    "render_subpasses" AS "render_subpasses",
    "render_stage_category" AS "render_stage_category"
);

pub(super) const EXPECTED_FRAMES: View = of_arguments!(
    "expected_frame_timeline_slice",
    "When frames of apps and of the display were expected.",
    ", upid",
    "= 'android_expected_frame_timeline'",
    "Display frame token" AS "display_frame_token",
    "Surface frame token" AS "surface_frame_token",
    "Layer name" AS "layer_name"
);

pub(super) const ACTUAL_FRAMES: View = of_arguments!(
    "actual_frame_timeline_slice",
    "When frames of apps and of the display came, and whether they were late.",
    ", upid",
    "= 'android_actual_frame_timeline'",
    "Display frame token" AS "display_frame_token",
    "Surface frame token" AS "surface_frame_token",
    "Layer name" AS "layer_name",
    "Present type" AS "present_type",
    "On time finish" AS "on_time_finish",
    "GPU composition" AS "gpu_composition",
    "Jank type" AS "jank_type",
    "Jank severity type" AS "jank_severity_type",
    "Prediction type" AS "prediction_type",
    "Jank tag" AS "jank_tag",
    "Jank tag (experimental)" AS "jank_tag_experimental",
    "Jank Severity Score" AS "jank_score",
    "Latched unsignaled count" AS "latched_unsignaled_count",
    "Addressable unsignaled latch count" AS "addressable_unsignaled_latch_count",
    "Latched fence state" AS "latched_fence_state"
);
