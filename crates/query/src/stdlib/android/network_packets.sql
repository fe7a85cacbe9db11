-- What network packets cost: a radio stays on for a while after each packet.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- Packets of the network, each or several at once.
CREATE PERFETTO VIEW android_network_packets(
  id JOINID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_name STRING,
  -- The package of the app, or its uid.
  package_name STRING,
  -- The interface, such as wlan0.
  iface STRING,
  -- Received or Transmitted.
  direction STRING,
  packet_count LONG,
  -- The bytes of all packets.
  packet_length LONG,
  -- Such as IPPROTO_TCP.
  packet_transport STRING,
  -- A letter for each flag of TCP that any packet had.
  packet_tcp_flags STRING,
  packet_tcp_flags_int LONG,
  -- In hexadecimal.
  socket_tag STRING,
  socket_tag_int LONG,
  socket_uid LONG,
  local_port LONG,
  remote_port LONG,
  packet_icmp_type LONG,
  packet_icmp_code LONG
)
AS
SELECT
  packet.id, slice.ts, slice.dur, track.name AS track_name, slice.name AS package_name, iface, direction, packet_count,
  packet_length, packet_transport, packet_tcp_flags_str AS packet_tcp_flags, packet_tcp_flags AS packet_tcp_flags_int,
  socket_tag_str AS socket_tag, socket_tag AS socket_tag_int, socket_uid, local_port, remote_port, packet_icmp_type,
  packet_icmp_code
FROM __intrinsic_android_network_packets AS packet
JOIN slice ON slice.id = packet.id
JOIN track ON track.id = slice.track_id;

-- Packets, with the end of those before (ts_before) and a number that is the same for packets that overlap or touch
-- (burst), within each partition. Each packet lasts extra longer than its dur.
CREATE PERFETTO MACRO _anp_bursts(src TableOrSubquery, partition_columns ColumnNameList, extra Expr)
RETURNS TableOrSubquery
AS (
  SELECT
    *,
    sum(ts_before IS NULL OR ts > ts_before) OVER (
      PARTITION BY metasql_unparenthesize_exprlist!($partition_columns) ORDER BY ts
    ) AS burst
  FROM (
    SELECT
      *,
      max(ts + dur + $extra) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($partition_columns)
        ORDER BY ts
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS ts_before
    FROM $src
  )
);

-- When the radio is on: ts, dur, packet_count and packet_length of each stretch, and the columns of the partition.
CREATE PERFETTO MACRO android_network_uptime_spans(
  -- Packets: ts, dur, packet_count, packet_length, and the columns of the partition.
  src TableOrSubquery,
  -- Columns in parentheses.
  partition_columns ColumnNameList,
  -- How long the radio stays on, nanoseconds.
  timeout Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    metasql_unparenthesize_exprlist!($partition_columns),
    min(ts) AS ts,
    max(ts + dur + $timeout) - min(ts) AS dur,
    sum(packet_count) AS packet_count,
    sum(packet_length) AS packet_length
  FROM _anp_bursts!($src, $partition_columns, $timeout)
  GROUP BY metasql_unparenthesize_exprlist!($partition_columns), burst
);

-- How much longer the radio is on because of each row of packets: id, uptime_cost. Packets that overlap share their time by
-- their number.
CREATE PERFETTO MACRO android_network_uptime_cost(
  -- Packets: id, ts, dur, packet_count, and the columns of the partition.
  src TableOrSubquery,
  -- Columns in parentheses.
  partition_columns ColumnNameList,
  -- How long the radio stays on, nanoseconds.
  timeout Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    id,
    max(0, min($timeout, ifnull(ts - ts_before, $timeout)))
      + (max(ts + dur) OVER _anp_burst - min(ts) OVER _anp_burst) * packet_count
        / sum(packet_count) OVER _anp_burst AS uptime_cost
  FROM _anp_bursts!($src, $partition_columns, 0)
  WINDOW _anp_burst AS (PARTITION BY metasql_unparenthesize_exprlist!($partition_columns), burst)
);
