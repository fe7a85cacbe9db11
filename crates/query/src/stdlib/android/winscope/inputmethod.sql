-- The states of keyboards and other input methods.

-- States of the apps that use an input method.
CREATE PERFETTO VIEW android_inputmethod_clients(
  -- The row.
  id LONG,
  -- When it was recorded.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID
)
AS
SELECT id, ts, arg_set_id
FROM __intrinsic_inputmethod_clients;

-- States of the service that manages input methods.
CREATE PERFETTO VIEW android_inputmethod_manager_service(
  -- The row.
  id LONG,
  -- When it was recorded.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID
)
AS
SELECT id, ts, arg_set_id
FROM __intrinsic_inputmethod_manager_service;

-- States of input methods themselves.
CREATE PERFETTO VIEW android_inputmethod_service(
  -- The row.
  id LONG,
  -- When it was recorded.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID
)
AS
SELECT id, ts, arg_set_id
FROM __intrinsic_inputmethod_service;
