-- The users of a device.

-- The people that use the device, and profiles.
CREATE PERFETTO VIEW android_user_list(
  -- The number of the user.
  android_user_id LONG,
  -- What kind of user it is, such as android.os.usertype.full.SECONDARY.
  type STRING
)
AS
SELECT android_user_id, type
FROM __intrinsic_android_user_list;
