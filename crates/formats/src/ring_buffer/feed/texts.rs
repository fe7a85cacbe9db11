//! Events with texts and calls, written by programs, by developers (`trace_printk`) and by the
//! function tracers.

use super::super::merge::{CpuBytes, Timed};
use super::super::print::Context;
use super::super::{EventField, bprint, decode};
use super::repeats::Seen;
use super::{Feed, ID_AT, Kind, KnownEvent, RawSink, TID_AT};
use crate::bytes::ByteOrder;
use crate::ftrace::event::{Event, FieldList, GraphCall, Record};
use crate::ftrace::{mark, printed};

impl<'a, S: RawSink> Feed<'a, S> {
    /// A text of `trace_marker` or `trace_printk` that is not a marker.
    pub(super) fn plain_text(
        &mut self,
        ip: Option<i64>,
        text: &'a [u8],
        record: Record<'a>,
        offset: u64,
    ) {
        let caller = ip.and_then(|ip| self.formats.symbols().function(ip as u64));
        self.text.clear();
        if let Some((name, _)) = caller.filter(|(name, _)| !name.starts_with(b"tracing_mark_write"))
        {
            self.text.extend(name);
            self.text.extend(b": ");
        }
        self.text.extend(text);
        let event = Event::Mark(mark(&self.text));
        self.sink
            .record(&Record { event, ..record }, FieldList::default(), offset);
    }

    /// A text of `trace_printk`: a marker, an event made up by a developer, or plain text.
    pub(super) fn print(
        &mut self,
        event: &'a KnownEvent,
        ip: Option<i64>,
        text: &[u8],
        record: Record<'a>,
        offset: u64,
    ) {
        let caller = ip.unwrap_or(0) as u64;
        let caller = decode::function_name(self.formats.symbols(), caller, &mut self.made);
        self.text.clear();
        self.text.extend(caller);
        self.text.extend(b": ");
        self.text.extend(text);
        let mut fields = Vec::new();
        let event = printed(event.format.name.as_bytes(), &self.text, &mut fields);
        let (keys, values): (Vec<_>, Vec<_>) =
            fields.iter().map(|field| (field.key, field.value)).unzip();
        let fields = FieldList {
            keys: &keys,
            values: &values,
        };
        self.sink
            .record(&Record { event, ..record }, fields, offset);
    }

    pub(super) fn bprint(
        &mut self,
        event: &'a KnownEvent,
        [ip, fmt, buf]: &'a [EventField; 3],
        timed: Timed<'a>,
        record: Record<'a>,
        offset: u64,
    ) -> Option<()> {
        let layout = self.cpus[timed.stream].layout;
        let data = timed.raw.data;
        let address = layout.order.uint(data, fmt.offset, fmt.size)?;
        let format = self.formats.symbols().text(address)?;
        let mut words = bprint::Words {
            bytes: data,
            order: layout.order,
            long_bytes: layout.long_bytes,
            at: buf.offset,
        };
        let mut text = Vec::new();
        bprint::print(format, &mut words, self.formats.symbols(), &mut text);
        self.print(event, ip.int(data, layout.order), &text, record, offset);
        Some(())
    }

    /// A driver's own marker.
    pub(super) fn marker(
        &mut self,
        event: &'a KnownEvent,
        timed: Timed<'a>,
        record: Record<'a>,
        offset: u64,
    ) -> Option<()> {
        let Kind::Marker(plan) = &event.kind else {
            return None;
        };
        self.made.clear();
        let context = Context {
            event: timed.raw.data,
            format: &event.format,
            order: self.cpus[timed.stream].layout.order,
            symbols: self.formats.symbols(),
            made: &mut self.made,
        };
        let range = decode::whole_text(plan, context)?;
        let event = Event::Mark(mark(self.made.get(range)?));
        self.sink
            .record(&Record { event, ..record }, FieldList::default(), offset);
        Some(())
    }

    pub(super) fn function(&mut self, ip: u64, parent: u64, record: Record<'a>, offset: u64) {
        let symbols = self.formats.symbols();
        let event = Event::Function {
            name: decode::function_name(symbols, ip, &mut self.made),
            parent: decode::function_name(symbols, parent, &mut self.text),
        };
        self.sink
            .record(&Record { event, ..record }, FieldList::default(), offset);
    }

    /// A call of the function_graph tracer. A call without traced callees becomes one event, with
    /// the duration that the kernel measured.
    pub(super) fn graph(
        &mut self,
        event: &'a KnownEvent,
        timed: Timed<'a>,
        record: Record<'a>,
        offset: u64,
    ) -> Option<()> {
        let (order, data) = (self.cpus[timed.stream].layout.order, timed.raw.data);
        let (call, dur) = match &event.kind {
            Kind::GraphEntry(func) => {
                let address = func.int(data, order)? as u64;
                let leaf = self.leaf(timed, address);
                if leaf.is_some() {
                    self.pass_over(timed.stream);
                }
                let name = decode::function_name(self.formats.symbols(), address, &mut self.made);
                match leaf {
                    Some(dur) => (GraphCall::Leaf(name), Some(dur)),
                    None => (GraphCall::Enter(name), None),
                }
            }
            Kind::GraphExit(func, ends) => {
                let address = func.int(data, order)? as u64;
                let name = decode::function_name(self.formats.symbols(), address, &mut self.made);
                (GraphCall::Exit(name), duration(ends, data, order))
            }
            _ => return None,
        };
        let event = Event::Graph(decode::graph_row(call, dur));
        self.sink
            .record(&Record { event, ..record }, FieldList::default(), offset);
        Some(())
    }

    /// Skips the next event of a CPU, whose content is already used. Another buffer may contain it, too.
    fn pass_over(&mut self, stream: usize) {
        let CpuBytes {
            cpu,
            buffer,
            layout,
            ..
        } = self.cpus[stream];
        if let (Some((ts, raw)), Some(repeats)) =
            (self.merge.pass_over(stream), self.repeats.as_mut())
            && let Some(id) = layout.order.u16(raw.data, ID_AT)
        {
            let data = raw.data;
            repeats.has((cpu, id), Seen { buffer, ts, data });
        }
    }

    /// The duration of a call, if the CPU's next event is its end.
    fn leaf(&self, timed: Timed<'a>, function: u64) -> Option<i64> {
        let order = self.cpus[timed.stream].layout.order;
        let next = self.merge.peek(timed.stream)?.data;
        let event = self.formats.event(order.u16(next, ID_AT)?)?;
        let Kind::GraphExit(func, ends) = &event.kind else {
            return None;
        };
        let same = order.u32(next, TID_AT) == order.u32(timed.raw.data, TID_AT)
            && func.int(next, order)? as u64 == function;
        duration(ends, next, order).filter(|_| same)
    }
}

fn duration(ends: &Option<[EventField; 2]>, data: &[u8], order: ByteOrder) -> Option<i64> {
    let [call, end] = ends.as_ref()?;
    let (call, end) = (call.int(data, order)?, end.int(data, order)?);
    end.checked_sub(call).filter(|dur| *dur >= 0)
}
