-- The tracks of track events in the order in which pages show them.

-- Each track with what decides its place among its siblings.
CREATE PERFETTO TABLE _track_event_siblings AS
WITH
  first_values AS (
    SELECT track_id, min(ts) AS first_ts FROM counter GROUP BY track_id
    UNION ALL
    SELECT track_id, min(ts) FROM slice GROUP BY track_id
    UNION ALL
    SELECT track_id, min(ts) FROM state GROUP BY track_id
  )
SELECT
  track.id,
  track.parent_id,
  track.name,
  ifnull(extract_arg(track.source_arg_set_id, 'sibling_order_rank'), 0) AS rank,
  extract_arg(parent.source_arg_set_id, 'child_ordering') AS ordering,
  first_ts
FROM track
LEFT JOIN track AS parent ON parent.id = track.parent_id
LEFT JOIN first_values ON first_values.track_id = track.id
WHERE track.type GLOB '*_track_event';

-- The place of each track among its siblings, from 1 on.
CREATE PERFETTO TABLE _track_event_places AS
SELECT
  id,
  first_ts IS NOT NULL AS has_data,
  row_number() OVER (
    PARTITION BY parent_id
    ORDER BY
      iif(ordering = 'explicit', rank, NULL),
      iif(ordering = 'chronological', first_ts, NULL),
      iif(ifnull(ordering, 'lexicographic') = 'lexicographic', name, NULL),
      id
  ) AS place
FROM _track_event_siblings;

-- Tracks, with the lanes of one as one row: what they belong to, how they are shown, and their place among their siblings.
CREATE PERFETTO TABLE _track_event_tracks_ordered_groups AS
WITH
  parents AS (
    SELECT DISTINCT parent_id AS id FROM _track_event_siblings WHERE parent_id IS NOT NULL
  ),
  with_stacks AS (
    SELECT DISTINCT track_id AS id FROM __intrinsic_track_event_callstacks
  )
SELECT
  track.upid,
  track.utid,
  track.parent_id,
  track.event_type = 'counter' AS is_counter,
  track.event_type = 'state' AS is_state,
  track.name,
  min(extract_arg(track.source_arg_set_id, 'description')) AS description,
  min(track.counter_unit) AS unit,
  min(extract_arg(track.source_arg_set_id, 'builtin_counter_type')) AS builtin_counter_type,
  min(extract_arg(track.source_arg_set_id, 'y_axis_share_key')) AS y_axis_share_key,
  max(has_data) AS has_data,
  max(track.id IN (SELECT id FROM parents)) AS has_children,
  max(track.id IN (SELECT id FROM with_stacks)) AS has_callstacks,
  min(track.id) AS min_track_id,
  group_concat(track.id) AS track_ids,
  min(place) AS order_id
FROM _track_event_places
JOIN __intrinsic_track AS track USING (id)
GROUP BY ifnull(track.track_group_id, track.id)
ORDER BY track.parent_id, order_id;
