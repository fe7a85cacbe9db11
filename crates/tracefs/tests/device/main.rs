//! Tests of the recorder on the running kernel. Without root or tracefs they are skipped. Only one test of all processes
//! uses the kernel's global buffer at a time.

mod beginning;
mod capture;
mod defects;
mod differential;
mod full_disk;
mod kernel;
mod left_behind;
mod program;
mod raw;
mod workload;
