//! Steps before a recording: the initial sleep, and reading the vendor's categories.

use std::fs;
use std::process::{Child, Command};

use crate::kernel::Kernel;
use crate::program::{Device, Program, Said, original, said};

/// Waits until atrace sleeps and handles SIGINT.
fn wait_until_it_waits(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    for _ in 0..12_000 {
        let text = fs::read_to_string(&status).unwrap();
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let caught = field("SigCgt:").unwrap().trim();
        let caught = u64::from_str_radix(caught, 16).unwrap();
        let handles = caught & (1 << (libc::SIGINT - 1)) != 0;
        // A shell starts Android's atrace.
        let is_atrace = field("Name:").unwrap().trim() == "atrace";
        if is_atrace && handles && field("State:").unwrap().trim().starts_with('S') {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("atrace does not sleep");
}

fn interrupted(device: &Device, program: Program) -> Said {
    let child = device.start(program, &["-s", "600", "-t", "600", "irq"]);
    wait_until_it_waits(&child);
    // SAFETY: the child has not been waited for, so its ID is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    said(child)
}

/// Android's atrace still starts to record, and then stops at once.
#[test]
fn a_signal_ends_the_initial_sleep() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let ours = interrupted(&device, Program::Ours);
    assert_eq!(
        (ours.code, ours.stdout.as_str()),
        (Some(1), "\ntrace aborted.\n")
    );
    assert_eq!(kernel.settings(), *kernel.baseline());
    if original().is_some() {
        let theirs = interrupted(&device, Program::Original);
        let words = "capturing trace...\ntrace aborted.\n";
        assert_eq!((theirs.code, theirs.stdout.as_str()), (Some(1), words));
    }
}

/// Runs a command in a mount namespace in which the folder `/vendor` has these categories.
fn with_vendor(device: &Device, categories: &str, command: &Command) -> Command {
    let root = device.path("root");
    fs::create_dir_all(root.join("vendor/etc/atrace")).unwrap();
    let file = root.join("vendor/etc/atrace/atrace_categories.txt");
    fs::write(file, categories).unwrap();
    let script = "cd \"$1\" && shift && for d in /*; do \
                  [ -d \"$d\" ] && [ \"$d\" != /vendor ] && mkdir -p \".$d\" && \
                  mount --rbind \"$d\" \".$d\"; done; exec chroot . \"$@\"";
    let mut inside = Command::new("unshare");
    inside.args(["-m", "sh", "-c", script, "sh"]).arg(root);
    inside.arg(command.get_program()).args(command.get_args());
    let environment = command.get_envs();
    inside.envs(environment.filter_map(|(name, value)| Some((name, value?))));
    inside
}

#[test]
fn the_vendors_categories_are_listed_and_recorded() {
    let Some(kernel) = Kernel::claim() else {
        return;
    };
    let device = Device::new();
    let categories = "camera_hw\n irq/irq_handler_entry\n no/such\nsched\n\ttimer/timer_start\n";
    let run = |args: &[&str]| {
        let command = device.command(Program::Ours, args);
        let output = with_vendor(&device, categories, &command).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let list = run(&["--list_categories"]);
    assert!(list.contains("\n   camera_hw - (VENDOR)\n"), "{list}");
    // Android's categories stay as they are, even if the vendor adds events to one.
    assert!(list.contains("\n       sched - CPU Scheduling\n"), "{list}");
    run(&["--async_start", "camera_hw"]);
    assert_eq!(kernel.settings()["events"], "irq:irq_handler_entry");
    run(&["--async_start", "sched"]);
    let events = kernel.settings()["events"].clone();
    assert!(events.contains("sched:sched_switch") && events.contains("timer:timer_start"));
    run(&["--async_stop"]);
    assert_eq!(kernel.settings(), *kernel.baseline());
}
