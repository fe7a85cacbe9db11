-- Names of slices without what differs from one slice to the next, so that they can be counted by name.

-- The kinds of names that become a fixed text. The first pattern that fits counts.
CREATE PERFETTO TABLE _slice_name_kind AS
WITH
  kind(pattern, standard) AS (
    VALUES
      ('monitor contention with*', 'monitor contention with <...>'),
      ('SuspendThreadByThreadId*', 'SuspendThreadByThreadId <...>'),
      ('LoadApkAssetsFd*', 'LoadApkAssetsFd <...>'),
      ('relayoutWindow*', 'relayoutWindow <...>'),
      ('android.os.Handler: kotlinx.coroutines*', 'CoroutineContinuation'),
      ('Choreographer#doFrame*', 'Choreographer#doFrame'),
      ('DrawFrames*', 'DrawFrames'),
      ('drawLayer [[]*[]]*', NULL),
      ('Texture upload*', 'Texture upload'),
      ('AssetManager::OpenNonAsset*', 'AssetManager::OpenNonAsset <...>'),
      ('AssetManager::OpenXmlAsset*', 'AssetManager::OpenXmlAsset <...>'),
      ('AssetManager::OpenAsset*', 'AssetManager::OpenAsset <...>'),
      ('*AssetInputStream*', 'AssetInputStream'),
      ('openTypedAssetFile*', 'openTypedAssetFile <...>'),
      ('LoadApkAssets*', 'LoadApkAssets <...>'),
      ('*AssetLoader:*', 'AssetLoader: <...>'),
      ('JIT compiling*', 'JIT compiling'),
      ('requested config :*', 'requested config : <...>'),
      ('/data/app*.apk', 'APK load'),
      ('OpenDexFilesFromOat*', 'OpenDexFilesFromOat'),
      ('Open oat file*', 'Open oat file'),
      ('Open dex file*', 'Open dex file'),
      ('VdexFile*', 'VdexFile'),
      ('GC: Wait For*', 'Garbage Collector'),
      ('prepareDispatchCycleLocked*', 'prepareDispatchCycleLocked <...>'),
      (
        'enqueueDispatchEntryAndStartDispatchCycleLocked*',
        'enqueueDispatchEntryAndStartDispatchCycleLocked <...>'
      ),
      ('Layers: *', 'Layers: <...>'),
      ('* SurfaceView*(BLAST)#*', NULL),
      ('uid=*', 'uid = <...>'),
      ('wakeupap=*', 'wakeupap = <...>'),
      ('launchingActivity#*', 'launchingActivity#<...>'),
      ('updateUidStateUL*', 'updateUidStateUL <...>'),
      ('Wakelock(epoll[dm]*', NULL),
      ('cpuhp*', 'cpuhp<...>'),
      ('atc*', 'atc<...>'),
      ('[0-9]* Alarm:*', 'Alarm: <...>'),
      ('[0-9]* Wifi:*', 'Wifi: <...>'),
      ('[0-9]* Sensor:*', 'Sensor: <...>'),
      ('*Cellular_data*', 'Cellular_data <...>'),
      (
        '*GET_ACTIVITY_INFO ModemActivityInfo*', '<...>GET_ACTIVITY_INFO ModemActivityInfo <...>'
      ),
      ('UNSOL_SIGNAL_STRENGTH*', 'UNSOL_SIGNAL_STRENGTH <...>'),
      ('*GET_CELL_INFO_LIST*', '<...> GET_CELL_INFO_LIST <...>'),
      ('*VOICE_REGISTRATION_STATE*', '<...> VOICE_REGISTRATION_STATE <...>'),
      ('*DATA_REGISTRATION_STATE*', '<...> DATA_REGISTRATION_STATE <...>'),
      ('InputConsumer processing on ClientState*', 'InputConsumer processing on ClientState<...>'),
      ('Transaction (*, *)', NULL),
      ('Lock contention on* (*', NULL),
      ('*Handler: *$*', NULL),
      ('*.*.*: *$*', NULL),
      ('*.*$*: #*', NULL),
      ('deliverInputEvent*', 'deliverInputEvent <...>'),
      ('*[vV][sS][yY][nN][cC]*', NULL)
  )
SELECT row_number() OVER () AS rank, pattern, standard
FROM kind;

-- Those with "vsync" in them.
CREATE PERFETTO TABLE _vsync_name_kind AS
WITH
  kind(pattern, standard) AS (
    VALUES
      ('beginFrame*', 'beginFrame <...>'),
      ('frameIsEarly*', 'frameIsEarly <...>'),
      ('*vsync*in*', 'vsync in <...>'),
      ('present for*vsyncIn*', 'present for vsync in <...>'),
      ('wait for earliest present time*', 'wait for earliest present time <vsync>'),
      ('present for Common Panel*', 'present for Common Panel'),
      ('frameTimelineInfo*', 'frameTimelineInfo <...>'),
      ('*setFrameTimelineInfo*', 'setFrameTimelineInfo <...>'),
      ('*AChoreographer_vsyncCallback*', 'AChoreographer_vsyncCallback <...>'),
      ('unsync-vsync-id=* isSfChoreo=false', 'unsync-vsync-id=<...> isSfChoreo=false'),
      ('unsync-vsync-id=* isSfChoreo=true', 'unsync-vsync-id=<...> isSfChoreo=true'),
      ('Discarding old vsync*', 'Discarding old vsync'),
      ('setDisplayModePtr*', 'setDisplayModePtr'),
      ('adjusting vsync by*', 'adjusting vsync by <...>'),
      ('Not-Adjusting vsync by*', 'Not-Adjusting vsync by <...>'),
      ('dropping stale frameNumber*', 'dropping stale frameNumber <...>'),
      (
        'Sensor event from com.google.sensor.camera_vsync*',
        'Sensor event from com.google.sensor.camera_vsync <...>'
      ),
      ('*DisplayInfo*', 'DisplayInfo <...>'),
      ('Choreographer#onVsync*', 'Choreographer#onVsync<...>'),
      ('appSf alarm*;*VSYNC in*', 'appSf alarm in <...>; vsync in <...>'),
      ('sf alarm*;*VSYNC in*', 'sf alarm in <...>; vsync in <...>'),
      ('app alarm*;*VSYNC in*', 'app alarm in <...>; vsync in <...>'),
      ('FT#*', 'FT#FrameTrackerEvent'),
      ('*isVsyncValid*', 'isVsyncValid <...>'),
      ('onHardwareVsyncRequest*', 'onHardwareVsyncRequest <...>'),
      ('onComposerHalVsync*', 'onComposerHalVsync <...>'),
      (
        'ensureMinFrameDurationIsKept*mNumVsyncsForFrame=*mPastExpectedPresentTimes.size()=*',
        'ensureMinFrameDurationIsKept mNumVsyncsForFrame=<...> mPastExpectedPresentTimes.size()=<...>'
      ),
      ('*lastVsyncDelta*', 'lastVsyncDelta=<...>'),
      ('mLastCommittedVsync in*', 'mLastCommittedVsync in <...>')
  )
SELECT row_number() OVER () AS rank, pattern, standard
FROM kind;

-- A text up to the first $, with <num> for numbers.
CREATE PERFETTO FUNCTION _before_dollar(
  name STRING
)
RETURNS STRING
AS
SELECT __intrinsic_strip_hex(substr($name, 1, instr($name, '$') - 1), 2);

-- The standard name of a kind that keeps a part of the name.
CREATE PERFETTO FUNCTION _partial_slice_name(
  -- The pattern of the kind.
  pattern STRING,
  name STRING
)
RETURNS STRING
AS
SELECT
  CASE $pattern
    WHEN 'drawLayer [[]*[]]*' THEN substr($name, 1, instr($name, ']'))
    WHEN '* SurfaceView*(BLAST)#*' THEN substr(
      $name, instr($name, 'SurfaceView'), instr($name, '#') - instr($name, 'SurfaceView')
    )
    WHEN 'Wakelock(epoll[dm]*' THEN iif(
      instr($name, ':') > 0,
      substr($name, 1, length('Wakelock(epolld')) || '<...>' || substr($name, instr($name, ':')),
      __intrinsic_strip_hex($name, 2)
    )
    WHEN 'Transaction (*, *)' THEN iif(
      $name GLOB 'Transaction (Thread-*',
      'Transaction (Thread-<...>,' || substr($name, instr($name, ',')),
      substr($name, 1, instr($name, ',') + 1) || '<...>)'
    )
    WHEN 'Lock contention on* (*' THEN substr($name, 1, instr($name, '(') - 1) || '<...>'
    WHEN '*Handler: *$*' THEN _before_dollar(substr($name, instr($name, 'Handler:')))
    WHEN '*[vV][sS][yY][nN][cC]*' THEN ifnull(
      (SELECT standard FROM _vsync_name_kind WHERE $name GLOB pattern ORDER BY rank LIMIT 1),
      __intrinsic_strip_hex($name, 2)
    )
    ELSE 'Handler: ' || _before_dollar($name)
  END;

-- The name of a slice without what differs from one slice to the next: numbers, names of files, owners of locks.
CREATE PERFETTO FUNCTION android_standardize_slice_name(
  -- The name.
  name STRING
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN pattern IS NOT NULL THEN ifnull(standard, _partial_slice_name(pattern, $name))
    WHEN $name GLOB 'StatsPull-*' THEN $name
    ELSE __intrinsic_strip_hex($name, 2)
  END
FROM (SELECT 1)
LEFT JOIN (
  SELECT pattern, standard
  FROM _slice_name_kind
  WHERE $name GLOB pattern
  ORDER BY rank
  LIMIT 1
);
