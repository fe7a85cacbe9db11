-- Apps that did not respond (ANR).

-- The kinds of reports by their subject. The first pattern that fits counts. The time after which the system reports it is
-- that of Android's own sources; makers of devices change it.
CREATE PERFETTO TABLE _anr_kind AS
WITH
  kind(pattern, type) AS (
    VALUES
      ('Broadcast of*', 'BROADCAST_OF_INTENT'),
      (
        'Input dispatching timed out*does not have a focused window*',
        'INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW'
      ),
      (
        'Input dispatching timed out*Waiting because no window has focus but there is a focused application*',
        'INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW'
      ),
      ('Input dispatching timed out*', 'INPUT_DISPATCHING_TIMEOUT'),
      (
        'Context.startForegroundService() did not then call Service.startForeground()*',
        'START_FOREGROUND_SERVICE'
      ),
      ('executing service*', 'EXECUTING_SERVICE'),
      ('ContentProvider not responding*', 'CONTENT_PROVIDER_NOT_RESPONDING'),
      (
        'App requested: Buffer processing hung up due to stuck fence. Indicates GPU hang', 'GPU_HANG'
      ),
      ('No response to onStartJob*', 'JOB_SERVICE_START'),
      ('No response to onStopJob*', 'JOB_SERVICE_STOP'),
      ('Timed out while trying to bind*', 'JOB_SERVICE_BIND'),
      ('Process ProcessRecord{*} failed to complete startup', 'BIND_APPLICATION'),
      (
        'A foreground service of FOREGROUND_SERVICE_TYPE_SHORT_SERVICE did not stop within a timeout*',
        'FOREGROUND_SHORT_SERVICE_TIMEOUT'
      ),
      ('A foreground service of type*', 'FOREGROUND_SERVICE_TIMEOUT'),
      ('App requested: *', 'APP_TRIGGERED'),
      ('required notification not provided*', 'JOB_SERVICE_NOTIFICATION_NOT_PROVIDED')
  )
SELECT row_number() OVER () AS rank, pattern, type
FROM kind;

-- After how many milliseconds the system reports a kind, if that does not depend on anything else.
CREATE PERFETTO TABLE _anr_default_dur AS
WITH
  kind(type, dur_ms) AS (
    VALUES
      ('INPUT_DISPATCHING_TIMEOUT', 5000),
      ('INPUT_DISPATCHING_TIMEOUT_NO_FOCUSED_WINDOW', 5000),
      ('START_FOREGROUND_SERVICE', 30000),
      ('EXECUTING_SERVICE', 20000),
      ('JOB_SERVICE_START', 8000),
      ('JOB_SERVICE_STOP', 8000),
      ('JOB_SERVICE_BIND', 8000),
      ('JOB_SERVICE_NOTIFICATION_NOT_PROVIDED', 8000),
      ('BIND_APPLICATION', 15000),
      ('FOREGROUND_SHORT_SERVICE_TIMEOUT', 180000),
      ('FOREGROUND_SERVICE_TIMEOUT', 30000)
  )
SELECT type, dur_ms
FROM kind;

-- The text that follows a mark; NULL if there is no such mark.
CREATE PERFETTO FUNCTION _text_behind(
  text STRING,
  mark STRING
)
RETURNS STRING
AS
SELECT iif(instr($text, $mark) > 0, substr($text, instr($text, $mark) + length($mark)), NULL);

-- The kind of a report.
CREATE PERFETTO FUNCTION _anr_type(
  subject STRING,
  process_name STRING
)
RETURNS STRING
AS
SELECT
  iif(
    $subject IS NULL,
    NULL,
    coalesce(
      (SELECT type FROM _anr_kind WHERE $subject GLOB pattern ORDER BY rank LIMIT 1),
      iif($process_name = 'system_server', 'SYSTEM_SERVER_WATCHDOG_TIMEOUT', 'UNKNOWN_ANR_TYPE')
    )
  );

-- The kind by its name in the system's timers; NULL where one timer stands for several.
CREATE PERFETTO FUNCTION _anr_type_of_timer(
  timer STRING
)
RETURNS STRING
AS
SELECT
  CASE $timer
    WHEN 'BROADCAST_TIMEOUT' THEN 'BROADCAST_OF_INTENT'
    WHEN 'SERVICE_TIMEOUT' THEN 'EXECUTING_SERVICE'
    WHEN 'SHORT_FGS_TIMEOUT' THEN 'FOREGROUND_SHORT_SERVICE_TIMEOUT'
    WHEN 'SERVICE_FOREGROUND_TIMEOUT' THEN 'FOREGROUND_SERVICE_TIMEOUT'
    WHEN 'JobScheduler' THEN NULL
    ELSE $timer
  END;

-- The usual time of a report, milliseconds. A broadcast to the foreground (FLAG_RECEIVER_FOREGROUND, 0x10000000) has less.
CREATE PERFETTO FUNCTION _anr_default_dur_ms(
  type STRING,
  subject STRING
)
RETURNS LONG
AS
SELECT
  iif(
    $type = 'BROADCAST_OF_INTENT',
    iif(
      $subject GLOB 'Broadcast of Intent *flg=*'
      AND unhex(str_split(_text_behind($subject, ' flg='), ' ', 0)) & 0x10000000 = 0,
      60000,
      10000
    ),
    (SELECT dur_ms FROM _anr_default_dur WHERE type = $type)
  );

-- The action of a broadcast, or what was sent.
CREATE PERFETTO FUNCTION _anr_intent(
  type STRING,
  subject STRING
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $type IS NOT 'BROADCAST_OF_INTENT' THEN NULL
    WHEN $subject GLOB 'Broadcast of Intent *act=*' THEN str_split(_text_behind($subject, 'act='), ' ', 0)
    WHEN $subject GLOB 'Broadcast of */u*' THEN str_split(_text_behind($subject, 'Broadcast of '), '/u', 0)
  END;

-- The part of the app that did not respond.
CREATE PERFETTO FUNCTION _anr_component(
  type STRING,
  subject STRING
)
RETURNS STRING
AS
SELECT
  CASE $type
    WHEN 'BROADCAST_OF_INTENT' THEN str_split(_text_behind($subject, ' cmp='), ' ', 0)
    WHEN 'INPUT_DISPATCHING_TIMEOUT' THEN str_split(_text_behind($subject, '('), ' ', 1)
    WHEN 'START_FOREGROUND_SERVICE' THEN str_split(_text_behind(_text_behind($subject, ' u'), ' '), ' ', 0)
    WHEN 'EXECUTING_SERVICE' THEN str_split(_text_behind($subject, 'executing service '), ',', 0)
    WHEN 'FOREGROUND_SHORT_SERVICE_TIMEOUT' THEN str_split(_text_behind($subject, 'ComponentInfo{'), '}', 0)
    WHEN 'FOREGROUND_SERVICE_TIMEOUT' THEN str_split(_text_behind($subject, 'ComponentInfo{'), '}', 0)
    WHEN 'APP_TRIGGERED' THEN _text_behind($subject, 'App requested: ')
  END;

-- The counters of the system about reports: ErrorId:PROCESS PID#ID, without the number in older releases.
CREATE PERFETTO TABLE _anr_report AS
SELECT
  counter.ts,
  str_split(about, ' ', 0) AS process_name,
  CAST(str_split(about, ' ', 1) AS INT) AS pid,
  error_id
FROM (
  SELECT
    track.id,
    _text_behind(str_split(track.name, '#', 0), 'ErrorId:') AS about,
    str_split(track.name, '#', 1) AS error_id
  FROM process_counter_track AS track
  JOIN process USING (upid)
  WHERE track.name GLOB 'ErrorId:*' AND process.name = 'system_server'
) AS track
JOIN counter ON counter.track_id = track.id;

-- And about their subjects: Subject(for ErrorId ID):SUBJECT.
CREATE PERFETTO TABLE _anr_subject AS
SELECT
  str_split(_text_behind(track.name, 'Subject(for ErrorId '), ')', 0) AS error_id,
  substr(track.name, instr(track.name, ')') + 2) AS subject
FROM process_counter_track AS track
JOIN process USING (upid)
WHERE track.name GLOB 'Subject(for ErrorId *' AND process.name = 'system_server';

-- Timers that ran out: expired(TIMER,PID,UID,TYPE,MILLISECONDS).
CREATE PERFETTO TABLE _anr_timer AS
SELECT
  ts,
  CAST(str_split(params, ',', 1) AS INT) AS pid,
  str_split(params, ',', 3) AS type,
  CAST(str_split(params, ',', 4) AS INT) AS dur_ms
FROM (SELECT ts, trim(substr(name, length('expired(') + 1), ')') AS params FROM slice WHERE name GLOB 'expired(*,*,*,*,*)');

-- The last timer of the process before each report.
CREATE PERFETTO TABLE _anr_with_timer AS
SELECT error_id, max(timer.ts) AS timer_ts, timer.type, timer.dur_ms, report.ts - timer.ts AS delay
FROM _anr_report AS report
JOIN _anr_timer AS timer ON timer.pid = report.pid AND timer.ts <= report.ts
GROUP BY error_id;

-- Reports that an app did not respond.
CREATE PERFETTO TABLE android_anrs(
  -- The name of the process.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The process.
  upid JOINID(process.id),
  -- The id that the system gave the report.
  error_id STRING,
  -- When it was reported.
  ts TIMESTAMP,
  -- The kind.
  anr_type STRING,
  -- What the system said.
  subject STRING,
  -- The action of the broadcast that was not handled.
  intent STRING,
  -- The part of the app that did not respond.
  component STRING,
  -- The time from the end of the timer to the report.
  timer_delay LONG,
  -- The time that the app had, milliseconds; NULL if the trace does not tell.
  anr_dur_ms LONG,
  -- The time that apps usually have, milliseconds. Makers of devices change it.
  default_anr_dur_ms LONG
)
AS
SELECT
  process_name,
  pid,
  upid,
  error_id,
  ts,
  type AS anr_type,
  subject,
  _anr_intent(type, subject) AS intent,
  _anr_component(type, subject) AS component,
  delay AS timer_delay,
  dur_ms AS anr_dur_ms,
  _anr_default_dur_ms(type, subject) AS default_anr_dur_ms
FROM (
  SELECT
    report.process_name,
    report.pid,
    process.upid,
    error_id,
    report.ts,
    coalesce(_anr_type_of_timer(timer.type), _anr_type(subject, report.process_name)) AS type,
    subject,
    timer.delay,
    coalesce(
      timer.dur_ms,
      iif(subject GLOB '*Blocked in* for *s*', regexp_extract(subject, ' for ([0-9]+)s') * 1000, NULL)
    ) AS dur_ms
  FROM _anr_report AS report
  LEFT JOIN _anr_subject USING (error_id)
  LEFT JOIN _anr_with_timer AS timer USING (error_id)
  LEFT JOIN process ON process.pid = report.pid
)
ORDER BY ts;
