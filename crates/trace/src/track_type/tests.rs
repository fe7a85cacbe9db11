//! Tests of the types.

use super::facts::Names;
use super::*;

#[test]
fn numbers_and_names_are_unique() {
    for (number, kind) in TrackType::ALL.iter().enumerate() {
        assert_eq!(*kind as usize, number);
        let same = TrackType::ALL
            .iter()
            .filter(|one| one.name() == kind.name())
            // A dimension with a fixed value distinguishes types with the same name.
            .filter(|one| one.dimensions() == kind.dimensions());
        assert_eq!(same.count(), 1, "{}", kind.name());
    }
    assert_eq!(FACTS.len(), TrackType::ALL.len());
}

#[test]
fn dimensions_fit_the_owner() {
    for kind in TrackType::ALL {
        let has = |value| kind.dimensions().iter().any(|one| one.value == value);
        assert_eq!(
            has(TrackDimensionValue::Thread),
            kind.owner() == TrackOwner::Thread
        );
        assert_eq!(
            has(TrackDimensionValue::Process),
            kind.owner() == TrackOwner::Process
        );
        assert_eq!(
            has(TrackDimensionValue::Cpu),
            kind.owner() == TrackOwner::Cpu
        );
    }
}

#[test]
fn every_type_with_names_is_listed() {
    for kind in TrackType::ALL {
        let is_listed = kind.with_names().contains(kind);
        let has_names = !matches!(FACTS[*kind as usize].names, Names::Any);
        assert_eq!(is_listed, has_names, "{}", kind.name());
    }
}

#[test]
fn a_kernel_name_selects_its_type() {
    use TrackType as T;
    for (kind, name, expected, part) in [
        (T::CpuSlice, "irq", T::CpuIrq, ""),
        (T::CpuSlice, "timer", T::CpuSlice, "timer"),
        (T::CpuCounter, "cpufreq", T::CpuFrequency, ""),
        (
            T::CpuCounter,
            "Cpu 3 Max Freq Limit",
            T::CpuMaxFrequencyLimit,
            "3",
        ),
        (T::GlobalCounter, "gpufreq", T::GpuFrequency, ""),
        (T::GlobalCounter, "gpufreq 1", T::GpuFrequency, "1"),
        (T::GlobalCounter, "gpufreqx", T::GlobalCounter, "gpufreqx"),
        (
            T::GlobalCounter,
            "soc Temperature",
            T::ThermalTemperature,
            "soc",
        ),
        (T::GlobalCounter, "mem.ion.system", T::Ion, "system"),
        (
            T::AtraceCounter,
            "mem.rss.anon",
            T::ProcessMemory,
            "rss.anon",
        ),
        (T::AtraceCounter, "mem.cache", T::AtraceCounter, "mem.cache"),
        (T::ThreadSlice, "functions", T::ThreadFuncgraph, ""),
        (T::ThreadExecution, "functions", T::ThreadFuncgraph, ""),
    ] {
        assert_eq!(kind.named(name), expected, "{name}");
        assert_eq!(expected.variable_part(name), part);
    }
}
