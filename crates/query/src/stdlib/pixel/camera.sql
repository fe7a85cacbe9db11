-- The camera of Pixel phones: the nodes that process its frames, and the memory of its processes.

INCLUDE PERFETTO MODULE counters.global_tracks;
INCLUDE PERFETTO MODULE linux.memory.process;
INCLUDE PERFETTO MODULE slices.with_context;

-- The slices of nodes. Their names are camCAMERA_NODE:PORTS (frame NUMBER).
CREATE PERFETTO TABLE pixel_camera_frames(
  -- The slice.
  id ID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_id JOINID(track.id),
  -- The thread that ran the node.
  utid JOINID(thread.id),
  thread_name STRING,
  -- The node.
  node STRING,
  -- Its group of ports.
  port_group STRING,
  -- The number of the frame.
  frame_number LONG,
  -- The number of the camera.
  cam_id LONG
)
AS
WITH _px_node AS (
  SELECT *, str_split(name, ':', 0) AS head, str_split(name, ':', 1) AS tail
  FROM thread_slice
  WHERE name GLOB 'cam*_*:* (frame *)' AND dur != -1
)
SELECT
  id,
  ts,
  dur,
  track_id,
  utid,
  thread_name,
  -- Numbers of cameras have one digit.
  substr(head, length('camN_') + 1) AS node,
  str_split(tail, ' (', 0) AS port_group,
  cast_int!(str_split(str_split(name, '(frame', 1), ')', 0)) AS frame_number,
  cast_int!(str_split(str_split(name, 'cam', 1), '_', 0)) AS cam_id
FROM _px_node;

-- The resident memory of processes.
CREATE PERFETTO TABLE _px_rss AS
SELECT
  ts,
  dur,
  upid,
  process.name,
  start_ts,
  coalesce(file_rss, 0) + coalesce(anon_rss, 0) + coalesce(shmem_rss, 0) AS rss
FROM memory_rss_and_swap_per_process AS memory
JOIN process USING (upid);

-- The memory of the app. Of several processes, the largest one is taken.
CREATE PERFETTO TABLE _px_app AS
SELECT ts, dur, rss AS gca_rss_val
FROM _px_rss
WHERE upid = (
  SELECT upid
  FROM _px_rss
  WHERE name GLOB '*GoogleCamera' OR name GLOB '*googlecamera.fishfood' OR name GLOB '*GoogleCameraEng'
  ORDER BY rss DESC, upid
  LIMIT 1
);

-- The memory of the hardware's process. Of several, the last one to start is taken. If no start is known, the one with
-- the highest upid is taken.
CREATE PERFETTO TABLE _px_hal AS
SELECT ts, dur, rss AS hal_rss_val
FROM _px_rss
WHERE upid = (
  SELECT upid FROM (SELECT upid, max(start_ts) FROM process WHERE name GLOB '*camera.provider*')
);

-- The memory of the camera's server.
CREATE PERFETTO TABLE _px_server AS
SELECT ts, dur, rss AS cameraserver_rss_val
FROM _px_rss
WHERE upid = (
  SELECT upid FROM (SELECT upid, max(start_ts) FROM process WHERE name GLOB '*cameraserver')
);

-- The memory of hardware buffers of all processes.
CREATE PERFETTO TABLE _px_buffers AS
SELECT
  ts,
  lead(ts, 1, trace_end()) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur,
  value AS dma_val
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'mem.dma_heap' AND _counter_track_is_only_name_dimension(track.id);

CREATE VIRTUAL TABLE _px_app_hal
USING SPAN_OUTER_JOIN(_px_app, _px_hal);

CREATE VIRTUAL TABLE _px_processes
USING SPAN_OUTER_JOIN(_px_app_hal, _px_server);

CREATE VIRTUAL TABLE _px_all
USING SPAN_OUTER_JOIN(_px_buffers, _px_processes);

-- The memory of the camera over time, bytes.
CREATE PERFETTO TABLE pixel_camera_memory_span(
  ts TIMESTAMP,
  dur DURATION,
  -- The resident memory of the app.
  gca_rss LONG,
  -- That of the hardware's process.
  hal_rss LONG,
  -- That of the camera's server.
  cameraserver_rss LONG,
  -- The memory of hardware buffers, of all processes.
  dma LONG,
  -- The sum.
  rss_and_dma LONG
)
AS
WITH _px_known AS (
  SELECT
    ts,
    dur,
    cast_int!(ifnull(gca_rss_val, 0)) AS gca_rss,
    cast_int!(ifnull(hal_rss_val, 0)) AS hal_rss,
    cast_int!(ifnull(cameraserver_rss_val, 0)) AS cameraserver_rss,
    cast_int!(ifnull(dma_val, 0)) AS dma
  FROM _px_all
)
SELECT *, gca_rss + hal_rss + cameraserver_rss + dma AS rss_and_dma
FROM _px_known;
