-- Input: keys and touches, and the windows that got them.

-- Keys.
CREATE PERFETTO VIEW android_key_events(
  -- The row.
  id LONG,
  -- The number that the event keeps on its way.
  event_id LONG,
  -- When the system had processed it.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- What it comes from, such as a touch screen.
  source LONG,
  -- What happened, such as down or move.
  action LONG,
  -- The device.
  device_id LONG,
  -- The display.
  display_id LONG,
  -- The key.
  key_code LONG
)
AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id, key_code
FROM __intrinsic_android_key_events;

-- Touches and movements.
CREATE PERFETTO VIEW android_motion_events(
  -- The row.
  id LONG,
  -- The number that the event keeps on its way.
  event_id LONG,
  -- When the system had processed it.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- What it comes from, such as a touch screen.
  source LONG,
  -- What happened, such as down or move.
  action LONG,
  -- The device.
  device_id LONG,
  -- The display.
  display_id LONG
)
AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id
FROM __intrinsic_android_motion_events;

-- The windows that got an event.
CREATE PERFETTO VIEW android_input_event_dispatch(
  -- The row.
  id LONG,
  -- The number that the event keeps on its way.
  event_id LONG,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- The state of the windows with which this was decided.
  vsync_id LONG,
  -- The window.
  window_id LONG
)
AS
SELECT id, event_id, arg_set_id, vsync_id, window_id
FROM __intrinsic_android_input_event_dispatch;
