//! The recorder on the running kernel: root and tracefs are needed, elsewhere these tests skip
//! themselves. One test at a time uses the kernel's global buffer, over all processes.

mod beginning;
mod capture;
mod defects;
mod differential;
mod kernel;
mod left_behind;
mod program;
mod raw;
mod workload;
