-- Reading and writing of disks.

INCLUDE PERFETTO MODULE intervals.overlap;

-- How many operations wait in the kernel or are with the disk.
CREATE PERFETTO VIEW linux_active_block_io_operations_by_device(
  -- When the number changed.
  ts LONG,
  -- How many.
  ops_in_queue_or_device LONG,
  -- The disk.
  dev LONG
)
AS
SELECT ts, value AS ops_in_queue_or_device, group_name AS dev
FROM intervals_overlap_count_by_group!(
  (
    SELECT slice.ts, slice.dur, extract_arg(track.dimension_arg_set_id, 'block_device') AS dev
    FROM slice
    JOIN track ON track.id = slice.track_id
    WHERE track.type = 'block_io'
  ),
  ts,
  dur,
  dev
);

-- The first of the two numbers of a disk: 12 bits.
CREATE PERFETTO FUNCTION linux_device_major_id(
  -- Both in one, as in user space.
  dev LONG
)
RETURNS LONG
AS
SELECT ($dev >> 8) & 0xfff;

-- The second: 20 bits in two parts.
CREATE PERFETTO FUNCTION linux_device_minor_id(
  -- Both in one, as in user space.
  dev LONG
)
RETURNS LONG
AS
SELECT ($dev & 0xff) | (($dev >> 20) << 8);
