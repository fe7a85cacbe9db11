-- When CPUs were in the hypervisor of a protected virtual machine.

-- Each time a CPU was in the hypervisor.
CREATE PERFETTO VIEW pkvm_hypervisor_events(
  -- The slice.
  slice_id JOINID(slice.id),
  -- The CPU.
  cpu JOINID(cpu.cpu),
  -- When it entered.
  ts TIMESTAMP,
  -- How long it stayed.
  dur DURATION,
  -- Why it entered: host_hcall, host_smc, host_mem_abort and others. NULL if the trace does not tell.
  reason STRING
)
AS
SELECT
  slice.id AS slice_id,
  extract_arg(track.dimension_arg_set_id, 'cpu') AS cpu,
  slice.ts,
  slice.dur,
  extract_arg(slice.arg_set_id, 'hyp_enter_reason') AS reason
FROM slice
JOIN track ON track.id = slice.track_id
WHERE
  track.type = 'pkvm_hypervisor';
