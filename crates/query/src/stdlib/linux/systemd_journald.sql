-- The log of systemd.

-- The messages.
CREATE PERFETTO VIEW linux_systemd_journald_logs(
  -- The row in logs.
  id ID,
  -- When.
  ts TIMESTAMP,
  -- The thread.
  utid JOINID(thread.id),
  -- How urgent it is: 0 for an emergency to 7 for details.
  prio LONG,
  -- The program.
  tag STRING,
  -- The message.
  msg STRING,
  -- The user.
  uid LONG,
  -- The name of the process.
  comm STRING,
  -- The unit.
  systemd_unit STRING,
  -- The machine.
  hostname STRING,
  -- How it reached the log.
  transport STRING
)
AS
SELECT
  id,
  ts,
  utid,
  prio,
  tag,
  msg,
  CAST(extract_arg(arg_set_id, 'uid') AS INT) AS uid,
  extract_arg(arg_set_id, 'comm') AS comm,
  extract_arg(arg_set_id, 'systemd_unit') AS systemd_unit,
  extract_arg(arg_set_id, 'hostname') AS hostname,
  extract_arg(arg_set_id, 'transport') AS transport
FROM logs
WHERE log_source = 'systemd_journald';
