//! The usage text.

/// The usage text, after `usage: NAME`.
pub(super) const USAGE: &str = " [options] [categories...]
options include:
  -a appname,...  record the sections of apps with these command lines;
                    * matches any text
  -b N            use a buffer of N KB for each CPU [default 2048]
  -c              overwrite the oldest events when the buffer is full
  -f filename     read categories from a file, separated by spaces
  -k fname,...    also trace these kernel functions
  -n              ignore signals
  -s N            wait N seconds before recording [default 0]
  -t N            record for N seconds [default 5]
  -z              compress the trace (zlib)
  -o filename     write the trace to a file instead of stdout
  --async_start   start recording in a circular buffer, and return
  --async_dump    write the trace so far, and continue recording
  --async_stop    stop recording, and write the trace
  --stream        write events to stdout while recording, until a signal
  --only_userspace
                  with --async_start and --async_stop: record no kernel events
  --list_categories
                  list the categories that this device supports
added by traceloom:
  --instance NAME record in a separate trace instance, beside other recordings
  --raw           write a trace.dat for trace-cmd and KernelShark: the kernel's
                    binary records, read while recording
  --raw_version N version of the trace.dat: 6, which all readers support
                    [default], or 7
  --raw_compression NAME
                  compression of version 7: none [default], zlib or zstd
  --categories FILE
                  add categories from a file with [[category]] tables
  --compat        reproduce the defects of Android's atrace too
";
