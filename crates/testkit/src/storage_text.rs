//! Synthetic ftrace text of storage events (block, ext4, writeback) of any size, for benchmarks.

use std::collections::VecDeque;
use std::fmt::Write;

use crate::rng::Rng;

/// The threads that write: tid, tgid, name.
const THREADS: &[(u32, u32, &str)] = &[
    (123, 123, "kworker/u8:1"),
    (1290, 1290, "jbd2/dm-5-8"),
    (1412, 1412, "com.example.app"),
    (1437, 1412, "queued-work-loo"),
    (25642, 25639, "file-writer"),
    (231, 231, "mmc-cmdqd/0"),
];

/// About `bytes` bytes of ftrace text with block, ext4 and writeback events only: no scheduler events and no trace marks.
pub fn storage_text(bytes: usize, seed: u64) -> Vec<u8> {
    let mut maker = Maker {
        out: String::with_capacity(bytes + 512),
        rng: Rng::new(seed),
        now_us: 4_977_000_000,
        requests: VecDeque::new(),
    };
    maker.out.push_str(
        "# tracer: nop\n#\n\
         #           TASK-PID     TGID   CPU#  |||||  TIMESTAMP  FUNCTION\n\
         #              | |         |      |   |||||     |         |\n",
    );
    while maker.out.len() < bytes {
        maker.event();
    }
    maker.out.into_bytes()
}

struct Maker {
    out: String,
    rng: Rng,
    now_us: u64,
    /// Pending requests: sector and next step.
    requests: VecDeque<(u64, u32)>,
}

impl Maker {
    fn event(&mut self) {
        let thread = self.rng.index(THREADS.len());
        let cpu = self.rng.below(4);
        self.prefix(thread, cpu);
        match self.rng.below(100) {
            0..=29 => self.block(THREADS[thread].2),
            30..=79 => self.ext4(thread, cpu),
            _ => self.writeback(),
        }
        self.out.push('\n');
    }

    /// The columns in front of every event.
    fn prefix(&mut self, thread: usize, cpu: u64) {
        self.now_us += self.rng.between(1, 30);
        let (tid, tgid, name) = THREADS[thread];
        let (seconds, micros) = (self.now_us / 1_000_000, self.now_us % 1_000_000);
        write!(
            self.out,
            "{name:>16}-{tid:<7} ({tgid:>7}) [{cpu:03}] ..... {seconds:>5}.{micros:06}: "
        )
        .unwrap();
    }

    /// The next step of a request: queued, made, issued, done.
    fn block(&mut self, name: &str) {
        let fresh = self.requests.len() < 8;
        let (sector, step) = match self.requests.pop_front() {
            Some(request) if !fresh => request,
            first => {
                self.requests.extend(first);
                (self.rng.below(1 << 27) * 8, 0)
            }
        };
        let kind = ["WS", "W", "RA", "WSM"][(sector / 8) as usize % 4];
        let sectors = (sector / 32 % 32 + 1) * 8;
        let bytes = sectors * 512;
        let out = &mut self.out;
        match step {
            0 => write!(
                out,
                "block_bio_queue: 254,0 {kind} {sector} + {sectors} [{name}]"
            ),
            1 => write!(
                out,
                "block_getrq: 254,0 {kind} {sector} + {sectors} [{name}]"
            ),
            2 => write!(
                out,
                "block_rq_issue: 254,0 {kind} {bytes} () {sector} + {sectors} be,0,4 [{name}]"
            ),
            _ => write!(
                out,
                "block_rq_complete: 254,0 {kind} () {sector} + {sectors} be,0,4 [0]"
            ),
        }
        .unwrap();
        if step < 3 {
            self.requests.push_back((sector, step + 1));
        }
    }

    /// An operation on a file, as two lines.
    fn ext4(&mut self, thread: usize, cpu: u64) {
        let (ino, page) = (self.rng.between(100_000, 999_999), self.rng.below(9_000));
        let (pos, file) = (page * 4096, format!("dev 254,0 ino {ino}"));
        let (first, second) = match self.rng.below(6) {
            0..=2 => (
                format!("ext4_da_write_begin: {file} pos {pos} len 4096 flags 0"),
                format!("ext4_da_write_end: {file} pos {pos} len 4096 copied 4096"),
            ),
            3 => (
                format!("ext4_es_lookup_extent_enter: {file} lblk {page}"),
                format!("ext4_es_lookup_extent_exit: {file} found 1 [{page}/4) {pos} W"),
            ),
            4 => (
                format!("ext4_mark_inode_dirty: {file} caller ext4_dirty_inode+0x5c/0x80"),
                format!(
                    "ext4_da_reserve_space: {file} mode 0100644 i_blocks 8 reserved_data_blocks 1"
                ),
            ),
            _ => (
                format!(
                    "ext4_sync_file_enter: {file} parent {} datasync 0",
                    ino / 100
                ),
                format!("ext4_sync_file_exit: {file} ret 0"),
            ),
        };
        self.out.push_str(&first);
        self.out.push('\n');
        self.prefix(thread, cpu);
        self.out.push_str(&second);
    }

    fn writeback(&mut self) {
        let (ino, page) = (self.rng.between(100_000, 999_999), self.rng.below(9_000));
        let out = &mut self.out;
        match self.rng.below(3) {
            0 => write!(out, "writeback_dirty_folio: bdi 254:0: ino={ino} index={page}"),
            1 => write!(
                out,
                "writeback_dirty_inode: bdi 254:0: ino={ino} state=I_DIRTY_SYNC flags=I_DIRTY_SYNC"
            ),
            _ => write!(
                out,
                "writeback_single_inode: bdi 254:0: ino={ino} state=I_SYNC dirtied_when=4295890{page} \
                 age=5 index={page} to_write=1024 wrote=1 cgroup_ino=1"
            ),
        }
        .unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_complete() {
        let text = String::from_utf8(storage_text(20_000, 1)).unwrap();
        assert!(text.ends_with('\n') && text.len() < 21_000);
        let events: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(events.iter().all(|line| line.contains("] .....  497")));
        for kind in [" block_", " ext4_", " writeback_"] {
            assert!(events.iter().any(|line| line.contains(kind)), "{kind}");
        }
    }
}
