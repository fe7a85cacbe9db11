-- The slices of the system about the start of apps.

INCLUDE PERFETTO MODULE slices.with_context;

-- The time from the system's decision to show an activity until its window is drawn, which the system notes as a slice
-- with the name of the package.
CREATE PERFETTO TABLE _startup_events AS
SELECT ts, dur, ts + dur AS ts_end, str_split(name, ': ', 1) AS package_name
FROM process_slice
WHERE name GLOB 'launching: *' AND ifnull(process_name, 'system_server') = 'system_server';
