//! `cp.async.bulk.tensor` and related instructions, against a loop over the box's elements and the
//! ISA's tables of swizzling.

mod loads;
mod maps;
mod reductions;
mod stores;

use lanewise_sim::tensor::{Access, Element, Fill, Interleave, Promotion, Swizzle, TensorMap};
use lanewise_sim::{Checks, Fault, Launch, Report};

use crate::common::Rig;

/// Bytes of shared memory that kernels return.
const SHARED: usize = 16384;

/// A kernel of one thread: fills shared memory with 0xee, runs `body`, and returns shared memory.
fn kernel(version: &str, body: &str) -> String {
    format!(
        "{version}\n.address_size 64\n
        .visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .align 4 .b8 at[20], .param .align 4 .b8 off[12]) {{
        .shared .align 1024 .b8 s[{SHARED}]; .shared .align 8 .b64 bar;
        .reg .b64 %rd<16>; .reg .b32 %r<16>; .reg .b32 %c<5>; .reg .b16 %o<3>; .reg .pred %p<4>; .reg .b32 %x<4>;
        mov.u64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
        ld.param.u32 %c0, [at]; ld.param.u32 %c1, [at+4]; ld.param.u32 %c2, [at+8]; ld.param.u32 %c3, [at+12]; ld.param.u32 %c4, [at+16];
        ld.param.u16 %o0, [off]; ld.param.u16 %o1, [off+4]; ld.param.u16 %o2, [off+8];
        mov.u64 %rd3, s; mov.u64 %rd4, bar; mbarrier.init.shared.b64 [%rd4], 1; mov.u32 %r0, 0; mov.u32 %r1, 0xeeeeeeee;
    F:  cvt.u64.u32 %rd5, %r0; add.u64 %rd6, %rd3, %rd5; st.shared.u32 [%rd6], %r1; add.u32 %r0, %r0, 4;
        setp.lt.u32 %p0, %r0, {SHARED}; @%p0 bra F;
        fence.proxy.async.shared::cta;
        {body}
        mov.u32 %r0, 0;
    G:  cvt.u64.u32 %rd5, %r0; add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd2, %rd5; ld.shared.u32 %r1, [%rd6]; st.global.u32 [%rd7], %r1;
        add.u32 %r0, %r0, 4; setp.lt.u32 %p0, %r0, {SHARED}; @%p0 bra G;
        ret; }}"
    )
}

const HOPPER: &str = ".version 8.6\n.target sm_90a";
const BLACKWELL: &str = ".version 8.6\n.target sm_100a";
const WAIT: &str = "W: mbarrier.try_wait.parity.shared.b64 %p1, [%rd4], 0; @!%p1 bra W;";

fn coordinates(rank: u32) -> String {
    let names: Vec<_> = (0..rank).map(|i| format!("%c{i}")).collect();
    format!("{{{}}}", names.join(", "))
}

fn load(rank: u32, bytes: u64) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], {bytes};
        cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%rd3], [%rd1, {}], [%rd4]; {WAIT}",
        coordinates(rank)
    )
}

fn run(rig: &Rig, map: &TensorMap, out: u64, at: [i32; 5], off: [u32; 3]) -> Result<Report, Fault> {
    let mut params = map.encode().to_vec();
    params.extend(out.to_le_bytes());
    at.iter().for_each(|c| params.extend(c.to_le_bytes()));
    off.iter().for_each(|o| params.extend(o.to_le_bytes()));
    let launch = Launch {
        checks: Checks::all(),
        ..Launch::new("k", [1, 1, 1], [1, 1, 1], &params)
    };
    rig.device.launch(&rig.instance, &launch)
}

#[track_caller]
fn ok(rig: &Rig, map: &TensorMap, out: u64, at: [i32; 5], off: [u32; 3]) {
    let report = run(rig, map, out, at, off).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
}

fn fault(rig: &Rig, map: &TensorMap, out: u64, at: [i32; 5]) -> String {
    match run(rig, map, out, at, [0; 3]) {
        Ok(_) => panic!("it ran to its end"),
        Err(fault) => fault.to_string(),
    }
}

/// A dense tensor of this shape with a tiled map.
fn dense(element: Element, address: u64, size: &[u64], sizes: &[u32]) -> TensorMap {
    let bytes = u64::from(element.bits() / 8);
    let (mut strides, mut stride) = ([0; 4], size[0] * bytes);
    for i in 1..size.len() {
        stride = stride.next_multiple_of(16);
        strides[i - 1] = stride;
        stride *= size[i];
    }
    let fill = |i: usize| size.get(i).copied().unwrap_or(1);
    TensorMap {
        element,
        rank: size.len() as u32,
        address,
        size: std::array::from_fn(fill),
        strides,
        steps: [1; 5],
        access: Access::Tiled(std::array::from_fn(|i| sizes.get(i).copied().unwrap_or(1))),
        interleave: Interleave::None,
        swizzle: Swizzle::None,
        promotion: Promotion::None,
        fill: Fill::Zero,
    }
}

/// Which 16 bytes of eight are at each place of eight lines: the tables of PTX ISA 5.5.7.
fn table(swizzle: Swizzle) -> Option<[[usize; 8]; 8]> {
    let rows: &[[usize; 8]] = match swizzle {
        Swizzle::None => return None,
        Swizzle::B32 => &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]],
        Swizzle::B64 => &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
        ],
        Swizzle::B128 => &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [5, 4, 7, 6, 1, 0, 3, 2],
            [6, 7, 4, 5, 2, 3, 0, 1],
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
        Swizzle::B128Atom32 | Swizzle::B128Atom32Flip8 => &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [6, 7, 4, 5, 2, 3, 0, 1],
        ],
        Swizzle::B128Atom64 => &[[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]],
    };
    Some(std::array::from_fn(|line| rows[line % rows.len()]))
}

/// Returns the bytes after swizzling. The box starts at a multiple of 1024.
fn swizzled(swizzle: Swizzle, plain: &[u8]) -> Vec<u8> {
    let Some(table) = table(swizzle) else {
        return plain.to_vec();
    };
    let mut out = plain.to_vec();
    for (at, to) in out.iter_mut().enumerate() {
        let (line, chunk, mut byte) = (at / 128, at % 128 / 16, at % 16);
        if swizzle == Swizzle::B128Atom32Flip8 && line % 2 == 1 {
            byte ^= 8;
        }
        *to = plain[line * 128 + table[line % 8][chunk] * 16 + byte];
    }
    out
}

/// The bytes of the box, element by element; `get` reads the tensor's memory.
fn expected(map: &TensorMap, at: [i32; 5], memory: &[u8]) -> Vec<u8> {
    let Access::Tiled(sizes) = map.access else {
        panic!("a tiled map");
    };
    let rank = map.rank as usize;
    let size = (map.element.bits() / 8) as usize;
    let count = |i: usize| match i {
        i if i >= rank => 1,
        0 => sizes[0],
        i => sizes[i].div_ceil(map.steps[i]),
    };
    let mut out = Vec::new();
    for e in 0..count(4) {
        for d in 0..count(3) {
            for c in 0..count(2) {
                for b in 0..count(1) {
                    for a in 0..count(0) {
                        let index = [a, b, c, d, e];
                        out.extend(element(map, &index, at, memory, size, rank));
                    }
                }
            }
        }
    }
    out
}

fn element(
    map: &TensorMap,
    index: &[u32; 5],
    at: [i32; 5],
    memory: &[u8],
    size: usize,
    rank: usize,
) -> Vec<u8> {
    let mut place = 0;
    for i in 0..rank {
        let step = if i == 0 { 1 } else { map.steps[i] };
        let coordinate = i64::from(at[i]) + i64::from(index[i] * step);
        if coordinate < 0 || coordinate >= map.size[i] as i64 {
            return match map.fill {
                Fill::Zero => vec![0; size],
                Fill::Nan if size == 2 => vec![0xf7, 0x7f],
                Fill::Nan => vec![0xf7, 0x7f, 0xf7, 0x7f],
            };
        }
        let stride = if i == 0 {
            size as u64
        } else {
            map.strides[i - 1]
        };
        place += coordinate as usize * stride as usize;
    }
    memory[place..place + size].to_vec()
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n as u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
        .collect()
}

/// Asserts that the loaded bytes are `box`, swizzled, and that the rest of shared
/// memory is unchanged.
#[track_caller]
fn check_shared(rig: &Rig, out: u64, plain: &[u8], swizzle: Swizzle, what: &str) {
    let mut all = plain.to_vec();
    all.resize(SHARED, 0xee);
    assert_eq!(
        rig.read::<u8>(out, SHARED),
        swizzled(swizzle, &all),
        "{what}"
    );
}

/// A store or reduction of a box at the coordinates of the launch.
fn store(kind: &str, rank: u32, mode: &str) -> String {
    let way = if kind.is_empty() { "cp" } else { "cp.reduce" };
    format!(
        "{way}.async.bulk.tensor.{rank}d.global.shared::cta{kind}.{mode}.bulk_group [%rd1, {}], [%rd3];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        coordinates(rank)
    )
}
