//! Decodes all events of a `trace.dat` in order of time and counts them, without keeping any:
//! `cargo run --release -p traceloom-formats --example tally -- trace.dat`

use traceloom_formats::{ReadOptions, tally_trace_dat};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a trace.dat")?;
    let bytes = std::fs::read(path)?;
    let tally = tally_trace_dat(&bytes, &ReadOptions::default())?;
    println!("{}", tally.events);
    Ok(())
}
