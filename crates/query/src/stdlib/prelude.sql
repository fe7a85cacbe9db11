-- What is defined without a module.

-- A value as a whole number.
CREATE PERFETTO MACRO cast_int(
  -- The value.
  value Expr
)
RETURNS Expr
AS CAST($value AS INT);

-- A value as a real number.
CREATE PERFETTO MACRO cast_double(
  -- The value.
  value Expr
)
RETURNS Expr
AS CAST($value AS REAL);

-- A value as text.
CREATE PERFETTO MACRO cast_string(
  -- The value.
  value Expr
)
RETURNS Expr
AS CAST($value AS TEXT);

-- The bytes of an array in a heap dump. No heap dump that can be read has them.
CREATE PERFETTO FUNCTION __intrinsic_heap_graph_array(
  -- The array_data_id of the object.
  array_data_id LONG
)
RETURNS BYTES
AS SELECT NULL;

-- The values of an array in a heap dump, as JSON. No heap dump that can be read has them.
CREATE PERFETTO FUNCTION __intrinsic_heap_graph_array_json(
  -- The array_data_id of the object.
  array_data_id LONG
)
RETURNS STRING
AS SELECT NULL;

-- The names that the system gives its own users.
CREATE PERFETTO FUNCTION _android_system_user(
  -- The number of the user.
  app_id LONG
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $app_id = 0 THEN 'AID_ROOT'
    WHEN $app_id BETWEEN 1000 AND 1093 THEN 'AID_' || str_split(
      'SYSTEM_USER|RADIO|BLUETOOTH|GRAPHICS|INPUT|AUDIO|CAMERA|LOG|COMPASS|MOUNT|WIFI|ADB|INSTALL|'
        || 'MEDIA|DHCP|SDCARD_RW|VPN|KEYSTORE|USB|DRM|MDNSR|GPS|UNUSED1|MEDIA_RW|MTP|UNUSED2|DRMRPC|NFC|'
        || 'SDCARD_R|CLAT|LOOP_RADIO|MEDIA_DRM|PACKAGE_INFO|SDCARD_PICS|SDCARD_AV|SDCARD_ALL|LOGD|'
        || 'SHARED_RELRO|DBUS|TLSDATE|MEDIA_EX|AUDIOSERVER|METRICS_COLL|METRICSD|WEBSERV|DEBUGGERD|'
        || 'MEDIA_CODEC|CAMERASERVER|FIREWALL|TRUNKS|NVRAM|DNS|DNS_TETHER|WEBVIEW_ZYGOTE|VEHICLE_NETWORK|'
        || 'MEDIA_AUDIO|MEDIA_VIDEO|MEDIA_IMAGE|TOMBSTONED|MEDIA_OBB|ESE|OTA_UPDATE|AUTOMOTIVE_EVS|LOWPAN|'
        || 'HSM|RESERVED_DISK|STATSD|INCIDENTD|SECURE_ELEMENT|LMKD|LLKD|IORAPD|GPU_SERVICE|NETWORK_STACK|'
        || 'GSID|FSVERITY_CERT|CREDSTORE|EXTERNAL_STORAGE|EXT_DATA_RW|EXT_OBB_RW|CONTEXT_HUB|VIRTMANAGER|'
        || 'ARTD|UWB|THREAD_NETWORK|DICED|DMESGD|JC_WEAVER|JC_STRONGBOX|JC_IDENTITYCRED|SDK_SANDBOX|'
        || 'SECURITY_LOG_WRITER|PRNG_SEEDER|UPROBESTATS',
      '|', $app_id - 1000
    )
    WHEN $app_id BETWEEN 2000 AND 2002 THEN 'AID_' || str_split('SHELL|CACHE|DIAG', '|', $app_id - 2000)
    WHEN $app_id = 9999 THEN 'AID_NOBODY'
    WHEN $app_id BETWEEN 50000 AND 59999 THEN 'SHARED_GID'
    WHEN $app_id >= 90000 THEN 'ISOLATED_UID'
  END;

-- The package of a user; see android.package_lookup.
CREATE PERFETTO FUNCTION _intrinsic_package_lookup(
  -- The number of the user.
  uid LONG
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $uid IS NOT NULL THEN coalesce(
      (
        SELECT package_name
        FROM package_list
        WHERE uid = $uid % 100000 AND uid >= 10000 AND package_name != ''
        ORDER BY
          CASE
            WHEN package_name = 'com.google.android.gms' THEN 0
            WHEN package_name GLOB 'com.android.providers.*' THEN 2
            ELSE 1
          END,
          id
        LIMIT 1
      ),
      _android_system_user($uid % 100000),
      'uid=' || $uid
    )
  END;
