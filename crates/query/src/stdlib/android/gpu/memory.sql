-- The memory of GPUs.

INCLUDE PERFETTO MODULE linux.memory.general;

-- How much memory each process had on a GPU, bytes. The last value of a process lasts until a nanosecond after its end, or
-- after the end of the trace.
CREATE PERFETTO TABLE android_gpu_memory_per_process(
  ts TIMESTAMP,
  dur DURATION,
  upid JOINID(process.id),
  gpu_memory LONG
)
AS
SELECT
  counter.ts,
  lead(counter.ts, 1, ifnull(process.end_ts, trace_end()) + 1) OVER (PARTITION BY track_id ORDER BY counter.ts, counter.id) - counter.ts AS dur,
  upid,
  CAST(value AS INT) AS gpu_memory
FROM counter
JOIN process_counter_track AS track ON track.id = track_id
JOIN process USING (upid)
WHERE track.name = 'GPU Memory'
ORDER BY track_id, counter.ts;
