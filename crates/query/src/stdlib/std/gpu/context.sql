-- The contexts in which programs use GPUs.

-- The contexts, each once.
CREATE PERFETTO VIEW gpu_context(
  id ID,
  -- The handle of the context.
  context_id LONG,
  -- The program's process.
  pid LONG,
  -- OPEN_GL, VULKAN, OPEN_CL, CUDA, HIP or UNDEFINED.
  api STRING
)
AS
SELECT id, context_id, pid, api FROM __intrinsic_gpu_context;
