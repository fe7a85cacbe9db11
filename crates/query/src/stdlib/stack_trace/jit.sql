-- Code that was compiled at run time.

-- Pieces of code.
CREATE PERFETTO VIEW _jit_code(
  -- The piece.
  jit_code_id LONG,
  -- When it was made.
  create_ts TIMESTAMP,
  -- When other code took its place, at the latest.
  estimated_delete_ts TIMESTAMP,
  -- The thread that made it.
  utid JOINID(thread.id),
  -- Its first address.
  start_address LONG,
  -- Its size, bytes.
  size LONG,
  -- The function.
  function_name STRING,
  -- The code itself.
  native_code BYTES
)
AS
SELECT
  id AS jit_code_id, create_ts, estimated_delete_ts, utid, start_address, size, function_name,
  base64_decode(native_code_base64) AS native_code
FROM __intrinsic_jit_code;

-- Frames in such code.
CREATE PERFETTO VIEW _jit_frame(
  -- The piece of code.
  jit_code_id LONG,
  -- The frame.
  frame_id JOINID(stack_profile_frame.id)
)
AS
SELECT jit_code_id, frame_id FROM __intrinsic_jit_frame;
