-- The work that apps let the system schedule, as the atoms of statsd tell it (ATOM_SCHEDULED_JOB_STATE_CHANGED).

INCLUDE PERFETTO MODULE android.battery.charging_states;
INCLUDE PERFETTO MODULE android.screen_state;
INCLUDE PERFETTO MODULE intervals.intersect;

-- The atoms, without those of jobs that were canceled. next_… is what the next atom of the job tells.
CREATE PERFETTO TABLE _job_changes AS
WITH
  _jc_atom AS (
    SELECT
      slice.id,
      slice.ts,
      slice.arg_set_id,
      extract_arg(slice.arg_set_id, 'scheduled_job_state_changed.job_name') AS job_name,
      extract_arg(slice.arg_set_id, 'scheduled_job_state_changed.attribution_node[0].uid') AS uid,
      extract_arg(slice.arg_set_id, 'scheduled_job_state_changed.job_id') AS job_id,
      extract_arg(slice.arg_set_id, 'scheduled_job_state_changed.state') AS state,
      extract_arg(slice.arg_set_id, 'scheduled_job_state_changed.internal_stop_reason') AS internal_stop_reason,
      extract_arg(slice.arg_set_id, 'scheduled_job_state_changed.public_stop_reason') AS public_stop_reason
    FROM slice
    JOIN track ON track.id = slice.track_id
    WHERE track.name = 'Statsd Atoms' AND slice.name = 'scheduled_job_state_changed'
  )
SELECT
  *,
  lead(ts) OVER _jc_job AS next_ts,
  lead(state) OVER _jc_job AS next_state,
  lead(internal_stop_reason) OVER _jc_job AS next_internal_stop_reason,
  lead(public_stop_reason) OVER _jc_job AS next_public_stop_reason
FROM _jc_atom
WHERE state != 'CANCELLED'
WINDOW _jc_job AS (PARTITION BY uid, job_name, job_id ORDER BY ts, id);

-- A fact that an atom tells about its job.
CREATE PERFETTO MACRO _job_fact(
  -- The fact, as a text.
  fact Expr
)
RETURNS Expr
AS extract_arg(arg_set_id, 'scheduled_job_state_changed.' || $fact);

-- The times in which jobs ran. A name is @NAMESPACE@TAG:PACKAGE, @NAMESPACE@PACKAGE/CLASS or TAG:PACKAGE.
CREATE PERFETTO TABLE android_job_scheduler_states(
  -- A number in order of time.
  id ID,
  ts TIMESTAMP,
  dur DURATION,
  -- The atom of the start.
  slice_id JOINID(slice.id),
  -- The name that the app gave the job.
  job_name STRING,
  -- The user of the app.
  uid LONG,
  -- The number of the job.
  job_id LONG,
  -- The package.
  package_name STRING,
  -- The namespace.
  job_namespace STRING,
  -- The priority with which it ran.
  effective_priority LONG,
  -- Whether it needs a battery that is not low.
  has_battery_not_low_constraint BOOL,
  -- Whether it needs a charger.
  has_charging_constraint BOOL,
  -- Whether it needs a network.
  has_connectivity_constraint BOOL,
  -- Whether it waits for a change of some content.
  has_content_trigger_constraint BOOL,
  -- Whether it has to run before a time.
  has_deadline_constraint BOOL,
  -- Whether it needs a device that nobody uses.
  has_idle_constraint BOOL,
  -- Whether it needs storage that is not low.
  has_storage_not_low_constraint BOOL,
  -- Whether it waits for a time.
  has_timing_delay_constraint BOOL,
  -- Whether it loads data before the app is used.
  is_prefetch BOOL,
  -- Whether the app asked for a quick start.
  is_requested_expedited_job BOOL,
  -- Whether it got that.
  is_running_as_expedited_job BOOL,
  -- How often it was tried before.
  num_previous_attempts LONG,
  -- The priority that the app asked for.
  requested_priority LONG,
  -- How often the app is used: ACTIVE, WORKING_SET, FREQUENT, RARE, NEVER, RESTRICTED or EXEMPTED.
  standby_bucket STRING,
  -- Whether it runs again and again.
  is_periodic BOOL,
  -- Whether the system may shift it.
  has_flex_constraint BOOL,
  -- Whether the app said that the user began it.
  is_requested_as_user_initiated_job BOOL,
  -- Whether it runs as such a job.
  is_running_as_user_initiated_job BOOL,
  -- The time before which it has to run.
  deadline_ms LONG,
  -- How long it waited.
  job_start_latency_ms LONG,
  -- How many pieces of work are left.
  num_uncompleted_work_items LONG,
  -- The state of the app's process.
  proc_state STRING,
  -- Why it stopped, for the system.
  internal_stop_reason STRING,
  -- Why it stopped, for the app.
  public_stop_reason STRING
)
AS
SELECT
  row_number() OVER (ORDER BY ts, id) AS id,
  ts,
  next_ts - ts AS dur,
  id AS slice_id,
  job_name,
  uid,
  job_id,
  CASE
    WHEN job_name NOT GLOB '@*' THEN str_split(job_name, '/', 0)
    WHEN str_split(job_name, '/', 1) GLOB 'com*' THEN str_split(job_name, '/', 1)
    ELSE str_split(str_split(job_name, '/', 0), '@', 2)
  END AS package_name,
  iif(job_name GLOB '@*', str_split(job_name, '@', 1), str_split(job_name, '/', 1)) AS job_namespace,
  _job_fact!('effective_priority') AS effective_priority,
  _job_fact!('has_battery_not_low_constraint') AS has_battery_not_low_constraint,
  _job_fact!('has_charging_constraint') AS has_charging_constraint,
  _job_fact!('has_connectivity_constraint') AS has_connectivity_constraint,
  _job_fact!('has_content_trigger_constraint') AS has_content_trigger_constraint,
  _job_fact!('has_deadline_constraint') AS has_deadline_constraint,
  _job_fact!('has_idle_constraint') AS has_idle_constraint,
  _job_fact!('has_storage_not_low_constraint') AS has_storage_not_low_constraint,
  _job_fact!('has_timing_delay_constraint') AS has_timing_delay_constraint,
  _job_fact!('is_prefetch') AS is_prefetch,
  _job_fact!('is_requested_expedited_job') AS is_requested_expedited_job,
  _job_fact!('is_running_as_expedited_job') AS is_running_as_expedited_job,
  _job_fact!('num_previous_attempts') AS num_previous_attempts,
  _job_fact!('requested_priority') AS requested_priority,
  _job_fact!('standby_bucket') AS standby_bucket,
  _job_fact!('is_periodic') AS is_periodic,
  -- Releases without this field have no such jobs.
  ifnull(_job_fact!('has_flex_constraint'), 0) AS has_flex_constraint,
  _job_fact!('is_requested_as_user_initiated_job') AS is_requested_as_user_initiated_job,
  _job_fact!('is_running_as_user_initiated_job') AS is_running_as_user_initiated_job,
  _job_fact!('deadline_ms') AS deadline_ms,
  _job_fact!('job_start_latency_ms') AS job_start_latency_ms,
  _job_fact!('num_uncompleted_work_items') AS num_uncompleted_work_items,
  _job_fact!('proc_state') AS proc_state,
  next_internal_stop_reason AS internal_stop_reason,
  next_public_stop_reason AS public_stop_reason
FROM _job_changes
WHERE state = 'STARTED' AND next_state IN ('FINISHED', 'SCHEDULED') AND next_ts > ts;

-- Whether the device was charged and its screen on, at each time.
CREATE PERFETTO TABLE _job_surroundings AS
SELECT row_number() OVER (ORDER BY both.ts) AS id, both.ts, both.dur, charging.charging_state, screen.screen_state
FROM _interval_intersect!((android_charging_states, android_screen_state), ()) AS both
JOIN android_charging_states AS charging ON charging.id = both.id_0
JOIN android_screen_state AS screen ON screen.id = both.id_1;

-- The same, cut where the charger or the screen changed. A name has the number of the job behind it.
CREATE PERFETTO TABLE android_job_scheduler_with_screen_charging_states(
  ts TIMESTAMP,
  dur DURATION,
  -- The atom of the start.
  slice_id JOINID(slice.id),
  -- The name and the number of the job.
  job_name STRING,
  -- The number of the job.
  job_id LONG,
  -- The user of the app.
  uid LONG,
  -- How long the job ran in all.
  job_dur DURATION,
  -- The package.
  package_name STRING,
  -- The namespace.
  job_namespace STRING,
  -- Whether the device was charged: Charging, Discharging, Not charging, Full or Unknown.
  charging_state STRING,
  -- Whether the screen was on: Screen on, Screen off, Always-on display (doze) or Unknown.
  screen_state STRING,
  -- The others are those of android_job_scheduler_states.
  effective_priority LONG,
  has_battery_not_low_constraint BOOL,
  has_charging_constraint BOOL,
  has_connectivity_constraint BOOL,
  has_content_trigger_constraint BOOL,
  has_deadline_constraint BOOL,
  has_idle_constraint BOOL,
  has_storage_not_low_constraint BOOL,
  has_timing_delay_constraint BOOL,
  is_prefetch BOOL,
  is_requested_expedited_job BOOL,
  is_running_as_expedited_job BOOL,
  num_previous_attempts LONG,
  requested_priority LONG,
  standby_bucket STRING,
  is_periodic BOOL,
  has_flex_constraint BOOL,
  is_requested_as_user_initiated_job BOOL,
  is_running_as_user_initiated_job BOOL,
  deadline_ms LONG,
  job_start_latency_ms LONG,
  num_uncompleted_work_items LONG,
  proc_state STRING,
  internal_stop_reason STRING,
  public_stop_reason STRING
)
AS
SELECT
  both.ts, both.dur, job.slice_id, job.job_name || '_' || job.job_id AS job_name, job.job_id, job.uid, job.dur AS job_dur,
  job.package_name, job.job_namespace, around.charging_state, around.screen_state, job.effective_priority,
  job.has_battery_not_low_constraint, job.has_charging_constraint, job.has_connectivity_constraint,
  job.has_content_trigger_constraint, job.has_deadline_constraint, job.has_idle_constraint,
  job.has_storage_not_low_constraint, job.has_timing_delay_constraint, job.is_prefetch, job.is_requested_expedited_job,
  job.is_running_as_expedited_job, job.num_previous_attempts, job.requested_priority, job.standby_bucket, job.is_periodic,
  job.has_flex_constraint, job.is_requested_as_user_initiated_job, job.is_running_as_user_initiated_job, job.deadline_ms,
  job.job_start_latency_ms, job.num_uncompleted_work_items, job.proc_state, job.internal_stop_reason,
  job.public_stop_reason
FROM _interval_intersect!((_job_surroundings, android_job_scheduler_states), ()) AS both
JOIN _job_surroundings AS around ON around.id = both.id_0
JOIN android_job_scheduler_states AS job ON job.id = both.id_1;
