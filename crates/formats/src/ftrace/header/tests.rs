use super::*;

#[test]
fn every_header_line() {
    let is = |line: &'static str, expected: Header<'static>| {
        assert_eq!(header(line.as_bytes()), Some(expected), "{line}");
    };
    is("# tracer: nop", Header::Tracer(b"nop"));
    is("# inferred switches: as events", Header::InferredAreEvents);
    let cpus = Some(4);
    is(
        "# entries-in-buffer/entries-written: 116/120   #P:4",
        Header::Entries {
            in_buffer: 116,
            written: 120,
            cpus,
        },
    );
    is("##### CPU 2 buffer started ####", Header::BufferStarted(2));
    is(
        "CPU:3 [LOST 17 EVENTS]",
        Header::Lost { cpu: 3, events: 17 },
    );
    is("CPU:3 [LOST EVENTS]", Header::Lost { cpu: 3, events: 0 });
    is(
        "CPU:3 [17 EVENTS DROPPED]",
        Header::Lost { cpu: 3, events: 17 },
    );
    is("CPU 3 is empty", Header::CpuEmpty(3));
    is(
        "# clock_type=LINUX_CLOCK_MONOTONIC",
        Header::Clock(b"LINUX_CLOCK_MONOTONIC"),
    );
    is("cpus=6", Header::Cpus(6));
    is("version = 6", Header::Version(b"6"));
    is(
        "#           TASK-PID    CPU#    TIMESTAMP  FUNCTION",
        Header::Nothing,
    );
    is(
        "#                              _-----=> irqs-off",
        Header::Nothing,
    );
    is("# TRACE:", Header::Nothing);
    is(" (Overruns: 0)", Header::Nothing);
    is("capturing trace... done", Header::Nothing);
    is("* daemon started successfully *", Header::Nothing);
    is("", Header::Nothing);
    assert_eq!(header(b"some = 000, other = 0x4"), None);
    assert_eq!(header(b"CPU times"), None);
}
