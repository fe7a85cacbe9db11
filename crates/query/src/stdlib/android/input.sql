-- Input: keys and touches, and the windows that got them.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.surfaceflinger;
INCLUDE PERFETTO MODULE slices.with_context;
INCLUDE PERFETTO MODULE intervals.intersect;

-- Messages between the system and apps: sendMessage(inputChannel=CHANNEL, seq=0xNUMBER, type=TYPE) and receiveMessage(…). The
-- system sends an event, the app gets it, sends that it is done with it, and the system gets this.
CREATE PERFETTO TABLE _input_message AS
SELECT
  name GLOB 'send*' AS is_sent,
  str_split(str_split(name, '=', 3), ')', 0) AS type,
  str_split(str_split(name, '=', 2), ',', 0) AS seq,
  str_split(str_split(name, '=', 1), ',', 0) AS channel,
  -- The side of the app has the same name, but for this.
  replace(str_split(str_split(name, '=', 1), ',', 0), '(client)', '(server)') AS system_channel,
  id,
  parent_id,
  ts,
  dur,
  track_id,
  tid,
  thread_name,
  upid,
  pid,
  process_name
FROM thread_slice
WHERE upid IS NOT NULL AND (name GLOB 'sendMessage(*' OR name GLOB 'receiveMessage(*')
ORDER BY seq, system_channel;

-- When the system read events: UnwantedInteractionBlocker::notifyMotion…(id=ID, …).
CREATE PERFETTO TABLE _input_read_time AS
SELECT str_split(str_split(str_split(name, 'id=', 1), ',', 0), ')', 0) AS input_event_id, ts AS read_time
FROM slice
WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*';

-- The ids of events by channel and number. Three slices around the message, the system names the event: …=…=ID).
CREATE PERFETTO TABLE _input_event_of_message AS
SELECT
  sent.seq,
  sent.channel,
  str_split(str_split(sent.channel, ' ', 1), '/', 0) AS process_name,
  str_split(str_split(enqueued.name, '=', 2), ')', 0) AS input_event_id
FROM _input_message AS sent
JOIN slice AS published ON published.id = sent.parent_id
JOIN slice AS dispatched ON dispatched.id = published.parent_id
JOIN slice AS enqueued ON enqueued.id = dispatched.parent_id
WHERE sent.is_sent AND sent.thread_name = 'InputDispatcher';

-- What apps do with events: deliverInputEvent src=… eventTimeNano=TIME id=ID, within a slice that has the action as third word.
CREATE PERFETTO TABLE _input_delivery AS
SELECT
  work.id,
  work.ts,
  work.dur,
  work.utid,
  work.upid,
  work.process_name,
  str_split(work.name, '=', 3) AS input_event_id,
  str_split(around.name, ' ', 2) AS event_action,
  CAST(str_split(str_split(work.name, ' ', 2), '=', 1) AS INT) AS event_time
FROM thread_slice AS work
JOIN slice AS around ON around.id = work.parent_id
WHERE work.name GLOB 'deliverInputEvent src=*';

-- The work of UI threads on frames.
CREATE PERFETTO TABLE _input_do_frame AS
SELECT frame.id, slice.ts, slice.dur, frame.ui_thread_utid AS utid, frame.frame_id
FROM android_frames_choreographer_do_frame AS frame
JOIN slice USING (id);

-- The frame during which an event is handled.
CREATE PERFETTO TABLE _input_exact_frame AS
SELECT delivery.id AS delivery_id, frame.id AS do_frame_id, FALSE AS is_speculative
FROM _input_delivery AS delivery
JOIN _input_do_frame AS frame
  ON frame.utid = delivery.utid AND frame.ts < delivery.ts + delivery.dur AND frame.ts + frame.dur > delivery.ts
WHERE delivery.dur > 0 AND frame.dur > 0;

-- Else the next frame of the thread, which likely shows what the event changed.
CREATE PERFETTO TABLE _input_frame AS
SELECT * FROM _input_exact_frame
UNION ALL
SELECT delivery_id, do_frame_id, TRUE
FROM (
  SELECT delivery.id AS delivery_id, frame.id AS do_frame_id, min(frame.ts)
  FROM _input_delivery AS delivery
  JOIN _input_do_frame AS frame ON frame.utid = delivery.utid AND frame.ts >= delivery.ts
  WHERE delivery.id NOT IN (SELECT delivery_id FROM _input_exact_frame)
  GROUP BY delivery.id
);

-- When frames of apps were on the screen: the end of SurfaceFlinger's frame on the same screen.
CREATE PERFETTO TABLE _input_presented AS
SELECT app.upid, app.ts, shown.ts + shown.dur AS present_time
FROM actual_frame_timeline_slice AS shown
JOIN actual_frame_timeline_slice AS app
  ON app.display_frame_token = shown.display_frame_token AND app.id != shown.id
WHERE shown.surface_frame_token IS NULL AND app.present_type != 'Dropped Frame'
ORDER BY app.ts;

-- What became of events: the frame, and when it was on the screen.
CREATE PERFETTO TABLE _input_outcome AS
SELECT
  message.seq,
  read.read_time,
  (
    SELECT present_time
    FROM _input_presented AS shown
    WHERE shown.upid = delivery.upid AND shown.ts >= do_frame.ts
    ORDER BY shown.ts
    LIMIT 1
  ) AS present_time,
  do_frame.frame_id,
  delivery.event_action,
  delivery.event_time,
  frame.is_speculative
FROM _input_event_of_message AS message
JOIN _input_read_time AS read USING (input_event_id)
LEFT JOIN (_input_frame AS frame JOIN _input_delivery AS delivery ON delivery.id = frame.delivery_id)
  ON delivery.input_event_id = message.input_event_id AND delivery.process_name = message.process_name
LEFT JOIN _input_do_frame AS do_frame ON do_frame.id = frame.do_frame_id;

-- A channel without what differs from one to the next.
CREATE PERFETTO FUNCTION _normalize_event_channel(
  -- The channel.
  event_channel STRING
)
RETURNS STRING
AS
SELECT
  CASE
    -- [Gesture Monitor] swipe-up
    WHEN $event_channel GLOB '[[]*] *' THEN $event_channel
    -- ccf6448 PopupWindow:b20fb4d
    WHEN $event_channel GLOB '* *:*' THEN trim(
      substr(str_split($event_channel, ':', 0), instr($event_channel, ' ') + 1)
    )
    -- b3407d8 com.example/com.example.Main
    WHEN $event_channel GLOB '* *' THEN trim(substr($event_channel, instr($event_channel, ' ') + 1))
    -- PointerEventDispatcher23
    WHEN $event_channel GLOB '*[0-9]' THEN regexp_extract($event_channel, '^(.*[a-zA-Z])')
    ELSE $event_channel
  END;

-- Events and how long each part of their way took.
CREATE PERFETTO TABLE android_input_events(
  -- From the system to the app.
  dispatch_latency_dur DURATION,
  -- Until the app was done with it.
  handling_latency_dur DURATION,
  -- Until the system knew that.
  ack_latency_dur DURATION,
  -- The sum of these three.
  total_latency_dur DURATION,
  -- From the time when the system read the event until the frame was on the screen; NULL without a frame.
  end_to_end_latency_dur DURATION,
  -- The number of the thread of the app.
  tid LONG,
  -- Its name.
  thread_name STRING,
  -- The app.
  upid JOINID(process.upid),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The type of the message.
  event_type STRING,
  -- What happened, such as DOWN or MOVE.
  event_action STRING,
  -- The number of the message: 0x and digits.
  event_seq STRING,
  -- The channel to the window.
  event_channel STRING,
  -- Without what differs from one channel to the next.
  normalized_event_channel STRING,
  -- The id of the event.
  input_event_id STRING,
  -- When the system read the event.
  read_time TIMESTAMP,
  -- The track of the system's thread.
  dispatch_track_id JOINID(track.id),
  -- When the system sent the event.
  dispatch_ts TIMESTAMP,
  -- How long sending took.
  dispatch_dur DURATION,
  -- When the app got it.
  receive_ts TIMESTAMP,
  -- How long getting took.
  receive_dur DURATION,
  -- The track of the app's thread.
  receive_track_id JOINID(track.id),
  -- The frame during which the app handled it, else the next one.
  frame_id LONG,
  -- Whether it is the next one.
  is_speculative_frame BOOL,
  -- When it happened, as the app knows it.
  event_time TIMESTAMP
)
AS
SELECT
  receive.ts - dispatch.ts AS dispatch_latency_dur,
  finish.ts - receive.ts AS handling_latency_dur,
  ack.ts - finish.ts AS ack_latency_dur,
  ack.ts - dispatch.ts AS total_latency_dur,
  outcome.present_time - outcome.read_time AS end_to_end_latency_dur,
  finish.tid,
  finish.thread_name,
  finish.upid,
  finish.pid,
  finish.process_name,
  dispatch.type AS event_type,
  outcome.event_action,
  dispatch.seq AS event_seq,
  dispatch.channel AS event_channel,
  _normalize_event_channel(dispatch.channel) AS normalized_event_channel,
  message.input_event_id,
  read.read_time,
  dispatch.track_id AS dispatch_track_id,
  dispatch.ts AS dispatch_ts,
  dispatch.dur AS dispatch_dur,
  receive.ts AS receive_ts,
  receive.dur AS receive_dur,
  receive.track_id AS receive_track_id,
  outcome.frame_id,
  outcome.is_speculative AS is_speculative_frame,
  outcome.event_time
FROM _input_message AS dispatch
JOIN _input_message AS receive
  ON receive.seq = dispatch.seq
  AND receive.system_channel = dispatch.channel
  AND NOT receive.is_sent
  AND receive.type NOT IN ('0x2', 'FINISHED')
JOIN _input_message AS finish
  ON finish.seq = dispatch.seq
  AND finish.system_channel = dispatch.channel
  AND finish.is_sent
  AND finish.thread_name != 'InputDispatcher'
JOIN _input_message AS ack
  ON ack.seq = dispatch.seq
  AND ack.channel = dispatch.channel
  AND NOT ack.is_sent
  AND ack.type IN ('0x2', 'FINISHED')
LEFT JOIN _input_outcome AS outcome ON outcome.seq = dispatch.seq
LEFT JOIN _input_event_of_message AS message ON message.seq = dispatch.seq AND message.channel = dispatch.channel
LEFT JOIN _input_read_time AS read ON read.input_event_id = message.input_event_id
WHERE dispatch.is_sent AND dispatch.thread_name = 'InputDispatcher'
ORDER BY dispatch.seq, dispatch.channel;

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
