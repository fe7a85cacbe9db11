//! TCP connections.

use traceloom_trace::{ArgValue, SliceBegin, TraceBuilder, TrackType};

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

/// The protocols of IP packets (`include/uapi/linux/if_ether.h`).
const IPV4: i64 = 0x0800;
const IPV6: i64 = 0x86dd;

/// The number of TCP among the protocols.
const TCP: i64 = 6;

impl Interpreter {
    /// `inet_sock_set_state`: a connection is in its new state until the next event of its socket. The kernel's text
    /// lacks the socket's address. Without an address, the event is only kept as an event.
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

    /// `netif_receive_skb: dev=wlan0 skbaddr=… len=1500`: the sum so far.
    pub(super) fn network_received(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let device = fields.shown("name").or(fields.shown("dev"))?;
        let name = format!("{device} Received KB");
        self.network_sum(at, TrackType::NetReceive, &name, fields, out)
    }

    /// `net_dev_xmit: dev=wlan0 skbaddr=… len=1500 rc=0`: the same for packets that the driver accepted.
    pub(super) fn network_sent(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let device = fields.shown("name").or(fields.shown("dev"))?;
        let name = format!("{device} Transmitted KB");
        match fields.int("rc").unwrap_or(0) {
            0 => self.network_sum(at, TrackType::NetTransmit, &name, fields, out),
            _ => None,
        }
    }

    fn network_sum(
        &mut self,
        at: At,
        kind: TrackType,
        name: &str,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let length = fields.int("len")?;
        let name = out.intern(name.as_bytes());
        let track = out.global_track(kind, name);
        let sum = self.devices.network_bytes.entry(track).or_default();
        *sum = sum.saturating_add(length);
        let value = (*sum / 1024) as f64;
        let args = [("cpu", at.cpu.into()), ("len", length)];
        let args = args.map(|(key, value)| (out.intern(key.as_bytes()), ArgValue::Int(value)));
        let args = out.args(args);
        out.counter_with_args(track, at.ts, value, args);
        None
    }

    /// `kfree_skb: skbaddr=… protocol=2048 location=…`: the number of dropped IP packets.
    pub(super) fn network_dropped(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let protocol = match fields.int("protocol")? {
            IPV4 => "IP",
            IPV6 => "IPV6",
            _ => return None,
        };
        self.devices.dropped_packets += 1;
        let name = out.intern(b"Kfree Skb IP Prot");
        let track = out.global_track(TrackType::NetKfreeSkb, name);
        let protocol = ArgValue::Text(out.intern(protocol.as_bytes()));
        let key = out.intern(b"protocol");
        let args = out.args([(key, protocol)]);
        out.counter_with_args(track, at.ts, self.devices.dropped_packets as f64, args);
        None
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
