-- Starts of an app, in traces that it recorded of itself. Such a trace has the app's own slices only.

INCLUDE PERFETTO MODULE android.profiling_manager.util;

-- Starts of the process, from binding the app on.
CREATE PERFETTO TABLE android_profiling_manager_cold_startup(
  ts TIMESTAMP,
  -- app_startup_ttff or app_startup_tti.
  name STRING,
  dur DURATION,
  -- What ends the start. TTFF: the first frame. TTI: the app says that it is fully drawn.
  startup_checkpoint STRING
)
AS
WITH _pm_ends(name, last, startup_checkpoint) AS (
  VALUES
    ('app_startup_ttff', 'Choreographer#doFrame [0-9]*', 'TTFF'),
    ('app_startup_tti', 'reportFullyDrawn*', 'TTI')
)
SELECT start.ts, _pm_ends.name, start.dur, startup_checkpoint
FROM _pm_ends
JOIN _android_generate_start_to_end_slices('bindApplication', _pm_ends.last, TRUE) AS start
ORDER BY startup_checkpoint, start.ts;
