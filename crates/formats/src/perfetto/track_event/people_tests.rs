//! Tests of the processes and threads of track descriptors.

use testkit::Proto;
use traceloom_trace::RowId;

use super::super::tests::{packet, read};

/// A descriptor on sequence 1.
fn descriptor(uuid: i64, content: Proto) -> Proto {
    packet(0, 60, content.int(1, uuid)).int(10, 1)
}

fn thread(pid: i64, tid: i64, name: &str) -> Proto {
    Proto::new().message(4, Proto::new().int(1, pid).int(2, tid).text(5, name))
}

/// Until a sequence clears its state, its thread is not known for sure.
#[test]
fn a_sequence_that_never_cleared_its_state_has_no_thread() {
    let event = |ts| packet(ts, 11, Proto::new().int(9, 3).text(23, "i")).int(10, 1);
    let read = |flags| {
        let own = descriptor(1, thread(5, 7, "worker")).int(13, flags);
        let trace = read([own, event(1)]);
        let track = trace.slices.track_id.get(0);
        let name = trace.strings.get(trace.tracks.name.get(track.row()));
        (trace.track_thread(track).is_some(), name.to_owned())
    };
    assert_eq!(read(0), (false, "Default Track".to_owned()));
    assert!(read(1).0);
}
