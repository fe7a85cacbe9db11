//! A program whose spans appear in a system trace, above the scheduler's view of its threads:
//!
//! ```text
//! cargo build -p traceloom-tracing --example worker
//! sudo traceloom capture --target linux -t 3 -o worker.html sched &
//! sudo target/debug/examples/worker
//! ```

use std::thread;
use std::time::Duration;

use tracing::{info, info_span};
use tracing_subscriber::prelude::*;

fn main() -> std::io::Result<()> {
    tracing_subscriber::registry()
        .with(traceloom_tracing::layer()?)
        .init();
    work();
    Ok(())
}

/// A request that begins on this thread and is answered by another.
pub fn work() {
    let request = info_span!("request", r#async = true, id = 7);
    let answer = {
        let request = request.clone();
        thread::Builder::new()
            .name("answers".into())
            .spawn(move || {
                info_span!("decode", file = "a.png").in_scope(|| {
                    info!(counter.queued = 3);
                    thread::sleep(Duration::from_millis(10));
                    info_span!("scale").in_scope(|| thread::sleep(Duration::from_millis(5)));
                    info!("decoded");
                    info!(counter.queued = 2);
                });
                drop(request);
            })
    };
    drop(request);
    if let Ok(answer) = answer {
        _ = answer.join();
    }
}
