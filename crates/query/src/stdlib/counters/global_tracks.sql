-- Counters of the whole machine.

-- Whether the name is all that tells a counter from others of its type.
CREATE PERFETTO FUNCTION _counter_track_is_only_name_dimension(
  -- The track of the counter.
  track_id LONG
)
RETURNS BOOL
AS
SELECT count(*) = 0
FROM counter_track AS track
JOIN args ON args.arg_set_id = track.dimension_arg_set_id
WHERE track.id = $track_id AND args.key <> 'name';
