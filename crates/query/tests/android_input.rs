//! Input events on their way to an app and to the screen. The expected answers were worked out by hand.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{
    ArgValue, FlowRow, NO_NUMBER, ProcessId, SliceBegin, SliceId, StringId, TraceBuilder, TrackId,
    TrackType,
};

/// Adds slices to a track: start, end, name. Slices come after the slices that enclose them.
fn slices(out: &mut TraceBuilder, track: TrackId, rows: &[(i64, i64, &str)]) {
    let mut open: Vec<i64> = Vec::new();
    for (from, to, name) in rows {
        while open.last().is_some_and(|end| end <= from) {
            let end = open.pop().unwrap();
            out.end_slice(track, end, None);
        }
        let name = out.intern(name.as_bytes());
        out.begin_slice(track, SliceBegin::named(*from, name));
        open.push(*to);
    }
    while let Some(end) = open.pop() {
        out.end_slice(track, end, None);
    }
}

/// A process and the tracks of its threads. The first one is the main thread.
fn process<const N: usize>(
    out: &mut TraceBuilder,
    pid: i64,
    name: &str,
    threads: [&str; N],
) -> (ProcessId, [TrackId; N]) {
    let mut tid = pid;
    let mut upid = None;
    let tracks = threads.map(|thread| {
        let utid = out.thread(tid);
        tid += 1;
        upid = Some(out.put_in_process(utid, pid));
        let thread = out.intern(thread.as_bytes());
        out.name_thread(utid, thread);
        out.thread_track(utid)
    });
    let upid = upid.unwrap();
    let name = out.intern(name.as_bytes());
    out.name_process(upid, name);
    (upid, tracks)
}

/// A frame of the actual timeline.
fn frame(
    out: &mut TraceBuilder,
    upid: ProcessId,
    (ts, dur): (i64, i64),
    vsync: &str,
    args: &[(&str, ArgValue)],
) -> SliceId {
    let name = out.intern(b"timeline");
    let track = out.process_track(TrackType::AndroidActualFrameTimeline, upid, name);
    let args: Vec<_> = args
        .iter()
        .map(|(key, value)| (out.intern(key.as_bytes()), *value))
        .collect();
    let name = out.intern(vsync.as_bytes());
    let begin = SliceBegin {
        arg_set_id: out.args(args),
        ..SliceBegin::named(ts, name)
    };
    out.whole_slice(track, begin, dur)
}

/// ```text
/// time        100   200   210   300         400    410     500
/// system      read  sends                                  knows
/// app                     gets  handles     done
///                         doFrame 12 from 290 to 350
/// screen                                                         720
/// ```
/// A second event at 1000 is handled outside a frame; the next frame, 13, never reaches the screen.
fn session() -> Session {
    let mut out = TraceBuilder::new();
    let (_, [_, reader, dispatcher]) = process(
        &mut out,
        500,
        "system_server",
        ["system_server", "InputReader", "InputDispatcher"],
    );
    let (app, [main]) = process(&mut out, 900, "com.app", ["com.app"]);
    let (screen, _) = process(
        &mut out,
        300,
        "/system/bin/surfaceflinger",
        ["surfaceflinger"],
    );
    let reads = [
        (
            100,
            110,
            "UnwantedInteractionBlocker::notifyMotion(id=0x5, action=0)",
        ),
        (900, 910, "UnwantedInteractionBlocker::notifyMotion(id=0x6)"),
    ];
    slices(&mut out, reader, &reads);
    let sends = [
        (
            190,
            220,
            "enqueueDispatchEntryAndStartDispatchCycleLocked(inputChannel=5f3 com.app/com.app.Main (server), id=0x5)",
        ),
        (
            192,
            218,
            "startDispatchCycleLocked(inputChannel=5f3 com.app/com.app.Main (server))",
        ),
        (
            194,
            216,
            "publishMotionEvent(inputChannel=5f3 com.app/com.app.Main (server))",
        ),
        (
            200,
            205,
            "sendMessage(inputChannel=5f3 com.app/com.app.Main (server), seq=0x7, type=MOTION)",
        ),
        (
            500,
            503,
            "receiveMessage(inputChannel=5f3 com.app/com.app.Main (server), seq=0x7, type=FINISHED)",
        ),
        (
            990,
            1020,
            "enqueueDispatchEntryAndStartDispatchCycleLocked(inputChannel=5f3 com.app/com.app.Main (server), id=0x6)",
        ),
        (
            992,
            1018,
            "startDispatchCycleLocked(inputChannel=5f3 com.app/com.app.Main (server))",
        ),
        (
            994,
            1016,
            "publishMotionEvent(inputChannel=5f3 com.app/com.app.Main (server))",
        ),
        (
            1000,
            1005,
            "sendMessage(inputChannel=5f3 com.app/com.app.Main (server), seq=0x8, type=MOTION)",
        ),
        (
            1090,
            1095,
            "receiveMessage(inputChannel=5f3 com.app/com.app.Main (server), seq=0x8, type=FINISHED)",
        ),
    ];
    slices(&mut out, dispatcher, &sends);
    let work = [
        (
            210,
            214,
            "receiveMessage(inputChannel=5f3 com.app/com.app.Main (client), seq=0x7, type=MOTION)",
        ),
        (290, 350, "Choreographer#doFrame 12"),
        (300, 340, "Consume Input DOWN"),
        (
            310,
            330,
            "deliverInputEvent src=0x1002 eventTimeNano=90 id=0x5",
        ),
        (
            400,
            402,
            "sendMessage(inputChannel=5f3 com.app/com.app.Main (client), seq=0x7, type=FINISHED)",
        ),
        (
            1010,
            1012,
            "receiveMessage(inputChannel=5f3 com.app/com.app.Main (client), seq=0x8, type=MOTION)",
        ),
        (1020, 1040, "Consume Input MOVE"),
        (
            1022,
            1030,
            "deliverInputEvent src=0x1002 eventTimeNano=890 id=0x6",
        ),
        (
            1050,
            1052,
            "sendMessage(inputChannel=5f3 com.app/com.app.Main (client), seq=0x8, type=FINISHED)",
        ),
        (1100, 1200, "Choreographer#doFrame 13"),
    ];
    slices(&mut out, main, &work);
    let on_time = out.intern(b"On-time Present");
    let on_time = ("Present type", ArgValue::Text(on_time));
    let of_app = [
        ("Display frame token", ArgValue::Int(40)),
        ("Surface frame token", ArgValue::Int(12)),
        on_time,
    ];
    let slice_out = frame(&mut out, app, (295, 200), "12", &of_app);
    let of_screen = [("Display frame token", ArgValue::Int(40)), on_time];
    let slice_in = frame(&mut out, screen, (600, 120), "40", &of_screen);
    let name = StringId::NULL;
    out.flow(FlowRow {
        slice_out,
        slice_in,
        name,
        trace_id: NO_NUMBER,
    });
    Session::open(out.finish(), Limits::default()).unwrap()
}

/// The rows of a query, as texts.
fn texts(sql: &str) -> Vec<String> {
    let rows = ask(
        &mut session(),
        &format!("INCLUDE PERFETTO MODULE android.input; {sql}"),
    )
    .unwrap()
    .rows;
    let cell = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    rows.iter()
        .map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_way_of_events() {
    let sql = "SELECT dispatch_latency_dur, handling_latency_dur, ack_latency_dur, total_latency_dur, end_to_end_latency_dur,
      process_name, event_type, event_action, event_seq, input_event_id, read_time, frame_id, is_speculative_frame, event_time
      FROM android_input_events";
    let expected = [
        "10 190 100 300 620 com.app MOTION DOWN 0x7 0x5 100 12 0 90",
        "10 40 40 90 - com.app MOTION MOVE 0x8 0x6 900 13 1 890",
    ];
    assert_eq!(texts(sql), expected);
    let sql = "SELECT event_channel, normalized_event_channel, thread_name, dispatch_dur, receive_dur FROM android_input_events LIMIT 1";
    assert_eq!(
        texts(sql),
        ["5f3 com.app/com.app.Main (server) com.app/com.app.Main (server) com.app 5 4"]
    );
    let names = "SELECT _normalize_event_channel(column1) FROM (VALUES ('[Gesture Monitor] swipe-up'), ('ccf6448 Popup:b20'), ('Monitor23'))";
    assert_eq!(
        texts(names),
        ["[Gesture Monitor] swipe-up", "Popup", "Monitor"]
    );
}

#[test]
fn the_frame_of_the_screen_that_shows_a_frame_of_an_app() {
    let sql =
        "SELECT app.name, app_vsync, sf.name, sf_vsync FROM android_app_to_sf_frame_timeline_match
      JOIN process AS app ON app.upid = app_upid JOIN process AS sf ON sf.upid = sf_upid";
    assert_eq!(texts(sql), ["com.app 12 /system/bin/surfaceflinger 40"]);
}
