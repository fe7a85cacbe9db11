//! `SysStats`: counters of the whole machine, from `/proc` and `/sys`.

use traceloom_trace::{ArgValue, TraceBuilder, TrackType};

use super::super::wire::{Field, Fields};
use super::figures::{MEMINFO, VMSTAT};
use super::named::{global, of_cpu, push, text};
use crate::ftrace::event::MOST_CPUS;

/// The maximum number of block sizes in a `BuddyInfo`. The kernel has 11.
const MOST_ORDERS: usize = 32;

/// Reads a `SysStats`, except for disks.
pub(super) fn sys_stats(ts: i64, stats: Fields<'_>, page_size: u64, out: &mut TraceBuilder) {
    use TrackType as T;
    let mut cpu = 0;
    for field in stats {
        match field.number {
            1 => keyed(ts, field, (T::Meminfo, MEMINFO, 1_024), out),
            2 => keyed(ts, field, (T::Vmstat, VMSTAT, 1), out),
            3 => cpu_times(ts, field.fields(), out),
            4 => global(T::NumForks, "num_forks", ts, field.uint(), out),
            5 => global(T::NumIrqTotal, "num_irq_total", ts, field.uint(), out),
            6 => interrupts(ts, field, (T::NumIrq, "num_irq"), out),
            7 => global(
                T::NumSoftirqTotal,
                "num_softirq_total",
                ts,
                field.uint(),
                out,
            ),
            8 => interrupts(ts, field, (T::NumSoftirq, "num_softirq"), out),
            10 => {
                let (key, value) = named_value(field, 1, 2);
                let name = format!("{} Frequency", text(key));
                global(T::ClockFrequency, &name, ts, value, out);
            }
            11 => {
                for khz in field.numbers().take((MOST_CPUS - cpu) as usize) {
                    of_cpu((T::CpuFrequency, cpu), "cpufreq", ts, khz, out);
                    cpu += 1;
                }
            }
            12 => free_blocks(ts, field.fields(), page_size, out),
            14 => pressure(ts, field.fields(), out),
            15 => {
                let (zone, temperature) = named_value(field, 3, 2);
                global(T::ThermalTemperatureSys, &text(zone), ts, temperature, out);
            }
            16 => idle_states(ts, field.fields(), out),
            17 => {
                for mhz in field.numbers() {
                    global(T::GpuFrequency, "gpufreq", ts, mhz, out);
                }
            }
            18 => slab(ts, field.fields(), page_size, out),
            _ => {}
        }
    }
}

/// The text and the number in two fields of a message.
fn named_value(field: Field<'_>, name_at: u32, value_at: u32) -> (&[u8], u64) {
    let (mut name, mut value): (&[u8], u64) = (&[], 0);
    for field in field.fields() {
        if field.number == name_at {
            name = field.bytes();
        } else if field.number == value_at {
            value = field.uint();
        }
    }
    (name, value)
}

/// The numbers in the fields 1 and 2 of a message.
fn pair(field: Field<'_>) -> (u64, u64) {
    let (mut first, mut second) = (0, 0);
    for field in field.fields() {
        match field.number {
            1 => first = field.uint(),
            2 => second = field.uint(),
            _ => {}
        }
    }
    (first, second)
}

/// Adds a value of a counter that is identified by a number. Numbers that are unknown here, for example of a newer
/// recorder, are ignored.
fn keyed(
    ts: i64,
    field: Field<'_>,
    (kind, names, unit): (TrackType, &[&str], u64),
    out: &mut TraceBuilder,
) {
    let (key, value) = pair(field);
    let name = usize::try_from(key).ok().and_then(|key| names.get(key));
    if let Some(name) = name {
        global(kind, name, ts, value.saturating_mul(unit), out);
    }
}

fn interrupts(ts: i64, field: Field<'_>, (kind, name): (TrackType, &str), out: &mut TraceBuilder) {
    let (number, count) = pair(field);
    let name = format!("{name} (id: {})", number as u32);
    global(kind, &name, ts, count, out);
}

/// Reads a `CpuTimes`. Missing values are 0.
fn cpu_times(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    const NAMES: [&str; 8] = [
        "user_ns",
        "user_nice_ns",
        "system_mode_ns",
        "idle_ns",
        "io_wait_ns",
        "irq_ns",
        "softirq_ns",
        "steal_ns",
    ];
    let (mut cpu, mut times) = (None, [0; 8]);
    for field in fields {
        match field.number {
            1 => cpu = Some(field.uint() as u32),
            number @ 2..=9 => times[number as usize - 2] = field.uint(),
            _ => {}
        }
    }
    let Some(cpu) = cpu.filter(|cpu| *cpu < MOST_CPUS) else {
        return;
    };
    for (name, time_ns) in NAMES.into_iter().zip(times) {
        let name = format!("cpu.times.{name}");
        of_cpu((TrackType::CpuStat, cpu), &name, ts, time_ns, out);
    }
}

/// Reads a `BuddyInfo`: the number of free blocks of each size in a memory zone.
fn free_blocks(ts: i64, fields: Fields<'_>, page_size: u64, out: &mut TraceBuilder) {
    let (mut node, mut zone): (&[u8], &[u8]) = (&[], &[]);
    let mut counts = Vec::new();
    for field in fields {
        match field.number {
            1 => node = field.bytes(),
            2 => zone = field.bytes(),
            3 => counts.extend(field.numbers().take(MOST_ORDERS)),
            _ => {}
        }
    }
    for (order, count) in counts.into_iter().take(MOST_ORDERS).enumerate() {
        let size = (page_size << order) / 1_024;
        let name = format!("mem.buddyinfo[{}][{}][{size} kB]", text(node), text(zone));
        let name = out.intern(name.as_bytes());
        let track = out.global_track(TrackType::BuddyInfo, name);
        let [node, zone] = [node, zone].map(|text| ArgValue::Text(out.intern(text)));
        let args = [
            ("buddyinfo_node", node),
            ("buddyinfo_zone", zone),
            ("buddyinfo_chunk_size_kb", ArgValue::Int(size as i64)),
        ];
        out.add_track_args(track, &args);
        push(track, ts, count, out);
    }
}

/// Reads a `PsiSample`: the total time that tasks waited for a resource, ns.
fn pressure(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut resource, mut total_ns) = (0, 0);
    for field in fields {
        match field.number {
            1 => resource = field.uint(),
            2 => total_ns = field.uint(),
            _ => {}
        }
    }
    let name = match resource {
        0 => "psi.resource.unspecified",
        1 => "psi.cpu.some",
        2 => "psi.cpu.full",
        3 => "psi.io.some",
        4 => "psi.io.full",
        5 => "psi.mem.some",
        6 => "psi.mem.full",
        _ => return,
    };
    global(TrackType::Psi, name, ts, total_ns, out);
}

/// Reads a `CpuIdleState`: the time that a CPU spent in each idle state, µs.
fn idle_states(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    let cpu = fields.clone().find(|field| field.number == 1);
    let cpu = cpu.map_or(0, Field::uint) as u32;
    for entry in fields.filter(|field| field.number == 2 && cpu < MOST_CPUS) {
        let (state, us) = named_value(entry, 1, 2);
        let name = format!("cpuidle{cpu}.{}", text(state));
        of_cpu((TrackType::CpuIdleState, cpu), &name, ts, us, out);
    }
}

/// Reads a `SlabInfo`: the memory of one of the kernel's slab caches.
fn slab(ts: i64, fields: Fields<'_>, page_size: u64, out: &mut TraceBuilder) {
    let (mut name, mut pages, mut slabs): (&[u8], u64, u64) = (&[], 0, 0);
    for field in fields {
        match field.number {
            1 => name = field.bytes(),
            2 => pages = field.uint(),
            3 => slabs = field.uint(),
            _ => {}
        }
    }
    let bytes = pages.saturating_mul(slabs).saturating_mul(page_size);
    let name = format!("mem.slab.{}", text(name));
    global(TrackType::SlabInfo, &name, ts, bytes, out);
}
