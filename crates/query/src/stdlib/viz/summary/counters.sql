-- Which counters have values.

-- Tracks with values: id.
CREATE PERFETTO TABLE _counter_track_summary AS
SELECT DISTINCT track_id AS id
FROM counter;
