-- Starts of apps in Android 10 to 12 (API levels 29 to 32).

INCLUDE PERFETTO MODULE android.startup.startup_events;

-- From one request to show an activity to the next.
CREATE PERFETTO TABLE _startup_requests AS
SELECT ts, lead(ts, 1, trace_end()) OVER (ORDER BY ts) AS ts_end
FROM slice
WHERE name = 'MetricsLogger:launchObserverNotifyIntentStarted'
ORDER BY ts;

-- A start lasts from the request to the end of the system's slice. A request counts if it led to one such slice and if the
-- system said that a start had succeeded.
CREATE PERFETTO TABLE _startups_minsdk29 AS
SELECT
  request.ts,
  event.ts_end,
  event.ts_end - request.ts AS dur,
  event.package_name AS package,
  NULL AS startup_type
FROM _startup_requests AS request
JOIN _startup_events AS event
  ON event.ts BETWEEN request.ts AND request.ts_end
  AND event.ts_end BETWEEN request.ts AND request.ts_end
WHERE
  (
    SELECT count(*) FROM _startup_events AS other WHERE other.ts BETWEEN request.ts AND request.ts_end
  ) = 1
  AND EXISTS (
    SELECT 1
    FROM slice
    WHERE
      name = 'MetricsLogger:launchObserverNotifyActivityLaunchFinished'
      AND ts BETWEEN request.ts AND request.ts_end
  )
ORDER BY request.ts;
