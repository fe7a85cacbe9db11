//! Properties of the CPUs (`CpuInfo`).

use traceloom_trace::{ArgSetId, ArgValue, NO_TIME, TraceBuilder};

use super::wire::{Field, Fields};

/// The features with a bit in `CpuInfo.Cpu.features`, from bit 0 on.
const FEATURES: [&str; 2] = ["mte", "mte3"];

/// The fields of an `ArmCpuIdentifier`.
const ARM: [&str; 5] = [
    "arm_cpu_implementer",
    "arm_cpu_architecture",
    "arm_cpu_variant",
    "arm_cpu_part",
    "arm_cpu_revision",
];

/// A CPU.
#[derive(Debug, Default)]
struct Cpu<'a> {
    processor: &'a [u8],
    frequencies: Vec<u64>,
    capacity: Option<u64>,
    arm: Option<Fields<'a>>,
    features: u64,
}

impl<'a> Cpu<'a> {
    fn read(fields: Fields<'a>) -> Self {
        let mut cpu = Self::default();
        for field in fields {
            match field.number {
                1 => cpu.processor = field.bytes(),
                2 => cpu.frequencies.extend(field.numbers()),
                3 => cpu.capacity = Some(field.uint()),
                4 => cpu.arm = Some(field.fields()),
                5 => cpu.features = field.uint(),
                _ => {}
            }
        }
        cpu
    }

    fn args(&self, out: &mut TraceBuilder) -> ArgSetId {
        let mut args = Vec::new();
        for field in self.arm.clone().into_iter().flatten() {
            let place = (field.number as usize).wrapping_sub(1);
            if let Some(name) = ARM.get(place) {
                args.push(((*name).to_owned(), ArgValue::Unsigned(field.uint())));
            }
        }
        for (bit, name) in FEATURES.iter().enumerate() {
            if self.features >> bit & 1 == 1 {
                args.push((format!("cpu_features.{name}"), ArgValue::Bool(true)));
            }
        }
        if self.features != 0 {
            let name = "cpu_features.raw_bitmap".to_owned();
            args.push((name, ArgValue::Unsigned(self.features)));
        }
        let args: Vec<_> = args
            .into_iter()
            .map(|(name, value)| (out.intern(name.as_bytes()), value))
            .collect();
        out.args(args)
    }
}

/// The maximum number of CPUs of a machine.
const MOST_CPUS: usize = crate::ftrace::event::MOST_CPUS as usize;

/// A `CpuInfo`: rows of `cpu` and of their frequencies.
pub(super) fn cpu_info(info: &[u8], out: &mut TraceBuilder) {
    let cpus = Fields::new(info).filter(|field| field.number == 1);
    let cpus: Vec<Cpu<'_>> = cpus
        .take(MOST_CPUS)
        .map(|field: Field<'_>| Cpu::read(field.fields()))
        .collect();
    if cpus.is_empty() {
        out.stat("cpu_info_empty", None, 0, 1);
        return;
    }
    let clusters = clusters(&cpus);
    let has_unknown = |cpu: &&Cpu<'_>| cpu.features >> FEATURES.len() != 0;
    let unknown = cpus.iter().filter(has_unknown).count();
    if unknown > 0 {
        out.stat("cpu_info_unknown_cpu_features", None, 0, unknown as i64);
    }
    for (number, (cpu, cluster)) in (0..).zip(cpus.iter().zip(clusters)) {
        let processor = ArgValue::Text(out.intern(cpu.processor));
        let args = cpu.args(out);
        let mut cells = vec![
            ("cpu", ArgValue::Int(number)),
            ("processor", processor),
            ("cluster_id", ArgValue::Int(cluster)),
            ("arg_set_id", args.into()),
        ];
        if let Some(capacity) = cpu.capacity {
            cells.push(("capacity", ArgValue::Int(capacity as i64)));
        }
        out.record(NO_TIME, "cpu", &cells);
        for frequency in &cpu.frequencies {
            let cells = [
                ("cpu", ArgValue::Int(number)),
                ("ucpu", ArgValue::Int(number)),
                ("freq", ArgValue::Int(*frequency as i64)),
            ];
            out.record(NO_TIME, "cpu_available_frequencies", &cells);
        }
    }
}

/// The cluster of each CPU. CPUs with the same capacity form a cluster, numbered from the lowest capacity. Without
/// capacities, the highest frequency is used instead.
fn clusters(cpus: &[Cpu<'_>]) -> Vec<i64> {
    let capacities: Option<Vec<u64>> = cpus.iter().map(|cpu| cpu.capacity).collect();
    let highest = || {
        let cpus = cpus.iter();
        cpus.map(|cpu| cpu.frequencies.iter().max().copied())
            .collect()
    };
    let Some(strengths) = capacities.or_else(highest) else {
        return vec![0; cpus.len()];
    };
    let mut levels = strengths.clone();
    levels.sort_unstable();
    levels.dedup();
    let level = |strength| levels.partition_point(|level| level < strength) as i64;
    strengths.iter().map(level).collect()
}
