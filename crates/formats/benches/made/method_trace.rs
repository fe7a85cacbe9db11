//! A large method trace for benchmarks: four threads with 2,000 methods that call, return and take
//! turns as in a real app.

/// How methods are numbered.
#[derive(Clone, Copy, PartialEq)]
pub enum MethodIds {
    /// In steps of four, as ART does.
    Small,
    /// Addresses, as Dalvik did.
    Pointers,
}

const METHODS: u32 = 2_000;
const THREADS: u64 = 4;

impl MethodIds {
    fn id(self, method: u32) -> u32 {
        match self {
            Self::Small => method * 4,
            Self::Pointers => 0x6280_0000 + method * 56,
        }
    }
}

fn key_section(records: u64, ids: MethodIds) -> Vec<u8> {
    let mut text = format!(
        "*version\n3\ndata-file-overflow=false\nclock=dual\nnum-method-calls={records}\nvm=art\npid=1\n*threads\n"
    );
    for thread in 1..=THREADS {
        text.push_str(&format!("{thread}\tthread {thread}\n"));
    }
    text.push_str("*methods\n");
    for method in 0..METHODS {
        let (id, package) = (ids.id(method), method % 40);
        text.push_str(&format!(
            "0x{id:x}\tcom.example.app{package}.Class{method}\tmethod{method}\t(ILjava/lang/String;)V\tClass{method}.java\n"
        ));
    }
    text.push_str("*end\n");
    text.into_bytes()
}

/// The same trace as newer versions of ART write it: each thread's records are in their own buffer,
/// which is written when it is full, so times jump back and forth in the file.
pub fn buffered_trace(records: u64, ids: MethodIds) -> Vec<u8> {
    const RECORD: usize = 14;
    const BUFFER: usize = 4096 * RECORD;
    let plain = dual_trace(records, ids);
    let (front, body) = plain.split_at(plain.len() - records as usize * RECORD);
    let (mut bytes, mut buffers) = (front.to_vec(), vec![Vec::new(); THREADS as usize]);
    for record in body.chunks(RECORD) {
        let buffer = &mut buffers[usize::from(record[0]) - 1];
        buffer.extend(record);
        if buffer.len() >= BUFFER {
            bytes.append(buffer);
        }
    }
    buffers.iter_mut().for_each(|buffer| bytes.append(buffer));
    bytes
}

/// A dual-clock trace of version 3 with this many records of 14 bytes.
pub fn dual_trace(records: u64, ids: MethodIds) -> Vec<u8> {
    let mut bytes = key_section(records, ids);
    bytes.extend(b"SLOW");
    bytes.extend(3u16.to_le_bytes());
    bytes.extend(32u16.to_le_bytes());
    bytes.extend(1_000_000u64.to_le_bytes());
    bytes.extend(14u16.to_le_bytes());
    bytes.extend([0; 14]);
    bytes.reserve(records as usize * 14);
    let mut random = testkit::Rng::new(1);
    let mut stacks = vec![Vec::new(); THREADS as usize];
    let mut cpu = [0u32; THREADS as usize];
    let (mut wall, mut thread) = (0u32, 0);
    for _ in 0..records {
        if random.below(50) == 0 {
            thread = random.below(THREADS) as usize;
        }
        let work = random.below(4) as u32;
        wall = wall.wrapping_add(work);
        cpu[thread] = cpu[thread].wrapping_add(work);
        let stack = &mut stacks[thread];
        let calls = stack.len() < 3 || (stack.len() < 40 && random.below(2) == 0);
        let word = if calls {
            // Callees depend on their caller, as in real code.
            let caller = stack.last().map_or(0, |word: &u32| *word);
            let method = (caller.wrapping_mul(31).wrapping_add(random.below(6) as u32)) % METHODS;
            stack.push(method);
            ids.id(method)
        } else {
            ids.id(stack.pop().unwrap_or(0)) | 1
        };
        bytes.extend((thread as u16 + 1).to_le_bytes());
        bytes.extend(word.to_le_bytes());
        bytes.extend(cpu[thread].to_le_bytes());
        bytes.extend(wall.to_le_bytes());
    }
    bytes
}
