-- Which device it is.

-- The code name of a device: the third part of the fingerprint of its system, up to a colon.
CREATE PERFETTO FUNCTION android_device_name_from_fingerprint(
  -- The fingerprint, such as google/raven/raven:13/TQ1A/9:user/release-keys.
  fingerprint STRING
)
RETURNS STRING
AS
SELECT str_split(str_split($fingerprint, '/', 2), ':', 0);

-- The code names of the devices in the trace.
CREATE PERFETTO TABLE android_device_name(
  -- The code name.
  name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
)
AS
SELECT android_device_name_from_fingerprint(android_build_fingerprint) AS name, id AS machine_id
FROM machine
WHERE android_build_fingerprint IS NOT NULL;
