//! The stable ids of the formats: `--to` takes them, `info --json` prints them, and error messages
//! begin with them. They have their own module so that every part of a format can use them.

pub(crate) const ATRACE: &str = "atrace";
pub(crate) const BATTOR: &str = "battor";
pub(crate) const CGROUP_DUMP: &str = "cgroup-dump";
pub(crate) const CHROME_JSON: &str = "chrome-json";
pub(crate) const COLLAPSED: &str = "collapsed";
pub(crate) const CPU_PROFILE: &str = "cpu-profile";
pub(crate) const FIREFOX: &str = "firefox";
pub(crate) const FTRACE: &str = "ftrace";
pub(crate) const GZIP: &str = "gzip";
pub(crate) const LONG_RUNNING: &str = "art-long-running";
pub(crate) const MEMORY_DUMP: &str = "atrace-process-dump";
pub(crate) const METHOD_TRACE: &str = "art-method";
pub(crate) const PERF_DATA: &str = "perf-data";
pub(crate) const PERF_SCRIPT: &str = "perf-script";
pub(crate) const PERFETTO: &str = "perfetto";
pub(crate) const PROCESS_DUMP: &str = "process-dump";
pub(crate) const RING: &str = "ring";
pub(crate) const SIMPLEPERF_PROTO: &str = "simpleperf-proto";
pub(crate) const STRACE: &str = "strace";
pub(crate) const SYSTRACE_HTML: &str = "systrace-html";
pub(crate) const SYSTRACE_JS: &str = "systrace-js";
pub(crate) const TAR: &str = "tar";
pub(crate) const TRACE_DAT: &str = "trace-dat";
pub(crate) const UTF_16: &str = "utf-16";
pub(crate) const ZIP: &str = "zip";
pub(crate) const ZLIB: &str = "zlib";
pub(crate) const ZSTD: &str = "zstd";
