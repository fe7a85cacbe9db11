-- Memory that processes share with devices (dma-buf), over time.

INCLUDE PERFETTO MODULE counters.intervals;

-- What each process holds, bytes.
CREATE PERFETTO TABLE _dmabuf_spans AS
SELECT track.upid, held.ts, held.dur, cast_int!(held.value) AS dmabuf_rss
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE track_id IN (SELECT id FROM counter_track WHERE name = 'mem.dmabuf_rss')
)) AS held
JOIN process_counter_track AS track ON track.id = held.track_id;
