//! What the program says about itself.

/// The usage text behind `usage: NAME`.
pub(super) const USAGE: &str = " [options] [categories...]
options include:
  -a appname      record the marks of apps whose command lines these are, separated
                    by commas; * stands for any letters
  -b N            buffer of N KB for each CPU [default 2048]
  -c              keep the newest events when the buffer is full, not the oldest
  -f filename     categories from a file, separated by blanks
  -k fname,...    trace these kernel functions too
  -n              ignore signals
  -s N            wait N seconds before the recording [default 0]
  -t N            record for N seconds [default 5]
  -z              compress the trace (zlib)
  -o filename     write the trace to a file instead of stdout
  --async_start   begin to record, keep the newest events, and return
  --async_dump    write what was recorded so far and go on recording
  --async_stop    stop recording and write what was recorded
  --stream        write events to stdout as they come, until a signal
  --only_userspace
                  with --async_start and --async_stop: properties only, no kernel
  --list_categories
                  list the categories that this device has
of traceloom alone:
  --instance NAME record in a trace instance of its own, beside other recordings
  --raw           write trace.dat for trace-cmd and KernelShark: the kernel's own
                    records, taken from the buffer while it is recorded
  --raw_version N version of that file: 6, which every reader knows [default], or 7
  --raw_compression NAME
                  packs version 7: none [default], zlib or zstd
  --categories FILE
                  more categories, as [[category]] tables
  --compat        do as Android's atrace does also where that is wrong
";
