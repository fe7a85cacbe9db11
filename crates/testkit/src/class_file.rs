//! An assembler for class files that no compiler would write.

use std::collections::HashMap;

/// Builds a class file.
#[derive(Debug)]
pub struct Assembler {
    major: u16,
    pool: Vec<u8>,
    count: u16,
    indexes: HashMap<Vec<u8>, u16>,
    methods: Vec<Vec<u8>>,
}

/// The code of a method.
#[derive(Clone, Debug)]
pub struct Body {
    /// Size of the operand stack, slots.
    pub max_stack: u16,
    /// Size of the local variables, slots.
    pub max_locals: u16,
    /// The instructions.
    pub code: Vec<u8>,
    /// The exception table: start, end, target, class.
    pub handlers: Vec<[u16; 4]>,
    /// The content of its `StackMapTable`.
    pub frames: Option<Vec<u8>>,
}

impl Assembler {
    /// An empty class with this major version.
    pub fn new(major: u16) -> Self {
        Self {
            major,
            pool: Vec::new(),
            count: 1,
            indexes: HashMap::new(),
            methods: Vec::new(),
        }
    }

    fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(&index) = self.indexes.get(&bytes) {
            return index;
        }
        let index = self.count;
        self.pool.extend(&bytes);
        self.indexes.insert(bytes, index);
        self.count += 1;
        index
    }

    /// The index of a text.
    pub fn utf8(&mut self, text: &str) -> u16 {
        let length = (text.len() as u16).to_be_bytes();
        self.constant([&[1], &length[..], text.as_bytes()].concat())
    }

    /// The index of an int.
    pub fn int(&mut self, value: i32) -> u16 {
        self.constant([&[3], &value.to_be_bytes()[..]].concat())
    }

    fn two(&mut self, tag: u8, one: u16, other: u16) -> u16 {
        let (one, other) = (one.to_be_bytes(), other.to_be_bytes());
        self.constant(vec![tag, one[0], one[1], other[0], other[1]])
    }

    /// The index of a class.
    pub fn class(&mut self, name: &str) -> u16 {
        let [high, low] = self.utf8(name).to_be_bytes();
        self.constant(vec![7, high, low])
    }

    /// The index of a method of a class.
    pub fn method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, name, descriptor) = (self.class(class), self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.two(12, name, descriptor);
        self.two(10, class, name_and_type)
    }

    /// `constant_pool_count` so far.
    pub fn constants(&self) -> u16 {
        self.count
    }

    /// Adds a method.
    pub fn method(&mut self, access: u16, name: &str, descriptor: &str, body: &Body) {
        let mut code = Vec::new();
        let u16s = |code: &mut Vec<u8>, value: usize| code.extend((value as u16).to_be_bytes());
        u16s(&mut code, body.max_stack.into());
        u16s(&mut code, body.max_locals.into());
        code.extend((body.code.len() as u32).to_be_bytes());
        code.extend(&body.code);
        u16s(&mut code, body.handlers.len());
        for value in body.handlers.iter().flatten() {
            u16s(&mut code, (*value).into());
        }
        u16s(&mut code, body.frames.iter().len());
        if let Some(frames) = &body.frames {
            let table = self.utf8("StackMapTable");
            u16s(&mut code, table.into());
            code.extend((frames.len() as u32).to_be_bytes());
            code.extend(frames);
        }
        let mut method = Vec::new();
        for value in [
            access,
            self.utf8(name),
            self.utf8(descriptor),
            1,
            self.utf8("Code"),
        ] {
            method.extend(value.to_be_bytes());
        }
        method.extend((code.len() as u32).to_be_bytes());
        method.extend(code);
        self.methods.push(method);
    }

    /// The class file, for a public class that extends `java/lang/Object`.
    pub fn finish(mut self, name: &str) -> Vec<u8> {
        let (this, parent) = (self.class(name), self.class("java/lang/Object"));
        let mut out = 0xcafe_babe_u32.to_be_bytes().to_vec();
        for value in [0, self.major, self.count] {
            out.extend(value.to_be_bytes());
        }
        out.extend(&self.pool);
        for value in [0x21, this, parent, 0, 0, self.methods.len() as u16] {
            out.extend(value.to_be_bytes());
        }
        out.extend(self.methods.concat());
        out.extend([0, 0]);
        out
    }
}

/// Full frames: offset, number of int variables, and at most one class on the stack.
pub fn frames(frames: &[(usize, u16, Option<u16>)]) -> Vec<u8> {
    let mut out = (frames.len() as u16).to_be_bytes().to_vec();
    let mut next = 0;
    for &(at, ints, stack) in frames {
        out.push(255);
        out.extend(((at - next) as u16).to_be_bytes());
        out.extend(ints.to_be_bytes());
        out.extend((0..ints).map(|_| 1));
        out.extend((stack.iter().len() as u16).to_be_bytes());
        if let Some(class) = stack {
            out.push(7);
            out.extend(class.to_be_bytes());
        }
        next = at + 1;
    }
    out
}

/// Seed inputs for fuzzing: old and new class files with jumps, switches, handlers and frames.
pub fn class_files() -> Vec<Vec<u8>> {
    [48, 50, 61].map(small_class).into()
}

fn small_class(major: u16) -> Vec<u8> {
    let mut class = Assembler::new(major);
    let [high, low] = class
        .method_ref("java/lang/Object", "<init>", "()V")
        .to_be_bytes();
    let init = Body {
        max_stack: 1,
        max_locals: 1,
        code: vec![42, 183, high, low, 177],
        handlers: Vec::new(),
        frames: None,
    };
    class.method(1, "<init>", "()V", &init);
    let error = class.class("java/lang/ArithmeticException");
    let mut code = vec![
        26, 153, 0, 8, // 0: if (x == 0) goto 9
        16, 10, 26, 108, 172, // 4: return 10 / x
        26, 170, 0, // 9: switch (x)
    ];
    for int in [22, 0, 1, 22, 25] {
        code.extend(i32::to_be_bytes(int));
    }
    code.extend([132, 0, 1]); // 32: x++
    code.extend([26, 172]); // 35: return x
    code.extend([87, 2, 172]); // 37: return -1, where the division failed
    let at = [
        (9, 1, None),
        (32, 1, None),
        (35, 1, None),
        (37, 1, Some(error)),
    ];
    let body = Body {
        max_stack: 2,
        max_locals: 1,
        code,
        handlers: vec![[4, 8, 37, error]],
        frames: (major >= 50).then(|| frames(&at)),
    };
    class.method(9, "m", "(I)I", &body);
    class.finish("Small")
}
