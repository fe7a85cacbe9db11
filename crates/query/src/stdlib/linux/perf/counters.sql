-- The counters of the samples of perf.

-- The value of a counter at a sample; NULL if the sample has no such counter.
CREATE PERFETTO FUNCTION linux_perf_counter_for_sample(
  -- The sample.
  sample_id JOINID(perf_sample.id),
  -- The counter's name, such as cpu-clock or instructions.
  counter_name STRING
)
-- The value.
RETURNS DOUBLE
AS
SELECT c.value
FROM __intrinsic_profiler_sample AS s
JOIN __intrinsic_profiler_counter_set AS v ON v.counter_set_id = s.counter_set_id
JOIN counter AS c ON c.id = v.counter_id
JOIN perf_counter_track AS t ON t.id = c.track_id
WHERE s.id = $sample_id AND s.source = 'linux.perf' AND t.name = $counter_name
LIMIT 1;

-- The samples of perf with their counters: a row for each counter of each sample.
CREATE PERFETTO VIEW linux_perf_sample_with_counters(
  -- The sample.
  sample_id JOINID(perf_sample.id),
  -- When.
  ts TIMESTAMP,
  -- The thread, if it is known.
  utid JOINID(thread.id),
  -- The CPU, if it is known.
  cpu LONG,
  -- Whether it ran in the kernel or in user space.
  cpu_mode STRING,
  -- The callsite.
  callsite_id JOINID(stack_profile_callsite.id),
  -- What went wrong when its stack was read.
  unwind_error STRING,
  -- The recording.
  perf_session_id JOINID(perf_session.id),
  -- The counter's value, as a row of counter.
  counter_id JOINID(counter.id),
  -- The counter's track.
  track_id JOINID(track.id),
  -- The value.
  counter_value DOUBLE
)
AS
SELECT
  p.id AS sample_id,
  p.ts,
  p.utid,
  p.cpu,
  p.cpu_mode,
  p.callsite_id,
  p.unwind_error,
  p.perf_session_id,
  c.id AS counter_id,
  c.track_id,
  c.value AS counter_value
FROM perf_sample AS p
JOIN __intrinsic_profiler_sample AS s ON s.id = p.id
JOIN __intrinsic_profiler_counter_set AS v ON v.counter_set_id = s.counter_set_id
JOIN counter AS c ON c.id = v.counter_id;
