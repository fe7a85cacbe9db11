-- Which packages processes belong to.

INCLUDE PERFETTO MODULE android.user_list;

-- How many packages have each user.
CREATE PERFETTO TABLE _uid_package_count AS
SELECT uid, count() AS cnt FROM package_list GROUP BY uid;

-- The user of the app that a sandbox (20000 and up) or a private compute process (30000 and up) works for.
CREATE PERFETTO FUNCTION _app_id_to_base_package(app_id LONG)
RETURNS LONG
AS
SELECT
  $app_id - CASE
    WHEN $app_id BETWEEN 20000 AND 29999 THEN 10000
    WHEN $app_id BETWEEN 30000 AND 39999 THEN 20000
    ELSE 0
  END;

-- The package of a process: the only one of its user, or the one with the longest name that the process's name begins
-- with. Isolated processes have users of their own, so only names count.
CREATE PERFETTO FUNCTION _android_package_for_process(uid LONG, uid_count LONG, process_name STRING)
RETURNS TABLE(package_name STRING, version_code LONG, debuggable BOOL)
AS
SELECT package_name, version_code, debuggable
FROM package_list
WHERE
  CASE
    WHEN $uid BETWEEN 90000 AND 99999 THEN str_split($process_name, ':', 0) GLOB package_name || '*'
    ELSE uid = $uid AND ($uid_count = 1 OR $process_name GLOB package_name || '*')
  END
ORDER BY length(package_name) DESC
LIMIT 1;

-- Threads of the kernel that look like processes: those that kthreadd began, and the first process.
CREATE PERFETTO TABLE _android_kernel_tasks(
  -- The process.
  upid LONG
)
AS
SELECT process.upid
FROM process
LEFT JOIN process AS parent ON parent.upid = process.parent_upid
WHERE process.pid = 0 OR parent.pid = 0 OR parent.name = 'kthreadd'
ORDER BY process.upid;

-- Whether a process is a thread of the kernel.
CREATE PERFETTO FUNCTION android_is_kernel_task(
  -- The process.
  upid LONG
)
RETURNS BOOL
AS
SELECT EXISTS (SELECT 1 FROM _android_kernel_tasks WHERE upid = $upid);

-- The packages of processes.
CREATE PERFETTO TABLE android_process_metadata(
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- Its name. A name of 15 letters may be cut; then the command line counts if it ends with the name.
  process_name STRING,
  -- Its user: the app, without the person.
  uid LONG,
  -- The person that uses the app.
  user_id LONG,
  -- What kind of person that is.
  user_type STRING,
  -- Whether several packages have this user; NULL if not.
  shared_uid BOOL,
  -- The package.
  package_name STRING,
  -- Its version.
  version_code LONG,
  -- Whether it can be debugged.
  debuggable LONG,
  -- Whether it is a thread of the kernel.
  is_kernel_task BOOL
)
AS
WITH owner AS (SELECT *, _app_id_to_base_package(android_appid) AS base_uid FROM process)
SELECT
  owner.upid,
  owner.pid,
  CASE
    WHEN
      length(owner.name) = 15
      AND (
        owner.cmdline IN ('zygote', 'zygote64', '<pre-initialized>')
        OR substr(owner.cmdline, -15) = owner.name
      )
    THEN owner.cmdline
    ELSE owner.name
  END AS process_name,
  owner.android_appid AS uid,
  owner.android_user_id AS user_id,
  user.type AS user_type,
  iif(packages.cnt > 1, TRUE, NULL) AS shared_uid,
  package.package_name,
  package.version_code,
  package.debuggable,
  android_is_kernel_task(owner.upid) AS is_kernel_task
FROM owner
LEFT JOIN _uid_package_count AS packages ON packages.uid = owner.base_uid
LEFT JOIN _android_package_for_process(owner.base_uid, packages.cnt, owner.name) AS package
LEFT JOIN android_user_list AS user ON user.android_user_id = owner.android_user_id
ORDER BY owner.upid;
