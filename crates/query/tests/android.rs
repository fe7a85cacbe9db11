//! Views and modules about frames and GPUs, on a small trace with known answers.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{
    ArgValue, NO_TIME, ProcessId, SliceBegin, SliceId, TraceBuilder, TrackId, TrackType,
};

/// A slice with the arguments `args`.
fn slice(
    out: &mut TraceBuilder,
    track: TrackId,
    name: &str,
    times: [i64; 2],
    args: &[(&str, ArgValue)],
) -> SliceId {
    let args: Vec<_> = args
        .iter()
        .map(|(key, value)| (out.intern(key.as_bytes()), *value))
        .collect();
    let begin = SliceBegin {
        arg_set_id: out.args(args),
        ..SliceBegin::named(times[0], out.intern(name.as_bytes()))
    };
    out.whole_slice(track, begin, times[1] - times[0])
}

/// A frame in a timeline.
fn frame(out: &mut TraceBuilder, upid: ProcessId, kind: TrackType, times: [i64; 2], why: &str) {
    let name = out.intern(b"timeline");
    let track = out.process_track(kind, upid, name);
    let why = ArgValue::Text(out.intern(why.as_bytes()));
    let layer = ArgValue::Text(out.intern(b"window#4"));
    let args = [
        ("Surface frame token", ArgValue::Int(12)),
        ("Layer name", layer),
        ("Jank type", why),
    ];
    slice(out, track, "12", times, &args);
}

/// An app that draws the frame 12 in a journey, with a GPU.
fn session() -> Session {
    let mut out = TraceBuilder::new();
    let (ui, render) = (out.thread(7), out.thread(8));
    let upid = out.put_in_process(ui, 7);
    out.put_in_process(render, 7);
    let name = out.intern(b"com.android.systemui");
    out.name_process(upid, name);
    let name = out.intern(b"RenderThread");
    out.name_thread(render, name);
    let [ui_track, render_track] = [ui, render].map(|thread| out.thread_track(thread));
    let journey = out.intern(b"journey");
    let journey = out.process_track(TrackType::AtraceAsyncSlice, upid, journey);
    slice(&mut out, journey, "J<OPEN>", [5, 9_000_000], &[]);
    for name in [
        "FT#beginVsync#12",
        "FT#layerId#4",
        "FT#endVsync#12",
        "FT#end#0",
    ] {
        let name = format!("J<OPEN>#{name}");
        slice(&mut out, ui_track, &name, [6, 6], &[]);
    }
    slice(&mut out, ui_track, "J<OPEN>#UIThread", [6, 6], &[]);
    slice(
        &mut out,
        ui_track,
        "Choreographer#doFrame 12",
        [10, 40],
        &[],
    );
    slice(&mut out, render_track, "DrawFrames 12", [35, 70], &[]);
    slice(&mut out, render_track, "DrawFrames 0", [80, 90], &[]);
    frame(
        &mut out,
        upid,
        TrackType::AndroidExpectedFrameTimeline,
        [8, 60],
        "",
    );
    let late = "App Deadline Missed";
    frame(
        &mut out,
        upid,
        TrackType::AndroidActualFrameTimeline,
        [10, 70],
        late,
    );
    let memory = out.intern(b"GPU Memory");
    let memory = out.process_track(TrackType::ProcessGpuMemory, upid, memory);
    out.whole_counter(memory, 20, 5);
    out.whole_counter(memory, 30, 6);
    let clock = out.intern(b"gpufreq");
    let clock = out.global_track(TrackType::GpuFrequency, clock);
    out.whole_counter(clock, 10, 300);
    out.whole_counter(clock, 50, 200);
    let wlan = out.intern(b"wlan0 Received");
    let wlan = out.global_track(TrackType::NetworkPackets, wlan);
    let packet = slice(&mut out, wlan, "com.app", [30, 33], &[]);
    let flags = ArgValue::Text(out.intern(b"fs......"));
    let cells = [
        ("id", packet.into()),
        ("packet_length", ArgValue::Int(700)),
        ("packet_tcp_flags_str", flags),
    ];
    out.record(NO_TIME, "__intrinsic_android_network_packets", &cells);
    out.record(NO_TIME, "__intrinsic_gpu", &[("gpu", ArgValue::Int(3))]);
    Session::open(out.finish(), Limits::default()).unwrap()
}

/// The first row of an answer, as text.
fn first(sql: &str) -> String {
    let rows = ask(&mut session(), sql).unwrap().rows;
    let row = rows.first().into_iter().flatten();
    let text = row.map(|value| match value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Null => "–".to_owned(),
        other => format!("{other:?}"),
    });
    text.collect::<Vec<_>>().join(" ")
}

#[test]
fn views_have_the_arguments_of_slices() {
    let timeline = "SELECT ts, dur, surface_frame_token, layer_name, jank_type FROM actual_frame_timeline_slice";
    assert_eq!(first(timeline), "10 60 12 window#4 App Deadline Missed");
    let expected =
        "SELECT ts, dur, layer_name, upid IS NOT NULL FROM expected_frame_timeline_slice";
    assert_eq!(first(expected), "8 52 window#4 1");
    assert_eq!(first("SELECT ugpu, gpu FROM gpu"), "0 3");
    assert_eq!(first("SELECT count(*) FROM gpu_slice"), "0");
}

#[test]
fn frames_of_apps() {
    let include = "INCLUDE PERFETTO MODULE android.frames.*;";
    let ask = |sql: &str| first(&format!("{include} {sql}"));
    let frames = ask(
        "SELECT frame_id, ts, dur, draw_frame_count, actual_frame_timeline_count FROM android_frames",
    );
    assert_eq!(frames, "12 10 60 1 1");
    let layers = ask("SELECT layer_id, layer_name, process_name FROM android_frames_layers");
    assert_eq!(layers, "4 window#4 com.android.systemui");
    assert_eq!(
        ask("SELECT frame_id FROM android_first_frame_after(9)"),
        "12"
    );
    assert_eq!(
        ask("SELECT count(*) FROM android_first_frame_after(10)"),
        "0"
    );
    assert_eq!(
        ask("SELECT * FROM android_cpu_time_per_frame"),
        "12 2 30 35 67"
    );
    assert_eq!(
        ask("SELECT * FROM android_frame_stats"),
        "12 10 67 30 1 – – –"
    );
    let types = "SELECT android_is_app_jank_type('Display HAL, App Deadline Missed'), android_is_sf_jank_type('None'), \
                 android_is_missed_frame_type('Dropped Frame')";
    assert_eq!(ask(types), "1 0 1");
}

#[test]
fn journeys() {
    let sql = "INCLUDE PERFETTO MODULE android.cujs.sysui_cujs;
      SELECT cuj_name, ts, ts_end, state, layer_id, begin_vsync, end_vsync FROM android_sysui_jank_cujs";
    assert_eq!(first(sql), "OPEN 8 40 completed 4 12 12");
    let sql = "INCLUDE PERFETTO MODULE android.cujs.base; SELECT layer_name FROM android_jank_cuj_layer_name";
    assert_eq!(first(sql), "window#4");
    // The frame is drawn from 35 to 70, but the journey ends at 40.
    let sql = "INCLUDE PERFETTO MODULE android.cujs.sysui_cujs;
      SELECT name, ts, dur, ts_end, cuj_name, process_name FROM android_cuj_blocking_calls";
    assert_eq!(first(sql), "DrawFrames 35 5 40 OPEN com.android.systemui");
}

#[test]
fn frames_of_journeys() {
    let ask = |sql: &str| {
        first(&format!(
            "INCLUDE PERFETTO MODULE android.cujs.frames; {sql}"
        ))
    };
    let summary = "SELECT name, process_name, state, total_frames, missed_app_frames, missed_sf_frames, layer_name, ts, dur
                   FROM android_jank_cuj_slice_summary";
    let expected = "J<OPEN> com.android.systemui completed 1 1 0 window#4 8 32";
    assert_eq!(ask(summary), expected);
    let frame = "SELECT vsync, app_missed, ts_end_actual, dur, dur_expected, number_of_layers_for_frame, frame_layer_name
                 FROM _android_jank_cuj_frame_timeline";
    assert_eq!(ask(frame), "12 1 70 60 52 1 window#4");
    let ui = "SELECT vsync, ts_do_frame_start, ts_expected, ts, ts_end FROM _android_jank_cuj_main_thread_frame_boundary";
    assert_eq!(ask(ui), "12 10 8 8 40");
    let whole = "SELECT ts, ts_end, dur FROM _android_jank_cuj_boundary";
    assert_eq!(ask(whole), "8 70 62");
    let render = "SELECT cuj_id, name FROM android_jank_cuj_render_thread";
    assert_eq!(ask(render), "1 RenderThread");
}

#[test]
fn gpus() {
    let include = "INCLUDE PERFETTO MODULE android.gpu.*; INCLUDE PERFETTO MODULE std.gpu.context;";
    let ask = |sql: &str| first(&format!("{include} {sql}"));
    let memory =
        ask("SELECT group_concat(ts || ' ' || gpu_memory) FROM android_gpu_memory_per_process");
    assert_eq!(memory, "20 5,30 6");
    let clock = "SELECT ts, dur, gpu_id, gpu_freq, next_gpu_freq FROM android_gpu_frequency";
    assert_eq!(ask(clock), "10 40 0 300 200");
    assert_eq!(ask("SELECT count(*) FROM gpu_context"), "0");
}

#[test]
fn network() {
    let sql = "INCLUDE PERFETTO MODULE android.network_packets;
      SELECT ts, dur, track_name, package_name, packet_length, packet_tcp_flags, iface FROM android_network_packets";
    assert_eq!(first(sql), "30 3 wlan0 Received com.app 700 fs...... –");
}

/// Layer 3 is inside 4, and 4 is inside 5. Layer 7 is its own parent, 8 is inside it, and 9 is inside a layer that does
/// not exist.
#[test]
fn the_layers_above_each_layer() {
    let mut out = TraceBuilder::new();
    let layers = [
        (5, None),
        (3, Some(4)),
        (4, Some(5)),
        (7, Some(7)),
        (8, Some(7)),
        (-2, Some(9)),
    ];
    for (layer, parent) in layers {
        let parent = parent.map_or(ArgValue::Null, ArgValue::Int);
        let cells = [
            ("snapshot_id", ArgValue::Int(0)),
            ("layer_id", ArgValue::Int(layer)),
            ("parent", parent),
        ];
        out.record(NO_TIME, "surfaceflinger_layer", &cells);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT id, layer_id, ancestor_id FROM __intrinsic_winscope_surfaceflinger_hierarchy_path()";
    let expected = [
        [0, 5, 5],
        [1, 3, 5],
        [2, 3, 4],
        [3, 3, 3],
        [4, 4, 5],
        [5, 4, 4],
        [6, 7, 7],
        [7, 8, 8],
        [8, 4294967294, 4294967294],
    ];
    let expected = expected.map(|row| row.map(Value::Integer).to_vec());
    assert_eq!(ask(&mut session, sql).unwrap().rows, expected);
}
