-- Dumps of native heaps as intervals of time.

-- What each callsite allocated since the dump before.
CREATE PERFETTO TABLE _ahp_callsites AS
SELECT
  upid,
  heap_name,
  ts,
  min(id) AS id,
  sum(count) AS count,
  sum(size) AS size,
  sum(max(size, 0)) AS allocated
FROM heap_profile_allocation
GROUP BY upid, heap_name, ts, callsite_id;

-- Each dump of a heap: id, upid, heap_name, ts, dur, and in bytes retained (of callsites that allocated more than they freed),
-- allocated and delta (what was allocated minus what was freed). A dump whose recorder does not tell when the interval
-- began follows the dump before.
CREATE PERFETTO TABLE _android_heap_profile_intervals AS
WITH dumps AS (
  SELECT
    min(site.id) AS id,
    site.upid,
    site.heap_name,
    site.ts AS ts_end,
    dump.ts AS start_ts,
    sum(iif(site.count > 0, site.size, 0)) AS retained,
    sum(site.allocated) AS allocated,
    sum(site.size) AS delta
  FROM _ahp_callsites AS site
  JOIN heap_profile AS dump ON dump.upid = site.upid AND dump.ts_end = site.ts
  GROUP BY site.upid, site.heap_name, site.ts
),
begun AS (
  SELECT
    *,
    iif(
      start_ts < ts_end,
      start_ts,
      min(1 + lag(ts_end, 1, trace_start()) OVER (PARTITION BY upid, heap_name ORDER BY ts_end), ts_end)
    ) AS ts
  FROM dumps
)
SELECT id, upid, heap_name, ts, ts_end - ts AS dur, retained, allocated, delta
FROM begun;
