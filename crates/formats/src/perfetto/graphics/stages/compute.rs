//! Compute kernels and their launches.

use traceloom_trace::ArgValue;

use super::super::super::sequence::State;
use super::super::super::wire::{Field, Fields};
use super::super::args::ArgList;
use super::Stages;
use super::event::Event;

/// Fields of `InternedData`.
mod interned {
    pub const TEXTS: u32 = 29;
    pub const KERNELS: u32 = 1_000;
    pub const ARG_NAMES: u32 = 1_001;
}

/// The fields of a `Dim3`, in field order.
const AXES: [&str; 3] = ["x", "y", "z"];

impl<'s> Stages<'s> {
    /// Adds the kernel and the launch of an event, if present.
    pub(super) fn compute(
        &self,
        event: &Event,
        fields: Fields<'_>,
        state: State,
        args: &mut ArgList<'_>,
    ) {
        let kernel = event.kernel;
        if let Some(kernel) = kernel.and_then(|iid| self.interned(interned::KERNELS, iid, state)) {
            self.kernel(kernel, state, args);
        }
        for launch in fields.filter(|field| field.number == 21) {
            self.launch(launch.fields(), state, args);
        }
    }

    /// An `InternedComputeKernel`.
    fn kernel(&self, fields: Fields<'_>, state: State, args: &mut ArgList<'_>) {
        for field in fields {
            match field.number {
                2 => args.text(b"kernel_name", field.bytes()),
                3 => args.text(b"kernel_demangled_name", field.bytes()),
                4 => args.text(b"arch", field.bytes()),
                5 => self.extra(field.fields(), state, args),
                _ => {}
            }
        }
    }

    /// A `ComputeKernelLaunch`.
    fn launch(&self, fields: Fields<'_>, state: State, args: &mut ArgList<'_>) {
        for field in fields {
            let size = match field.number {
                1 => "grid_size",
                2 => "workgroup_size",
                3 => {
                    self.extra(field.fields(), state, args);
                    continue;
                }
                _ => continue,
            };
            for part in field.fields() {
                let axis = (part.number as usize).checked_sub(1);
                if let Some(axis) = axis.and_then(|axis| AXES.get(axis)) {
                    args.uint(&format!("launch.{size}.{axis}"), part.uint());
                }
            }
        }
    }

    /// An `ExtraComputeArg`.
    fn extra(&self, fields: Fields<'_>, state: State, args: &mut ArgList<'_>) {
        let (mut name, mut value) = (None, None);
        for field in fields {
            match field.number {
                1 => name = self.text(interned::ARG_NAMES, field.uint(), state),
                2 => name = Some(field.bytes()),
                3..=7 => value = Some(field),
                _ => {}
            }
        }
        let (Some(name), Some(value)) = (name, value) else {
            return;
        };
        match value.number {
            3 => args.push(name, ArgValue::Int(value.int())),
            4 => args.push(name, ArgValue::Unsigned(value.uint())),
            5 => args.push(name, ArgValue::Float(f64::from_bits(value.uint()))),
            6 => args.text(name, value.bytes()),
            _ => {
                if let Some(text) = self.text(interned::TEXTS, value.uint(), state) {
                    args.text(name, text);
                }
            }
        }
    }

    fn text(&self, field: u32, iid: u64, state: State) -> Option<&'s [u8]> {
        let mut fields = self.interned(field, iid, state)?;
        fields.find(|field| field.number == 2).map(Field::bytes)
    }
}
