-- What the modules about the memory of processes have in common.

-- The values of counters of processes, each until the next one, or until the process ended.
CREATE PERFETTO VIEW _all_counters_per_process AS
SELECT
  counter.ts,
  lead(counter.ts, 1, ifnull(process.end_ts, trace_end()) + 1) OVER (
    PARTITION BY counter.track_id ORDER BY counter.ts
  ) - counter.ts AS dur,
  track.upid,
  counter.value,
  counter.track_id,
  track.name
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
JOIN process USING (upid);
