//! `wgmma`, against sums over the ISA's canonical layouts. Values are small integers, so every
//! sum is exact.

use half::{bf16, f16};
use lanewise_sim::{Checks, Fault, Launch, Report};

use crate::common::Rig;

mod misuse;
mod products;

const SHARED: usize = 32768;

/// A type of A or B: its name, and how it encodes a small integer.
#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    bytes: usize,
    bits: fn(i32) -> u32,
}

fn small(one: u32, two: u32) -> impl Fn(i32) -> u32 {
    move |v| {
        let bits = [0, one, two][v.unsigned_abs() as usize];
        if v < 0 { bits | 0x80 } else { bits }
    }
}

const F16: Type = Type {
    name: "f16",
    bytes: 2,
    bits: |v| f16::from_f32(v as f32).to_bits().into(),
};
const BF16: Type = Type {
    name: "bf16",
    bytes: 2,
    bits: |v| bf16::from_f32(v as f32).to_bits().into(),
};
// The low 13 bits do not count.
const TF32: Type = Type {
    name: "tf32",
    bytes: 4,
    bits: |v| (v as f32).to_bits() | 0x1abc,
};
const E4M3: Type = Type {
    name: "e4m3",
    bytes: 1,
    bits: |v| small(0x38, 0x40)(v),
};
const E5M2: Type = Type {
    name: "e5m2",
    bytes: 1,
    bits: |v| small(0x3c, 0x40)(v),
};
const S8: Type = Type {
    name: "s8",
    bytes: 1,
    bits: |v| v as u8 as u32,
};
const U8: Type = Type {
    name: "u8",
    bytes: 1,
    bits: |v| v as u8 as u32,
};

/// A matrix of small integers: `lines` rows of A or columns of B.
fn matrix(seed: u32, lines: usize, k: usize, ty: Type) -> Vec<i32> {
    let least = if ty.name == "u8" { 0 } else { -2 };
    (0..(lines * k) as u32)
        .map(|i| {
            let mixed = (i + 1).wrapping_mul(seed | 1).wrapping_mul(0x9e37_79b9) >> 20;
            least + (mixed as i32) % (3 - least)
        })
        .collect()
}

/// The layout of a matrix in shared memory, in bytes.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Bytes of the swizzle: 0, 32, 64, 128.
    swizzle: usize,
    mn_major: bool,
    leading: usize,
    stride: usize,
}

/// `Swizzle<b, 4, 3>`: this many bits of the number of the 128-byte line are XORed into the
/// number of the 16 bytes.
fn shuffled(swizzle: usize, at: usize) -> usize {
    let bits = match swizzle {
        0 => 0,
        32 => 1,
        64 => 3,
        _ => 7,
    };
    at ^ (at >> 7 & bits) << 4
}

impl Layout {
    /// Where element (mn, k) lies before swizzling: the table of canonical layouts, with T elements
    /// in 16 bytes.
    fn offset(&self, mn: usize, k: usize, size: usize) -> usize {
        let t = 16 / size;
        let wide = (self.swizzle / 16).max(1);
        if self.mn_major {
            let (inner, outer) = (mn % t, mn / t);
            let across = match self.swizzle {
                0 => outer * self.stride,
                _ => outer % wide * 16 + outer / wide * self.leading,
            };
            let along = match self.swizzle {
                0 => k % 8 * 16 + k / 8 * self.leading,
                _ => k % 8 * self.swizzle + k / 8 * self.stride,
            };
            inner * size + across + along
        } else {
            let row = mn % 8 * (wide * 16) + mn / 8 * self.stride;
            let piece = if self.swizzle == 0 { self.leading } else { 16 };
            row + k % t * size + k / t * piece
        }
    }

    /// One whose pieces do not overlap, for `lines` by `k` elements.
    fn dense(swizzle: usize, mn_major: bool, lines: usize, k: usize, size: usize) -> Self {
        let (leading, stride) = match (swizzle, mn_major) {
            (0, false) => (lines * 16, 128),
            (_, false) => (16, 8 * swizzle),
            (0, true) => (128 * lines / 8, 128),
            (_, true) => (k / 8 * 8 * swizzle, 8 * swizzle),
        };
        let _ = size;
        Self {
            swizzle,
            mn_major,
            leading,
            stride,
        }
    }

    fn descriptor(&self, start: usize) -> u64 {
        let mode = match self.swizzle {
            0 => 0u64,
            128 => 1,
            64 => 2,
            _ => 3,
        };
        let field = |bytes: usize| (bytes as u64 & 0x3ffff) >> 4;
        field(start) | field(self.leading) << 16 | field(self.stride) << 32 | mode << 62
    }

    /// Puts a matrix at `at` of `memory`, which starts at a multiple of 1024.
    fn put(&self, memory: &mut [u8], at: usize, values: &[i32], k: usize, ty: Type) {
        for (i, &value) in values.iter().enumerate() {
            let place = at + self.offset(i / k, i % k, ty.bytes);
            let bytes = (ty.bits)(value).to_le_bytes();
            for b in 0..ty.bytes {
                memory[shuffled(self.swizzle, place + b)] = bytes[b];
            }
        }
    }
}

/// A kernel of one warpgroup: shared memory from `image`, D from and to `d`, A's registers from
/// `a`, `meta` one word a thread.
fn kernel(count: usize, body: &str) -> String {
    let each = |f: &dyn Fn(usize) -> String, n: usize| (0..n).map(f).collect::<Vec<_>>().join(" ");
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n
        .visible .entry k(.param .u64 image, .param .u64 d, .param .u64 a, .param .u64 meta, .param .u64 adesc, .param .u64 bdesc) {{
        .shared .align 1024 .b8 s[{SHARED}];
        .reg .b64 %rd<20>; .reg .b32 %r<8>; .reg .b32 %d<{count}>; .reg .b32 %a<4>; .reg .pred %p<4>; .reg .b64 %da; .reg .b64 %db; .reg .b32 %m; .reg .b32 %x<4>;
        ld.param.u64 %rd0, [image]; ld.param.u64 %rd1, [d]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [meta];
        mov.u32 %r0, %tid.x; mov.u64 %rd4, s; mul.lo.u32 %r1, %r0, 16;
    F:  cvt.u64.u32 %rd5, %r1; add.u64 %rd6, %rd0, %rd5; add.u64 %rd7, %rd4, %rd5; ld.global.v2.u64 {{%rd8, %rd9}}, [%rd6]; st.shared.v2.u64 [%rd7], {{%rd8, %rd9}};
        add.u32 %r1, %r1, 2048; setp.lt.u32 %p0, %r1, {SHARED}; @%p0 bra F;
        fence.proxy.async.shared::cta; bar.sync 0;
        // Descriptors come without the start of shared memory.
        cvt.u32.u64 %r2, %rd4; shr.u32 %r2, %r2, 4; cvt.u64.u32 %rd10, %r2;
        ld.param.u64 %da, [adesc]; add.u64 %da, %da, %rd10; ld.param.u64 %db, [bdesc]; add.u64 %db, %db, %rd10;
        mul.wide.u32 %rd11, %r0, {}; add.u64 %rd12, %rd1, %rd11; mul.wide.u32 %rd13, %r0, 16; add.u64 %rd14, %rd2, %rd13;
        mul.wide.u32 %rd15, %r0, 4; add.u64 %rd16, %rd3, %rd15; ld.global.u32 %m, [%rd16];
        ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%rd14];
        {}
        setp.eq.u32 %p1, %r0, %r0; setp.ne.u32 %p2, %r0, %r0;
        {body}
        {}
        ret; }}",
        count * 4,
        each(&|i| format!("ld.global.u32 %d{i}, [%rd12+{}];", i * 4), count),
        each(&|i| format!("st.global.u32 [%rd12+{}], %d{i};", i * 4), count),
    )
}

const END: &str = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";

fn registers(count: usize) -> String {
    format!(
        "{{{}}}",
        (0..count)
            .map(|i| format!("%d{i}"))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// The arguments of a launch.
#[derive(Clone)]
struct Given {
    image: Vec<u8>,
    d: Vec<u32>,
    a: Vec<u32>,
    meta: Vec<u32>,
    descriptors: [u64; 2],
}

impl Given {
    fn new(count: usize) -> Self {
        Self {
            image: vec![0; SHARED],
            d: vec![0; 128 * count],
            a: vec![0; 512],
            meta: vec![0; 128],
            descriptors: [0; 2],
        }
    }

    fn run(&self, text: &str, threads: u32) -> (Result<Report, Fault>, Vec<u32>) {
        let rig = Rig::new(text);
        let d = rig.buffer(&self.d);
        let mut params = vec![
            rig.buffer_aligned(&self.image, 16),
            d,
            rig.buffer_aligned(&self.a, 16),
            rig.buffer(&self.meta),
        ];
        params.extend(self.descriptors);
        let params: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let launch = Launch {
            checks: Checks::all(),
            ..Launch::new("k", [1, 1, 1], [threads, 1, 1], &params)
        };
        let result = rig.device.launch(&rig.instance, &launch);
        (result, rig.read::<u32>(d, self.d.len()))
    }

    #[track_caller]
    fn ok(&self, text: &str) -> Vec<u32> {
        let (result, d) = self.run(text, 128);
        let report = result.unwrap_or_else(|fault| panic!("{fault}"));
        assert!(report.findings.is_empty(), "{}", report.findings[0]);
        d
    }
}

/// Row and column of element `i` of a thread's part of D.
fn place(thread: usize, i: usize) -> (usize, usize) {
    let lane = thread % 32;
    (
        thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8,
        i / 4 * 8 + lane % 4 * 2 + i % 2,
    )
}

/// Row and column of element `i` of `each` in register `r` of a thread's part of A.
fn place_a(thread: usize, r: usize, i: usize, each: usize) -> (usize, usize) {
    let lane = thread % 32;
    (
        thread / 32 * 16 + lane / 4 + r % 2 * 8,
        lane % 4 * each + i + r / 2 * 4 * each,
    )
}

fn a_registers(values: &[i32], k: usize, ty: Type) -> Vec<u32> {
    let each = 4 / ty.bytes;
    let mut words = vec![0u32; 512];
    for thread in 0..128 {
        for r in 0..4 {
            for i in 0..each {
                let (row, column) = place_a(thread, r, i, each);
                let bits =
                    (ty.bits)(values[row * k + column]) as u64 & ((1u64 << (8 * ty.bytes)) - 1);
                words[thread * 4 + r] |= (bits << (8 * ty.bytes * i)) as u32;
            }
        }
    }
    words
}

/// D's elements by row and column, and the words that a launch of D of this type starts from
/// or ends with.
fn d_words(d_type: &str, n: usize, value: impl Fn(usize, usize) -> i32) -> Vec<u32> {
    let per = if d_type == "f16" { 2 } else { 1 };
    let count = n / 2 / per;
    let mut words = vec![0; 128 * count];
    for thread in 0..128 {
        for i in 0..n / 2 {
            let (row, column) = place(thread, i);
            let value = value(row, column);
            let bits = match d_type {
                "f16" => f16::from_f32(value as f32).to_bits().into(),
                "f32" => (value as f32).to_bits(),
                _ => value as u32,
            };
            words[thread * count + i / per] |= bits << (16 * (i % per));
        }
    }
    words
}
