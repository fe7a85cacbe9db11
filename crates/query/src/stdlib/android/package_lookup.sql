-- The packages of users: on Android, each app is a user of its own.

-- The package of a user. Of several, Google Play services go first and providers of Android last. Without a package, it
-- is the name of the system's user, or uid= and the number.
CREATE PERFETTO FUNCTION android_package_lookup(
  -- The number of the user.
  uid LONG
)
RETURNS STRING
DELEGATES TO _intrinsic_package_lookup;
