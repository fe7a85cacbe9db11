-- States of threads in words.

-- What the letters of a state of a thread mean; other texts stay as they are.
CREATE PERFETTO FUNCTION sched_state_to_human_readable_string(
  -- The letters, as in thread_state.state.
  short_name STRING
)
RETURNS STRING
AS
WITH state(letters, words) AS (
  VALUES
    ('R', 'Runnable'), ('R+', 'Runnable (Preempted)'),
    ('S', 'Sleeping'), ('D', 'Uninterruptible Sleep'),
    ('T', 'Stopped'), ('t', 'Traced'),
    ('X', 'Exit (Dead)'), ('Z', 'Exit (Zombie)'), ('x', 'Task Dead'),
    ('I', 'Idle'), ('K', 'Wakekill'), ('W', 'Waking'), ('P', 'Parked'), ('N', 'No Load')
)
SELECT ifnull((SELECT words FROM state WHERE letters = $short_name), $short_name);

-- As sched_state_to_human_readable_string, and whether the thread waits for input and output.
CREATE PERFETTO FUNCTION sched_state_io_to_human_readable_string(
  -- The letters, as in thread_state.state.
  sched_state STRING,
  -- As in thread_state.io_wait.
  io_wait BOOL
)
RETURNS STRING
AS
SELECT ifnull(sched_state_to_human_readable_string($sched_state), '')
  || CASE $io_wait WHEN 0 THEN ' (non-IO)' WHEN 1 THEN ' (IO)' ELSE '' END;
