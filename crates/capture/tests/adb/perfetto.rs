//! A device whose perfetto does not start.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use traceloom_capture::perfetto::{
    PerfettoAgent, PerfettoConfig, PerfettoOptions, perfetto_support,
};
use traceloom_capture::{Agent, CaptureError};

use crate::fake::{Connection, packet, server};

const LONG: Duration = Duration::from_secs(20);

/// Answers what every recording asks for.
fn answer(connection: &mut Connection, service: &str, status: u8) {
    let text = match service {
        _ if service.contains("version.sdk") => "34",
        _ if service.contains("version.release") => "14",
        _ if service.contains("--help") => "--txt --notify-fd",
        _ => "",
    };
    connection.send(&packet(1, text.as_bytes()));
    connection.send(&packet(3, &[status]));
}

fn start(serve: fn(&mut Connection, &str)) -> CaptureError {
    let device = server("shell_v2", serve).device("x");
    let support = perfetto_support(&device, LONG).unwrap().unwrap();
    let config = PerfettoConfig::Options(PerfettoOptions::default());
    let spool = tempfile::tempfile().unwrap();
    let mut agent = PerfettoAgent::new(device, support, config, spool, LONG, None);
    agent.start(LONG).unwrap_err()
}

fn is_record(service: &str) -> bool {
    service.contains("exec perfetto")
}

fn is_guard(service: &str) -> bool {
    service.contains("read x")
}

static IS_REMOVED: AtomicBool = AtomicBool::new(false);

#[test]
fn a_recording_whose_connection_is_lost_stays_on_the_device() {
    let error = start(|connection, service| {
        connection.okay();
        if is_record(service) {
            return connection.send(&packet(2, b"traceloom-pid 77\n"));
        }
        if is_guard(service) {
            return connection.wait();
        }
        if service.contains("rm -f") {
            IS_REMOVED.store(true, Ordering::SeqCst);
        }
        answer(connection, service, 0);
    });
    assert!(matches!(error, CaptureError::LeftOnDevice(_)), "{error}");
    assert!(!IS_REMOVED.load(Ordering::SeqCst));
}

#[test]
fn the_error_of_perfetto_counts_and_not_that_of_the_end() {
    let error = start(|connection, service| {
        connection.okay();
        if is_record(service) {
            connection.send(&packet(2, b"traceloom-pid 77\nno such category\n"));
            return connection.send(&packet(3, &[1]));
        }
        if is_guard(service) {
            return connection.wait();
        }
        answer(connection, service, service.contains("rm -f").into());
    });
    let CaptureError::Perfetto { status, message } = error else {
        panic!("{error}");
    };
    assert_eq!((status, message.as_str()), (1, "no such category"));
}
