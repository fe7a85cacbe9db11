//! Turns on the trace points that the platform brings: libcutils' tags and those that `android.os.Trace` keeps.
