//! The units of GPU counters.

use super::super::wire::Fields;

/// `GpuCounterDescriptor.MeasureUnit`, by number.
#[rustfmt::skip]
const UNITS: [&str; 41] = [
    "", "bit", "Kb", "Mb", "Gb", "Tb", "Pb", "B", "KB", "MB", "GB", "TB", "PB", "Hz", "KHz", "MHz", "GHz", "THz", "PHz",
    "ns", "us", "ms", "s", "min", "h", "Vertex", "Pixel", "Triangle", "mW", "W", "kW", "J", "V", "A", "C", "F", "K", "%",
    "Primitive", "Fragment", "Instruction",
];

/// The unit of a `GpuCounterSpec`: the numerator units, separated by colons, and the denominator units. A file may
/// repeat units any number of times, so at most `MOST` of each are used.
pub(super) fn unit(spec: Fields<'_>) -> String {
    const MOST: usize = 16;
    let numbers = |number| {
        let fields = spec.clone().filter(move |field| field.number == number);
        let all = fields.flat_map(|field| field.numbers());
        all.take(MOST).map(name)
    };
    let counted: Vec<&str> = numbers(7).collect();
    let divided: Vec<&str> = numbers(8).filter(|name| !name.is_empty()).collect();
    let counted = counted.join(":");
    match divided.as_slice() {
        [] => counted,
        divided => format!("{counted}/{}", divided.join(":")),
    }
}

fn name(unit: u64) -> &'static str {
    let place = usize::try_from(unit).ok();
    place
        .and_then(|place| UNITS.get(place))
        .copied()
        .unwrap_or("Unknown")
}
