//! The samples that are short texts.

/// Two snapshots of a process's memory, and a mapped file.
pub const MEMORY_DUMP: &str = r#"ATRACE_PROCESS_DUMP
{"clock_sync_markers":{"sync-1":612731},"dump":{"start_ts":"612731","snapshots":[
{"ts":"612731","meminfo":{"Buffers":10,"Cached":300,"Mapped":50,"MemFree":100,"MemTotal":1000}},
{"ts":"612732","memdump":{"8":{"vm":20,"rss":10,"oom_sc":0,"oom_sc_adj":-900,"min_flt":7,"maj_flt":5,"utime":83,"stime":11,"pss":9,"swp":0,"pc":1,"pd":2,"sc":3,"sd":4
, "mmaps":[{"vm":"a1000-a5000","file":"/data/app.oat","flags":"r-xp","pss":9,"rss":9,"swp":0,"pc":1,"pd":2,"sc":3,"sd":4}]}}},
{"ts":"612832","meminfo":{"MemFree":90,"MemTotal":1000}}],
"processes":{"2":{"name":"kthreadd"},"8":{"name":"com.example.app","exe":"/system/bin/app_process64","threads":{"8":{"name":"app"},"9":{"name":"worker \"1\""}}}}
}}
"#;

/// Three samples, the second with a clock marker.
pub const BATTOR: &str = "# BattOr\n# voltage_range [-6079.7, 6196.8] mV\n\
    # sample_rate 10000 Hz, gain 10.1x\n0.00 6.5 4307.7\n0.10 15.1 4313.7 <sync-1>\n0.20 -2.0 4313.7\n";

/// Two threads. One waits for the other.
pub const STRACE: &str = "\
7  1700000052.321000 execve(\"/usr/bin/app\", [\"app\"], 0x7ffc /* 3 vars */) = 0 <0.000383>
7  1700000052.322000 clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7f}, 88) = 8 <0.000083>
8  1700000052.322500 prctl(PR_SET_NAME, \"worker\")   = 0 <0.000010>
7  1700000052.323000 futex(0x7f01, FUTEX_WAIT, 2, NULL <unfinished ...>
8  1700000052.323500 --- SIGUSR1 {si_signo=SIGUSR1, si_pid=7} ---
8  1700000052.324000 openat(AT_FDCWD, \"/nope\", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000042>
7  1700000052.325000 <... futex resumed>)    = 0 <0.002000>
8  1700000052.326000 +++ exited with 0 +++
";

/// Two functions, a marker and a counter.
pub const FIREFOX: &str = r#"{"meta": {"interval": 1, "startTime": 1000.5, "categories": [{"name": "Other"}]},
"libs": [{"name": "libshop.so", "path": "/data/libshop.so", "codeId": "c0de"}],
"counters": [{"name": "malloc", "pid": "7", "samples": {"time": [1, 2], "count": [100, -20]}}],
"threads": [{"name": "main", "pid": "7", "tid": 8, "stringArray": ["main", "draw", "app.js", "net"],
"samples": {"stack": [1, null, 0], "timeDeltas": [1.5, 1, 0.25], "weight": [2, 1, 1], "weightType": "tracing-ms"},
"markers": {"name": [3, 3], "startTime": [1, 2], "endTime": [3, 4], "phase": [1, 1], "category": [0, 0], "data": [{"a": 1}, null]},
"stackTable": {"frame": [0, 1], "prefix": [null, 0]},
"frameTable": {"func": [0, 1], "address": [498, -1], "line": [null, 9]},
"funcTable": {"name": [0, 1], "resource": [0, -1], "fileName": [null, 2]},
"resourceTable": {"lib": [0]}}],
"processes": [{"meta": {"startTime": 1010}, "threads": [{"name": "worker", "pid": 9, "tid": 9,
"stringTable": ["main (in libc.so)"],
"frameTable": {"schema": {"location": 0}, "data": [[0]]},
"stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0]]},
"samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 2.5], [0, 3]]}}]}]}"#;

/// Two functions.
pub const CPU_PROFILE: &str = r#"{"nodes": [
{"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "children": [2]},
{"id": 2, "callFrame": {"functionName": "draw", "url": "app.js", "lineNumber": 4}}],
"startTime": 1000, "endTime": 2000, "samples": [1, 2, 2], "timeDeltas": [10, 20, 30]}"#;

pub const PROCESS_DUMP: &str = "\
USER            PID   TID  PPID     VSZ    RSS WCHAN            ADDR S CMD             \n\
root              1     1     0   10632   8172 SyS_epoll_wait      0 S init            \n\
u0_a121        4711  4711   612 1568220 120644 SyS_epoll_wait      0 S com.example.app \n\
u0_a121        4711  4720   612 1568220 120644 futex_wait_queue    0 S RenderThread    \n";

/// Every phase once or twice, and other members besides the events.
pub const CHROME_JSON: &str = r##"{"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"main"}},
{"ph":"M","pid":7,"name":"process_name","args":{"name":"app \u00e9"}},
{"ph":"B","pid":7,"tid":8,"ts":1,"tts":0.5,"name":"outer","cat":"a,b"},
{"ph":"X","pid":7,"tid":8,"ts":2.125,"dur":3,"tdur":1,"name":"inner","args":{"n":[1,{"x":"}"}]}},
{"ph":"X","pid":7,"tid":8,"ts":4,"dur":30,"name":"crossing","bind_id":"0x9","flow_out":true},
{"ph":"E","pid":7,"tid":8,"ts":20,"tts":4},
{"ph":"b","pid":7,"tid":8,"ts":3,"id":"0x1","cat":"net","name":"load"},
{"ph":"n","pid":7,"tid":8,"ts":4,"id":"0x1","cat":"net","name":"step"},
{"ph":"e","pid":7,"tid":8,"ts":9,"id":"0x1","cat":"net","name":"load"},
{"ph":"S","pid":7,"tid":8,"ts":3,"id":2,"name":"old"},{"ph":"T","pid":7,"tid":8,"ts":4,"id":2,"name":"old"},
{"ph":"F","pid":7,"tid":8,"ts":5,"id":2,"name":"old"},
{"ph":"C","pid":7,"ts":6,"name":"memory","id":"heap","args":{"used":10,"free":2.5}},
{"ph":"s","pid":7,"tid":8,"ts":3,"id":5,"name":"flow"},{"ph":"f","bp":"e","pid":7,"tid":8,"ts":19,"id":5,"name":"flow"},
{"ph":"i","pid":7,"tid":8,"ts":7,"s":"p","name":"now"},{"ph":"I","pid":"text","tid":"text","ts":7,"name":"then"},
{"ph":"O","pid":7,"tid":8,"ts":8,"id":"0x3","name":"object","args":{"snapshot":{"a":1}}},
{"ph":"c","pid":7,"tid":8,"ts":9,"name":"clock_sync","args":{"sync_id":"a-b","issue_ts":8}}
],"otherData":{"version":"1"},"systemTraceEvents":"# tracer: nop\n  app-8 ( 7) [000] .... 0.000003: tracing_mark_write: B|7|kernel\n"}
"##;

pub const RULES: &str = "\
[[event]]\nname = \"my_event\"\ncounter = \"value\"\ntrack = \"cpu\"\n\n\
[[event]]\nname = \"my_event\"\nbegin = \"name\"\ntitle = \"lamp\"\nkey = \"value\"\n\n\
[[event]]\nname = \"my_event\"\nend = true\n\n\
[[event]]\nname = \"my_event\"\ninstant = \"\"\ntrack = \"global\"\n";
