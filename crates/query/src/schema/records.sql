-- Tables of PerfettoSQL whose rows are records of the trace, with their columns. A column without a type holds whole
-- numbers; `id` and `ts` without a type are the number and the time of the record, and `TIME` is another name for
-- the time. A number is the value of rows that have none.
__intrinsic_aggregate_profile (
  id, scope TEXT, name TEXT, sample_type_type TEXT, sample_type_unit TEXT
);
__intrinsic_aggregate_sample (
  id, aggregate_profile_id, callsite_id, value REAL
);
__intrinsic_android_aflags (
  id, ts, package TEXT, name TEXT, flag_namespace TEXT, container TEXT, value TEXT, staged_value TEXT,
  permission TEXT, value_picked_from TEXT, storage_backend TEXT, type TEXT
);
__intrinsic_android_cpu_per_uid_track (
  id, track_id, uid, cluster, total_cpu_millis
);
android_dumpstate, __intrinsic_android_dumpstate (
  id, section TEXT, service TEXT, line TEXT
);
android_game_intervention_list, __intrinsic_android_game_intervention_list (
  id, package_name TEXT, uid, current_mode, standard_mode_supported, standard_mode_downscale REAL,
  standard_mode_use_angle, standard_mode_fps REAL, perf_mode_supported, perf_mode_downscale REAL,
  perf_mode_use_angle, perf_mode_fps REAL, battery_mode_supported, battery_mode_downscale REAL,
  battery_mode_use_angle, battery_mode_fps REAL
);
__intrinsic_android_input_event_dispatch (
  id, event_id, arg_set_id, vsync_id, window_id, base64_proto_id
);
__intrinsic_android_key_events (
  id, event_id, ts, arg_set_id, base64_proto_id, source, action, device_id, display_id, key_code
);
__intrinsic_android_motion_events (
  id, event_id, ts, arg_set_id, base64_proto_id, source, action, device_id, display_id
);
__intrinsic_android_network_packets (
  id INT, iface TEXT, direction TEXT, packet_transport TEXT, packet_length, packet_count, socket_tag,
  socket_tag_str TEXT, socket_uid, local_port, remote_port, packet_icmp_type, packet_icmp_code,
  packet_tcp_flags, packet_tcp_flags_str TEXT
);
__intrinsic_android_track_event_process (
  id, upid, start_seq_id, package_uid, caller_uid, defining_uid, fw_start_ts, fw_end_ts, trigger_type TEXT,
  hosting_type TEXT, hosting_name TEXT, bind_application_delay_ms, process_start_delay_ms
);
__intrinsic_android_user_list (
  id, type TEXT, android_user_id
);
__intrinsic_chrome_raw (
  id, ts, name TEXT, utid, arg_set_id
);
__intrinsic_chrome_stack_sample_extras (
  id, profiler_sample_id, process_priority
);
cpu_available_frequencies, __intrinsic_cpu_freq (
  id, cpu, freq, ucpu
);
__intrinsic_elf_file (
  id, file_id, load_bias, build_id TEXT
);
experimental_missing_chrome_processes, __intrinsic_experimental_missing_chrome_processes (
  id, upid, reliable_from
);
__intrinsic_file (
  id, name TEXT, size, trace_type TEXT
);
filedescriptor, __intrinsic_filedescriptor (
  id, ufd, fd, ts, upid, path TEXT
);
_gpu_track_detail (
  track_id, ugpu, gpu_id
);
__intrinsic_gpu (
  id, gpu, machine_id, name TEXT, vendor TEXT, model TEXT, architecture TEXT, uuid TEXT, pci_bdf TEXT,
  arg_set_id
);
__intrinsic_gpu_context (
  id, context_id, pid, api TEXT
);
gpu_counter_group, __intrinsic_gpu_counter_group (
  id, group_id, track_id, name TEXT, description TEXT
);
heap_graph, __intrinsic_heap_graph (
  id, ts, upid, dump_reason TEXT, heap_size, truncated
);
heap_graph_class, __intrinsic_heap_graph_class (
  id, name TEXT, deobfuscated_name TEXT, location TEXT, superclass_id, classloader_id, kind TEXT
);
__intrinsic_heap_graph_java_oome_details (
  id, heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, error_msg TEXT
);
heap_graph_object, __intrinsic_heap_graph_object (
  id, upid, graph_sample_ts TIME, self_size, native_size 0, reference_set_id, reachable 0, heap_type TEXT, type_id,
  root_type TEXT, root_distance -1, object_data_id
);
heap_graph_object_data, __intrinsic_heap_graph_object_data (
  id, field_set_id, value_string TEXT, array_element_type TEXT, array_element_count, array_data_id,
  array_data_hash
);
heap_graph_primitive, __intrinsic_heap_graph_primitive (
  id, field_set_id, field_name TEXT, field_type TEXT, bool_value, byte_value, char_value, short_value,
  int_value, long_value, float_value REAL, double_value REAL
);
_heap_graph_field (
  key TEXT, name TEXT, type TEXT, old_name TEXT
);
_heap_graph_references (
  owner_id
);
heap_graph_thread_callsite, __intrinsic_heap_graph_thread_callsite (
  id, heap_graph_id, utid, callsite_id
);
heap_profile, __intrinsic_heap_profile (
  id, ts, ts_end, dur, upid, heap_name TEXT
);
heap_profile_allocation, __intrinsic_heap_profile_allocation (
  id, ts, upid, heap_name TEXT, callsite_id, count, size
);
__intrinsic_inputmethod_clients, __intrinsic_inputmethod_manager_service, __intrinsic_inputmethod_service (
  id, ts, arg_set_id, base64_proto_id
);
__intrinsic_jit_code (
  id, create_ts, estimated_delete_ts, utid, start_address, size, function_name TEXT, native_code_base64 TEXT,
  jit_code_id
);
__intrinsic_jit_frame (
  id, jit_code_id, frame_id
);
_linux_interrupt_mapping (
  id, irq_id, name TEXT, machine_id
);
logs, __intrinsic_logs (
  id, ts, utid, prio, log_source TEXT, tag TEXT, msg TEXT, arg_set_id
);
__intrinsic_machine (
  id, raw_id, name TEXT, sysname TEXT, release TEXT, version TEXT, arch TEXT, num_cpus,
  android_build_fingerprint TEXT, android_device_manufacturer TEXT, android_sdk_version, system_ram_bytes,
  system_ram_gb
);
machine (
  id, raw_id, name TEXT, sysname TEXT, release TEXT, version TEXT, arch TEXT, num_cpus,
  android_build_fingerprint TEXT, android_device_manufacturer TEXT, android_sdk_version, system_ram_bytes,
  system_ram_gb, label_index
);
memory_snapshot, __intrinsic_memory_snapshot (
  id, timestamp, track_id, detail_level TEXT
);
memory_snapshot_edge, __intrinsic_memory_snapshot_edge (
  id, source_node_id, target_node_id, importance
);
memory_snapshot_node, __intrinsic_memory_snapshot_node (
  id, process_snapshot_id, parent_node_id, path TEXT, size, effective_size, arg_set_id
);
package_list, __intrinsic_package_list (
  id, package_name TEXT, uid, debuggable, profileable_from_shell, version_code
);
process_memory_mappings (
  id, upid, ts, path TEXT, aggregate_count, is_deleted, size_kb, rss_kb, anonymous_kb, swap_kb, shared_clean_kb,
  shared_dirty_kb, private_clean_kb, private_dirty_kb, locked_kb, pss_kb, pss_dirty_kb, swap_pss_kb
);
process_memory_snapshot, __intrinsic_process_memory_snapshot (
  id, snapshot_id, upid
);
__intrinsic_profiler_async_context (
  id, name TEXT, kind TEXT, parent_id
);
_profiler_counter_track (
  id, track_id, session_id, cpu, is_timebase, unit TEXT, description TEXT
);
_profiler_counter_value (
  id, ts, counter_set_id, track_id
);
__intrinsic_profiler_execution_context (
  id, ucpu, cpu_mode TEXT
);
__intrinsic_profiler_sample (
  id, ts, source TEXT, task_context_id, execution_context_id, callsite_id, unwind_error TEXT, session_id,
  counter_set_id
);
__intrinsic_profiler_session (
  id, source TEXT, timebase_unit TEXT, cmdline TEXT
);
profiler_smaps, __intrinsic_profiler_smaps (
  id, upid, ts, path TEXT, path_trimmed TEXT, aggregate_count 1, is_deleted 0, size_kb 0, private_dirty_kb 0,
  swap_kb 0, file_name TEXT, start_address 0, module_timestamp 0, module_debugid TEXT, module_debug_path TEXT,
  protection_flags 0, private_clean_resident_kb 0, shared_dirty_resident_kb 0, shared_clean_resident_kb 0,
  locked_kb 0, proportional_resident_kb 0, rss_kb 0, anonymous_kb 0, pss_dirty_kb 0, swap_pss_kb 0
);
__intrinsic_profiler_task_context (
  id, upid, utid, async_context_id
);
protolog, __intrinsic_protolog (
  id, ts, level TEXT, tag TEXT, message TEXT, stacktrace TEXT, location TEXT
);
__intrinsic_spe_record (
  id, ts, utid, exception_level TEXT, instruction_frame_id, operation TEXT, data_virtual_address,
  data_physical_address, total_latency, issue_latency, translation_latency, events_bitmask, data_source TEXT
);
spurious_sched_wakeup, __intrinsic_spurious_sched_wakeup (
  id, ts, thread_state_id, irq_context, utid, waker_utid
);
stack_profile_callsite, __intrinsic_stack_profile_callsite (
  id, depth, parent_id, frame_id
);
stack_profile_frame, __intrinsic_stack_profile_frame (
  id, name TEXT, mapping, rel_pc, symbol_set_id, deobfuscated_name TEXT, type TEXT
);
stack_profile_mapping, __intrinsic_stack_profile_mapping (
  id, build_id TEXT, exact_offset, start_offset, start, end, load_bias, name TEXT
);
stack_profile_symbol, __intrinsic_stack_profile_symbol (
  id, symbol_set_id, name TEXT, source_file TEXT, line_number, inlined
);
state, __intrinsic_state (
  id, ts, dur, track_id, category TEXT, value TEXT, arg_set_id
);
__intrinsic_surfaceflinger_display (
  id, snapshot_id, is_on, is_virtual, trace_rect_id, display_id, display_name TEXT
);
surfaceflinger_layer, __intrinsic_surfaceflinger_layer (
  id, snapshot_id, arg_set_id, base64_proto_id, layer_id, layer_name TEXT, is_visible, parent,
  corner_radius_tl REAL, corner_radius_tr REAL, corner_radius_bl REAL, corner_radius_br REAL,
  hwc_composition_type, is_hidden_by_policy, z_order_relative_of, is_missing_z_parent, layer_rect_id,
  input_rect_id
);
surfaceflinger_layers_snapshot, __intrinsic_surfaceflinger_layers_snapshot (
  id, ts, arg_set_id, base64_proto_id, sequence_id, has_invalid_elapsed_ts
);
__intrinsic_surfaceflinger_transaction (
  id, snapshot_id, arg_set_id, base64_proto_id, transaction_id, pid, uid, layer_id, display_id, flags_id,
  transaction_type TEXT
);
__intrinsic_surfaceflinger_transaction_flag (
  id, flags_id, flag TEXT
);
surfaceflinger_transactions, __intrinsic_surfaceflinger_transactions (
  id, ts, arg_set_id, base64_proto_id, vsync_id
);
__intrinsic_trace_import_logs (
  id, trace_id, ts, byte_offset, stat_key, arg_set_id
);
_trace_import_logs (
  id, trace_id, ts, byte_offset, severity TEXT, name TEXT, arg_set_id
);
trace_metrics (
  name TEXT
);
__intrinsic_track_event_callstacks (
  id, slice_id, track_id, callsite_id, end_callsite_id, weight REAL
);
__intrinsic_v8_internal_code (
  id, jit_code_id, v8_isolate_id, function_name TEXT, code_type TEXT
);
__intrinsic_v8_isolate (
  id, upid, internal_isolate_id, embedded_blob_code_start_address, embedded_blob_code_size,
  code_range_base_address, code_range_size, shared_code_range, embedded_blob_code_copy_start_address
);
__intrinsic_v8_js_code (
  id, jit_code_id, v8_js_function_id, tier TEXT, bytecode_base64 TEXT
);
__intrinsic_v8_js_function (
  id, name TEXT, v8_js_script_id, is_toplevel, kind TEXT, line, col
);
__intrinsic_v8_js_script (
  id, v8_isolate_id, internal_script_id, script_type TEXT, name TEXT, source TEXT
);
__intrinsic_v8_regexp_code (
  id, jit_code_id, v8_isolate_id, pattern TEXT
);
__intrinsic_v8_wasm_code (
  id, jit_code_id, v8_isolate_id, v8_wasm_script_id, function_name TEXT, tier TEXT, code_offset_in_module
);
__intrinsic_v8_wasm_script (
  id, v8_isolate_id, internal_script_id, url TEXT, wire_bytes_base64 TEXT, source TEXT
);
__intrinsic_viewcapture (
  id, ts, arg_set_id, base64_proto_id, package_name TEXT, window_name TEXT
);
__intrinsic_viewcapture_view (
  id, snapshot_id, arg_set_id, base64_proto_id, node_id, hashcode, is_visible, parent_id, view_id TEXT,
  class_name TEXT, trace_rect_id
);
vulkan_memory_allocations, __intrinsic_vulkan_memory_allocations (
  id, arg_set_id, source TEXT, operation TEXT, timestamp, upid, device, device_memory, memory_type, heap,
  function_name TEXT, object_handle, memory_address, memory_size, scope TEXT
);
window_manager_shell_transition_handlers, __intrinsic_window_manager_shell_transition_handlers (
  id, handler_id, handler_name TEXT, base64_proto_id
);
__intrinsic_window_manager_shell_transition_participants (
  id, transition_id, layer_id, window_id, mode, flags, start_display_id, end_display_id, start_rotation,
  end_rotation, start_abs_bounds_rect_id, end_abs_bounds_rect_id
);
__intrinsic_window_manager_shell_transition_protos (
  id, transition_id, base64_proto_id
);
window_manager_shell_transitions, __intrinsic_window_manager_shell_transitions (
  id, ts, transition_id, arg_set_id, transition_type, send_time_ns, dispatch_time_ns, duration_ns,
  finish_time_ns, shell_abort_time_ns, wm_abort_time_ns, merge_time_ns, create_time_ns, handler, status TEXT,
  flags, start_transaction_id, finish_transaction_id
);
__intrinsic_windowmanager (
  id, ts, arg_set_id, base64_proto_id, focused_display_id, has_invalid_elapsed_ts
);
__intrinsic_windowmanager_windowcontainer (
  id, snapshot_id, arg_set_id, base64_proto_id, title TEXT, token, parent_token, child_index, is_visible,
  window_rect_id, container_type TEXT, name_override TEXT
);
__intrinsic_winscope_fill_region (
  id, trace_rect_id, rect_id
);
__intrinsic_winscope_proto (
  id, base64_proto TEXT
);
__intrinsic_winscope_rect (
  id, x REAL, y REAL, w REAL, h REAL
);
__intrinsic_winscope_trace_rect (
  id, rect_id, group_id, depth, is_spy, is_visible, opacity REAL, transform_id, border_width REAL, border_color
);
__intrinsic_winscope_transform (
  id, dsdx REAL, dtdx REAL, tx REAL, dtdy REAL, dsdy REAL, ty REAL
);
__intrinsic_wattson_curves_cpu_1d (
  device TEXT, policy, freq_khz, static REAL, active REAL, idle0 REAL, idle1 REAL
);
__intrinsic_wattson_curves_cpu_2d (
  device TEXT, policy, freq_khz, dep_policy, dep_freq, static REAL, active REAL, idle0 REAL, idle1 REAL,
  interconnect REAL
);
__intrinsic_wattson_curves_gpu (
  device TEXT, freq_khz, active REAL, idle1 REAL, idle2 REAL
);
__intrinsic_wattson_curves_l3 (
  device TEXT, freq_khz, dep_policy, dep_freq, l3_hit REAL, l3_miss REAL
);
__intrinsic_wattson_curves_tpu (
  device TEXT, cluster, requests, freq, active REAL
);
__intrinsic_trace_diagnostics (
  id, key TEXT, title TEXT, description TEXT, remediation TEXT, confidence REAL, trace_id
);
