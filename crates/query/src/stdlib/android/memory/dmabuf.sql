-- Buffers that processes and devices share (dma-buf).

-- Each change of the total size, with the buffer.
CREATE PERFETTO TABLE _dmabuf_change AS
SELECT
  counter.id,
  counter.ts,
  cast_int!(counter.value) AS buf_size,
  extract_arg(counter.arg_set_id, 'inode') AS inode,
  track.utid
FROM counter
JOIN thread_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'mem.dma_heap_change';

-- What the service that allocates buffers did, and the threads that asked for it.
CREATE PERFETTO TABLE _gralloc_call AS
SELECT served.ts, served.dur, service.utid, asking.utid AS asking_utid
FROM slice AS served
JOIN thread_track AS service ON service.id = served.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
JOIN flow ON flow.slice_in = served.id
JOIN slice AS asked ON asked.id = flow.slice_out
JOIN thread_track AS asking ON asking.id = asked.track_id
WHERE
  served.name = 'binder reply'
  AND (
    process.name GLOB '/vendor/bin/hw/android.hardware.graphics.allocator*'
    OR process.name GLOB '/vendor/bin/hw/*gralloc.allocator*'
  );

-- The changes, with the thread that asked for each.
CREATE PERFETTO TABLE _dmabuf_caused AS
SELECT
  change.*,
  ifnull(
    (
      SELECT asking_utid
      FROM _gralloc_call AS call
      WHERE call.utid = change.utid AND change.ts BETWEEN call.ts AND call.ts + call.dur
      ORDER BY call.ts DESC
      LIMIT 1
    ),
    change.utid
  ) AS cause_utid
FROM _dmabuf_change AS change;

-- Buffers that were allocated or freed. A buffer is freed on account of the thread that it was allocated for.
CREATE PERFETTO TABLE android_dmabuf_allocs(
  -- When it was allocated or freed.
  ts TIMESTAMP,
  -- Its size, bytes; negative if it was freed.
  buf_size LONG,
  -- The number of the buffer.
  inode LONG,
  -- The thread that it was allocated for.
  utid JOINID(thread.id),
  -- The number of this thread.
  tid LONG,
  -- The name of this thread.
  thread_name STRING,
  -- The process of this thread.
  upid JOINID(process.id),
  -- The number of this process.
  pid LONG,
  -- The name of this process.
  process_name STRING
)
AS
WITH owned AS (
  SELECT
    ts,
    buf_size,
    inode,
    iif(
      buf_size > 0, cause_utid, lag(cause_utid) OVER (PARTITION BY inode ORDER BY ts, id)
    ) AS utid
  FROM _dmabuf_caused
)
SELECT
  ts,
  buf_size,
  inode,
  utid,
  tid,
  thread.name AS thread_name,
  upid,
  pid,
  process.name AS process_name
FROM owned
JOIN thread USING (utid)
LEFT JOIN process USING (upid)
ORDER BY ts;

-- How much each process has allocated, over time.
CREATE PERFETTO TABLE android_memory_cumulative_dmabuf(
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The thread of the buffer that was allocated or freed.
  utid JOINID(thread.id),
  -- The name of this thread.
  thread_name STRING,
  -- When that was.
  ts TIMESTAMP,
  -- What the process has then, bytes.
  value LONG
)
AS
SELECT
  upid,
  process_name,
  utid,
  thread_name,
  ts,
  sum(buf_size) OVER (PARTITION BY ifnull(upid, utid) ORDER BY ts) AS value
FROM android_dmabuf_allocs;
