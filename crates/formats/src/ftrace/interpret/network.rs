//! TCP connections.

use traceloom_trace::{SliceBegin, TraceBuilder, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use crate::ftrace::event::Value;

/// The states of a connection, by number (`include/net/tcp_states.h`).
const STATES: [&str; 13] = [
    "",
    "TCP_ESTABLISHED",
    "TCP_SYN_SENT",
    "TCP_SYN_RECV",
    "TCP_FIN_WAIT1",
    "TCP_FIN_WAIT2",
    "TCP_TIME_WAIT",
    "TCP_CLOSE",
    "TCP_CLOSE_WAIT",
    "TCP_LAST_ACK",
    "TCP_LISTEN",
    "TCP_CLOSING",
    "TCP_NEW_SYN_RECV",
];

/// The number of TCP among the protocols.
const TCP: i64 = 6;

impl Interpreter {
    /// `inet_sock_set_state`: a connection is in its new state until the next event of its socket.
    /// The kernel's text does not have the socket's address; then the event stays an event.
    pub(super) fn socket_state(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let socket = fields.int("skaddr")?;
        if fields.int("protocol")? != TCP {
            return None;
        }
        let state = state(fields.get("newstate")?)?;
        let name = match state {
            "TCP_SYN_SENT" => format!("{state}(pid={})", self.threads.slot(at.slot).tid),
            "TCP_ESTABLISHED" => format!(
                "{state}(sport={},dport={})",
                fields.int("sport").unwrap_or(0),
                fields.int("dport").unwrap_or(0)
            ),
            _ => state.to_owned(),
        };
        let number = self.devices.connections.len() + 1;
        let track = *self.devices.connections.entry(socket).or_insert_with(|| {
            let title = format!("TCP stream#{number}");
            let title = out.intern(title.as_bytes());
            out.global_track(TrackType::NetSocketSetState, title)
        });
        out.end_slice(track, at.ts, None);
        let begin = SliceBegin {
            category: out.intern(b"tcp_state"),
            ..self.slice_begin(at, name.as_bytes(), fields, out)
        };
        out.begin_slice(track, begin);
        Some(())
    }

    /// `tcp_retransmit_skb`: TCP sends a segment again.
    pub(super) fn retransmit(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = format!(
            "sport={},dport={}",
            fields.int("sport")?,
            fields.int("dport")?
        );
        let track = self.machine_track("TCP Retransmit Skb", out);
        let begin = SliceBegin {
            category: out.intern(b"tcp_event"),
            ..self.slice_begin(at, name.as_bytes(), fields, out)
        };
        out.whole_slice(track, begin, 0);
        Some(())
    }
}

/// The name of a state. Perfetto keeps its number.
fn state(value: Value<'_>) -> Option<&'static str> {
    match value {
        Value::Int(number) => STATES.get(usize::try_from(number).ok()?),
        Value::Text(text) => STATES.iter().find(|state| state.as_bytes() == text),
        Value::Hex(_) => None,
    }
    .copied()
}
