-- Flags of the system and its apps.

-- The flags of the system, with their values at one time.
CREATE PERFETTO VIEW android_aflags(
  -- When it was recorded.
  ts TIMESTAMP,
  -- The package of the flag.
  package STRING,
  -- The name within the package.
  name STRING,
  -- What the flag is grouped by.
  flag_namespace STRING,
  -- Where it is installed, such as system.
  container STRING,
  -- The value in effect.
  value STRING,
  -- The value after the next start of the device; NULL if it stays.
  staged_value STRING,
  -- Whether it can be changed: read-only or read-write.
  permission STRING,
  -- Where the value comes from: default, server or local.
  value_picked_from STRING,
  -- What stores the value: none, aconfigd or device_config.
  storage_backend STRING,
  -- The type of the value: boolean or integer.
  type STRING
)
AS
SELECT
  ts,
  package,
  name,
  flag_namespace,
  container,
  value,
  staged_value,
  permission,
  value_picked_from,
  storage_backend,
  type
FROM __intrinsic_android_aflags;
