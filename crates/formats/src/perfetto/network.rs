//! Network packets of Android (`NetworkPacketEvent` and `NetworkPacketBundle`).

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, NO_TIME, SliceBegin, StringId, TraceBuilder, TrackType};

use super::graphics::{ArgList, Scoped};
use super::packet::payload;
use super::sequence::State;
use super::survey::Survey;
use super::wire::{Field, Fields, Packed};

/// The field number of the bundle contexts in `InternedData`.
const CONTEXTS: u32 = 30;

/// Each user of Android has a range of uids of this size. The uid within the range is the app id.
const USER_RANGE: u64 = 100_000;

/// Converts network packets to slices and rows of `__intrinsic_android_network_packets`.
pub(super) struct Network<'s> {
    survey: &'s Survey<'s>,
    /// The package names by uid. Filled when the first packet needs them.
    packages: Option<FxHashMap<i64, StringId>>,
    lanes: Scoped,
}

/// The common properties of one or several packets. `numbers` is indexed by the field numbers of `NetworkPacketEvent`.
#[derive(Clone, Copy, Debug, Default)]
struct Context<'a> {
    interface: &'a [u8],
    numbers: [Option<u64>; 12],
}

mod field {
    pub const DIRECTION: usize = 1;
    pub const LENGTH: usize = 3;
    pub const UID: usize = 4;
    pub const TAG: usize = 5;
    pub const PROTOCOL: usize = 6;
    pub const TCP_FLAGS: usize = 7;
    pub const LOCAL_PORT: usize = 8;
    pub const REMOTE_PORT: usize = 9;
    pub const ICMP_TYPE: usize = 10;
    pub const ICMP_CODE: usize = 11;
}

/// The time, size and number of one or several packets.
#[derive(Clone, Copy, Debug)]
struct Sent {
    ts: i64,
    dur: i64,
    bytes: u64,
    count: u64,
}

impl<'a> Context<'a> {
    fn read(fields: Fields<'a>) -> Self {
        let mut context = Self::default();
        for field in fields {
            match field.number as usize {
                2 => context.interface = field.bytes(),
                number => {
                    if let Some(slot) = context.numbers.get_mut(number) {
                        *slot = Some(field.uint());
                    }
                }
            }
        }
        context
    }

    fn some(&self, slot: usize) -> Option<u64> {
        self.numbers.get(slot).copied().flatten()
    }

    fn number(&self, slot: usize) -> u64 {
        self.some(slot).unwrap_or(0)
    }

    fn direction(&self) -> &'static str {
        match self.number(field::DIRECTION) {
            1 => "Received",
            2 => "Transmitted",
            _ => "DIR_UNKNOWN",
        }
    }

    fn protocol(&self) -> String {
        match self.number(field::PROTOCOL) {
            1 => "IPPROTO_ICMP".to_owned(),
            6 => "IPPROTO_TCP".to_owned(),
            17 => "IPPROTO_UDP".to_owned(),
            58 => "IPPROTO_ICMPV6".to_owned(),
            number => format!("IPPROTO ({number})"),
        }
    }

    /// One character per flag: its letter if it is set, otherwise a dot.
    fn tcp_flags(&self) -> Option<String> {
        let flags = self.some(field::TCP_FLAGS)?;
        let letters = "fsrpauec".chars().enumerate();
        let letter = |(bit, letter)| if flags >> bit & 1 != 0 { letter } else { '.' };
        Some(letters.map(letter).collect())
    }
}

impl<'s> Network<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            survey,
            packages: None,
            lanes: Scoped::default(),
        }
    }

    /// Reads a packet whose content is in the field `number`. Returns whether it is a network packet.
    pub fn packet(
        &mut self,
        ts: i64,
        (number, content): (u32, &[u8]),
        state: State,
        out: &mut TraceBuilder,
    ) -> bool {
        let fields = Fields::new(content);
        match number {
            payload::NETWORK_PACKET => {
                let context = Context::read(fields);
                let bytes = context.number(field::LENGTH);
                self.add(&context, Sent::one(ts, bytes), out);
            }
            payload::NETWORK_BUNDLE => self.bundle(ts, fields, state, out),
            _ => return false,
        }
        true
    }

    /// Reads a `NetworkPacketBundle`: packets with the same context, or only their totals.
    fn bundle(&mut self, ts: i64, fields: Fields<'_>, state: State, out: &mut TraceBuilder) {
        let find = |number| {
            fields
                .clone()
                .filter(move |field| field.number == number)
                .last()
        };
        let number = |number| find(number).map(Field::uint);
        let context = self.context(&fields, state);
        if let Some(bytes) = number(7) {
            let sent = Sent {
                ts,
                dur: number(6).unwrap_or(0) as i64,
                bytes,
                count: number(5).unwrap_or(0),
            };
            return self.add(&context, sent, out);
        }
        let packed = |number| Packed::new(find(number).map_or(&[], Field::bytes));
        for (after, bytes) in packed(3).zip(packed(4)) {
            let ts = ts.saturating_add_unsigned(after);
            self.add(&context, Sent::one(ts, bytes), out);
        }
    }

    /// The context of a bundle, either interned or inline.
    fn context<'a>(&self, fields: &Fields<'a>, state: State) -> Context<'a>
    where
        's: 'a,
    {
        let find = |number| {
            fields
                .clone()
                .filter(move |field| field.number == number)
                .last()
        };
        let interned = find(1).and_then(|iid| {
            let span = self
                .survey
                .sequences
                .interned(&state, CONTEXTS, iid.uint())?;
            let fields: Fields<'a> = Fields::new(self.survey.source.get(span));
            fields.filter(|field| field.number == 2).last()
        });
        let context = interned.or_else(|| find(2));
        context.map_or(Context::default(), |context| {
            Context::read(context.fields())
        })
    }

    fn add(&mut self, context: &Context<'_>, sent: Sent, out: &mut TraceBuilder) {
        let interface = String::from_utf8_lossy(context.interface);
        let track = format!("{interface} {}", context.direction());
        let track = out.intern(track.as_bytes());
        let track = out.global_track(TrackType::NetworkPackets, track);
        let [interface, direction] =
            [context.interface, context.direction().as_bytes()].map(|text| out.intern(text));
        let of = [("net_interface", interface), ("net_direction", direction)];
        out.add_track_args(track, &of.map(|(key, text)| (key, ArgValue::Text(text))));
        let name = self.name(context.number(field::UID), out);
        let begin = SliceBegin {
            arg_set_id: args(context, sent, out),
            ..SliceBegin::named(sent.ts, name)
        };
        let slice = match sent.dur {
            0 => out.whole_slice(track, begin, 0),
            dur => self.lanes.slice(track, begin, dur, out),
        };
        let mut cells = cells(context, sent, out);
        cells.push(("id", slice.into()));
        out.record(NO_TIME, "__intrinsic_android_network_packets", &cells);
    }

    /// The package name of a uid, or else the uid.
    fn name(&mut self, uid: u64, out: &mut TraceBuilder) -> StringId {
        let packages = self.packages.get_or_insert_with(|| packages(out));
        let app = (uid % USER_RANGE) as i64;
        match packages.get(&app).filter(|_| uid > 0) {
            Some(package) => *package,
            None => out.intern(format!("uid={uid}").as_bytes()),
        }
    }
}

impl Sent {
    fn one(ts: i64, bytes: u64) -> Self {
        Self {
            ts,
            dur: 0,
            bytes,
            count: 1,
        }
    }
}

/// The package names by uid, from the trace's package list.
fn packages(out: &TraceBuilder) -> FxHashMap<i64, StringId> {
    let (records, strings) = (&out.trace().records, &out.trace().strings);
    let columns = ["package_list", "uid", "package_name"].map(|name| strings.lookup(name));
    let [Some(table), Some(uid), Some(name)] = columns else {
        return FxHashMap::default();
    };
    let tables = records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| *of == table).map(|(row, _)| row);
    let package = |row| {
        let cells = (records.cell(row, uid)?, records.cell(row, name)?);
        match cells {
            (ArgValue::Int(uid), ArgValue::Text(name)) => Some((uid, name)),
            _ => None,
        }
    };
    rows.filter_map(package).collect()
}

fn args(context: &Context<'_>, sent: Sent, out: &mut TraceBuilder) -> ArgSetId {
    let mut args = ArgList::new(out);
    args.text(b"packet_transport", context.protocol().as_bytes());
    args.uint("socket_uid", context.number(field::UID));
    let tag = format!("{:#x}", context.number(field::TAG));
    args.text(b"socket_tag", tag.as_bytes());
    if let Some(flags) = context.tcp_flags() {
        args.text(b"packet_tcp_flags", flags.as_bytes());
    }
    for (slot, key) in PLAIN {
        if let Some(number) = context.some(slot) {
            args.uint(key, number);
        }
    }
    args.uint("packet_length", sent.bytes);
    args.uint("packet_count", sent.count);
    args.store()
}

/// Numbers that are shown as they are.
const PLAIN: [(usize, &str); 4] = [
    (field::LOCAL_PORT, "local_port"),
    (field::REMOTE_PORT, "remote_port"),
    (field::ICMP_TYPE, "packet_icmp_type"),
    (field::ICMP_CODE, "packet_icmp_code"),
];

fn cells(
    context: &Context<'_>,
    sent: Sent,
    out: &mut TraceBuilder,
) -> Vec<(&'static str, ArgValue)> {
    let int = |number: u64| ArgValue::Int(number as i64);
    let mut cells = vec![
        ("packet_length", int(sent.bytes)),
        ("packet_count", int(sent.count)),
        ("socket_tag", int(context.number(field::TAG))),
        ("socket_uid", int(context.number(field::UID))),
    ];
    let flags = context.some(field::TCP_FLAGS);
    cells.extend(flags.map(|flags| ("packet_tcp_flags", int(flags))));
    for (slot, column) in PLAIN {
        cells.extend(context.some(slot).map(|number| (column, int(number))));
    }
    let mut text = |column, text: &str| {
        cells.push((column, ArgValue::Text(out.intern(text.as_bytes()))));
    };
    text("iface", &String::from_utf8_lossy(context.interface));
    text("direction", context.direction());
    text("packet_transport", &context.protocol());
    text(
        "socket_tag_str",
        &format!("{:#x}", context.number(field::TAG)),
    );
    if let Some(flags) = context.tcp_flags() {
        text("packet_tcp_flags_str", &flags);
    }
    cells
}
