-- Transitions between windows.

-- What takes part in transitions.
CREATE PERFETTO VIEW android_window_manager_shell_transition_participants(
  -- The transition.
  transition_id LONG,
  -- The layer.
  layer_id LONG,
  -- The window.
  window_id LONG,
  -- How it takes part: opening, closing and so on.
  mode LONG,
  -- Flags of its part.
  flags LONG,
  -- The display it is on before.
  start_display_id LONG,
  -- The display it is on afterwards.
  end_display_id LONG,
  -- How it is turned before.
  start_rotation LONG,
  -- How it is turned afterwards.
  end_rotation LONG,
  -- Where it is before.
  start_abs_bounds_rect_id LONG,
  -- Where it is afterwards.
  end_abs_bounds_rect_id LONG
)
AS
SELECT
  transition_id,
  layer_id,
  window_id,
  mode,
  flags,
  start_display_id,
  end_display_id,
  start_rotation,
  end_rotation,
  start_abs_bounds_rect_id,
  end_abs_bounds_rect_id
FROM __intrinsic_window_manager_shell_transition_participants;

-- The messages about transitions.
CREATE PERFETTO VIEW android_window_manager_shell_transition_protos(
  -- The transition.
  transition_id LONG,
  -- The whole message: a row of __intrinsic_winscope_proto.
  base64_proto_id LONG
)
AS
SELECT transition_id, base64_proto_id
FROM __intrinsic_window_manager_shell_transition_protos;
