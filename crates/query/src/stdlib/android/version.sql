-- The release of Android.

-- The API level of the system that was recorded; NULL if the trace does not say it.
CREATE PERFETTO FUNCTION _android_sdk_version()
RETURNS LONG
AS
SELECT int_value
FROM metadata
WHERE name = 'android_sdk_version'
LIMIT 1;
