-- Starts of apps from Android 13 on (API level 33).

-- What the system says at the end of a start: launchingActivity#NUMBER:completed-TYPE:PACKAGE. Older releases do not say the
-- type. A start within a running process is not one.
CREATE PERFETTO TABLE _startup_completions AS
SELECT DISTINCT
  CAST(str_split(said, ':', 0) AS INT) AS startup_id,
  str_split(said, ':', 2) AS package,
  CASE str_split(said, ':', 1)
    WHEN 'completed-hot' THEN 'hot'
    WHEN 'completed-warm' THEN 'warm'
    WHEN 'completed-cold' THEN 'cold'
  END AS startup_type
FROM (
  SELECT substr(name, length('launchingActivity#') + 1) AS said
  FROM slice
  WHERE
    dur = 0
    AND name GLOB 'launchingActivity#*:completed*:*'
    AND name NOT GLOB '*:completed-same-process:*'
)
ORDER BY 1, 2, 3;

-- A start lasts as long as the system's slice launchingActivity#NUMBER.
CREATE PERFETTO TABLE _startups_minsdk33 AS
SELECT startup_id, ts, ts + dur AS ts_end, dur, package, startup_type
FROM (
  SELECT CAST(substr(name, length('launchingActivity#') + 1) AS INT) AS startup_id, ts, dur
  FROM slice
  WHERE name GLOB 'launchingActivity#*' AND instr(name, ':') = 0 AND dur > 0
)
JOIN _startup_completions USING (startup_id);
