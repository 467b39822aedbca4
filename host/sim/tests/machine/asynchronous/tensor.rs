//! `cp.async.bulk.tensor` and company, against a walk over the box's elements and the ISA's tables of swizzling.

use lanewise_sim::tensor::{
    Access, Element, Fill, Im2col, Interleave, Promotion, Swizzle, TensorMap,
};
use lanewise_sim::{Checks, DeviceModel, Fault, Launch, Report};

use crate::common::Rig;

/// Bytes of shared memory that kernels give back.
const SHARED: usize = 16384;

/// A kernel of one thread: fills shared memory with 0xee, does `body`, gives shared memory back.
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

/// Which 16 bytes of eight lie at each place of eight lines: the tables of PTX ISA 5.5.7.
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

/// What lies where after swizzling; the box starts at a multiple of 1024.
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

/// What was loaded is `box` swizzled, and nothing else of shared memory was written.
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

#[test]
fn boxes_of_one_to_five_dimensions_come_to_shared_memory() {
    let shapes: [(&[u64], &[u32]); 5] = [
        (&[300], &[256]),
        (&[50, 20], &[16, 9]),
        (&[40, 7, 6], &[32, 4, 3]),
        (&[20, 5, 4, 3], &[16, 3, 2, 2]),
        (&[18, 4, 3, 3, 2], &[16, 2, 2, 2, 2]),
    ];
    for (size, sizes) in shapes {
        let rank = size.len() as u32;
        for element in [Element::U8, Element::F16, Element::F32, Element::U64] {
            let map = dense(element, 0, size, sizes);
            let last = rank as usize - 1;
            let length = if last == 0 {
                size[0] * 8
            } else {
                map.strides[last - 1] * size[last]
            };
            let memory = bytes(length as usize);
            let box_bytes = expected(&map, [0; 5], &memory).len() as u64;
            let rig = Rig::new(&kernel(HOPPER, &load(rank, box_bytes)));
            let (from, out) = (rig.buffer_aligned(&memory, 16), rig.buffer(&[0u8; SHARED]));
            let map = TensorMap {
                address: from,
                ..map
            };
            // Boxes begin at multiples of 16 bytes.
            let piece = 16 / (element.bits() / 8) as i32;
            for at in [
                [0; 5],
                [piece, 2, 1, 1, 1],
                [-piece, -1, -2, 0, -1],
                [2 * piece, 3, 5, 2, 1],
                [1 << 20; 5],
            ] {
                for fill in [Fill::Zero, Fill::Nan] {
                    if fill == Fill::Nan && !matches!(element, Element::F16 | Element::F32) {
                        continue;
                    }
                    let map = TensorMap { fill, ..map };
                    ok(&rig, &map, out, at, [0; 3]);
                    let plain = expected(&map, at, &memory);
                    check_shared(
                        &rig,
                        out,
                        &plain,
                        Swizzle::None,
                        &format!("{element:?} {size:?} {at:?}"),
                    );
                }
            }
        }
    }
}

#[test]
fn swizzles_are_those_of_the_isas_tables() {
    for swizzle in Swizzle::ALL {
        for width in [128, 64, 32, 16] {
            if swizzle.span().is_some_and(|span| width > span) {
                continue;
            }
            let memory = bytes(4096);
            let map = TensorMap {
                swizzle,
                ..dense(Element::U8, 0, &[128, 32], &[width, 32])
            };
            let body = load(2, u64::from(width) * 32);
            let rig = Rig::on(DeviceModel::b200(), &kernel(BLACKWELL, &body));
            let (from, out) = (rig.buffer_aligned(&memory, 16), rig.buffer(&[0u8; SHARED]));
            let map = TensorMap {
                address: from,
                ..map
            };
            ok(&rig, &map, out, [0; 5], [0; 3]);
            let plain = expected(&map, [0; 5], &memory);
            check_shared(&rig, out, &plain, swizzle, &format!("{swizzle:?} {width}"));
        }
    }
}

#[test]
fn traversal_strides_leave_elements_out() {
    let memory = bytes(64 * 40);
    let map = TensorMap {
        steps: [1, 3, 1, 1, 1],
        ..dense(Element::U32, 0, &[16, 40], &[8, 16])
    };
    let rig = Rig::new(&kernel(HOPPER, &load(2, 8 * 4 * 6)));
    let (from, out) = (rig.buffer_aligned(&memory, 16), rig.buffer(&[0u8; SHARED]));
    let map = TensorMap {
        address: from,
        ..map
    };
    for at in [[0; 5], [4, 29, 0, 0, 0], [0, -2, 0, 0, 0]] {
        ok(&rig, &map, out, at, [0; 3]);
        check_shared(
            &rig,
            out,
            &expected(&map, at, &memory),
            Swizzle::None,
            "steps",
        );
    }
}

/// Shared memory gets a box, and the box goes to another place of the tensor: what is outside is dropped.
#[test]
fn stores_and_reductions_drop_what_is_outside() {
    /// What the memory holds after a reduction of two words; none for a plain store.
    type Reduced = Option<fn(u32, u32) -> u32>;
    let ways: [(&str, Reduced); 5] = [
        (
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
            None,
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
            Some(u32::wrapping_add),
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group",
            Some(|a, b| a.min(b)),
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group",
            Some(|a, b| a ^ b),
        ),
        (
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group",
            Some(|a, b| if a >= b { 0 } else { a + 1 }),
        ),
    ];
    for (way, join) in ways {
        for swizzle in [Swizzle::None, Swizzle::B32, Swizzle::B128] {
            let body = format!(
                "{} mov.u32 %x0, 16; mov.u32 %x1, 13; {way} [%rd1, {{%x0, %x1}}], [%rd3];
                cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                load(2, 8 * 4 * 6)
            );
            let rig = Rig::new(&kernel(HOPPER, &body));
            let words: Vec<u32> = (0..20 * 16)
                .map(|i: u32| i.wrapping_mul(0x0123_4567))
                .collect();
            let (from, out) = (rig.buffer_aligned(&words, 16), rig.buffer(&[0u8; SHARED]));
            let map = TensorMap {
                swizzle,
                ..dense(Element::U32, from, &[20, 16], &[8, 6])
            };
            ok(&rig, &map, out, [4, 1, 0, 0, 0], [0; 3]);
            let mut after = words.clone();
            for y in 0..6 {
                for x in 0..8 {
                    let (to_x, to_y) = (x + 16, y + 13);
                    if to_x >= 20 || to_y >= 16 {
                        continue;
                    }
                    let to = &mut after[to_y * 20 + to_x];
                    let value = words[(y + 1) * 20 + x + 4];
                    *to = join.map_or(value, |join| join(*to, value));
                }
            }
            assert_eq!(rig.read::<u32>(from, 20 * 16), after, "{way} {swizzle:?}");
        }
    }
}

/// Rows of 18 words: the last piece of 16 bytes has 2 of them, and a plain store writes all of it.
#[test]
fn plain_stores_write_whole_pieces_and_reductions_elements() {
    for (way, joins) in [("cp.async", false), ("cp.reduce.async", true)] {
        let kind = if joins { ".add" } else { "" };
        let body = format!(
            "{way}.bulk.tensor.2d.global.shared::cta{kind}.tile.bulk_group [%rd1, {{%c0, %c1}}], [%rd3];
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        );
        let rig = Rig::new(&kernel(HOPPER, &body));
        let (to, out) = (
            rig.buffer_aligned(&[7u32; 3 * 24], 16),
            rig.buffer(&[0u8; SHARED]),
        );
        let map = TensorMap {
            size: [18, 3, 1, 1, 1],
            ..dense(Element::U32, to, &[24, 3], &[8, 2])
        };
        ok(&rig, &map, out, [16, 0, 0, 0, 0], [0; 3]);
        let (end, value) = match joins {
            true => (18, 0xeeee_eef5),
            false => (20, 0xeeee_eeee),
        };
        let expected: Vec<u32> = (0..3 * 24)
            .map(|i| match (16..end).contains(&(i % 24)) && i < 48 {
                true => value,
                false => 7,
            })
            .collect();
        assert_eq!(rig.read::<u32>(to, 3 * 24), expected, "{way}");
    }
}

/// A convolution's columns: for each pixel of the output, in order, the input's channels at the place of the filter.
#[test]
fn im2col_gives_the_columns_of_a_convolution() {
    let (channels, width, height, images) = (16u64, 9u64, 7u64, 3u64);
    let memory = bytes((channels * width * height * images) as usize);
    for (pad, filter, step) in [
        (0i16, 3i16, 1u32),
        (1, 3, 1),
        (1, 3, 2),
        (2, 5, 3),
        (0, 1, 1),
    ] {
        let pixels = 48;
        let map = TensorMap {
            access: Access::Im2col(Im2col {
                lower: [-pad, -pad, 0],
                upper: [pad - (filter - 1), pad - (filter - 1), 0],
                channels: 16,
                pixels,
            }),
            steps: [1, step, step, 1, 1],
            ..dense(Element::U8, 0, &[channels, width, height, images], &[])
        };
        let body = format!(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], {};
            cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
                [%rd3], [%rd1, {{%c0, %c1, %c2, %c3}}], [%rd4], {{%o0, %o1}}; {WAIT}",
            pixels * 16
        );
        let rig = Rig::new(&kernel(HOPPER, &body));
        let (from, out) = (rig.buffer_aligned(&memory, 16), rig.buffer(&[0u8; SHARED]));
        let map = TensorMap {
            address: from,
            ..map
        };
        // Every output pixel's corner of the filter, in the order of a convolution's output.
        let corners = |size: u64| {
            let last = size as i64 - 1 + i64::from(pad - (filter - 1));
            (0..)
                .map(move |i: i64| i * i64::from(step) - i64::from(pad))
                .take_while(move |c| *c <= last)
        };
        let mut all = Vec::new();
        for n in 0..images as i64 + 8 {
            for y in corners(height) {
                for x in corners(width) {
                    all.push((n, y, x));
                }
            }
        }
        for (skip, place) in [
            (0, (0, 0)),
            (7, (filter - 1, 0)),
            (11, (filter / 2, filter - 1)),
        ] {
            let (n, y, x) = all[skip];
            ok(
                &rig,
                &map,
                out,
                [0, x as i32, y as i32, n as i32, 0],
                [place.0 as u32, place.1 as u32, 0],
            );
            let mut plain = Vec::new();
            for &(n, y, x) in all.iter().skip(skip).take(pixels as usize) {
                let (x, y) = (x + i64::from(place.0), y + i64::from(place.1));
                let inside = (0..width as i64).contains(&x)
                    && (0..height as i64).contains(&y)
                    && n < images as i64;
                for c in 0..channels as i64 {
                    let at = ((n * height as i64 + y) * width as i64 + x) * channels as i64 + c;
                    plain.push(if inside { memory[at as usize] } else { 0 });
                }
            }
            check_shared(
                &rig,
                out,
                &plain,
                Swizzle::None,
                &format!("pad {pad} filter {filter} step {step} from {skip}"),
            );
        }
    }
}

#[test]
fn four_rows_are_gathered_and_scattered() {
    let memory = bytes(64 * 20);
    let map = dense(Element::U16, 0, &[32, 20], &[16, 1]);
    let body = format!(
        "mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 128;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
            [%rd3], [%rd1, {{%c0, %c1, %c2, %c3, %c4}}], [%rd4]; {WAIT}
        mov.u32 %x0, 0; mov.u32 %x1, 19; mov.u32 %x2, 25;
        cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {{%x0, %x0, %x1, %x2, %c1}}], [%rd3];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    );
    let rig = Rig::on(DeviceModel::b200(), &kernel(BLACKWELL, &body));
    let (from, out) = (rig.buffer_aligned(&memory, 16), rig.buffer(&[0u8; SHARED]));
    let map = TensorMap {
        address: from,
        ..map
    };
    ok(&rig, &map, out, [8, 7, 30, 2, 11], [0; 3]);
    let row = |y: usize| memory[y * 64 + 16..y * 64 + 48].to_vec();
    let rows = [row(7), vec![0; 32], row(2), row(11)];
    check_shared(&rig, out, &rows.concat(), Swizzle::None, "gather4");
    let mut after = memory.clone();
    for (y, row) in [0, 19, 25, 7].into_iter().zip(&rows) {
        if y < 20 {
            after[y * 64..y * 64 + 32].copy_from_slice(row);
        }
    }
    assert_eq!(rig.read::<u8>(from, 64 * 20), after);
}

/// A map is copied to shared memory, changed there, copied to global memory and used, as grouped multiplications do.
#[test]
fn fields_are_replaced_on_the_device() {
    let text = kernel(
        HOPPER,
        &format!(
            "mov.u32 %r0, 0;
        C: cvt.u64.u32 %rd5, %r0; add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd1, %rd5; ld.u64 %rd8, [%rd7]; st.shared.u64 [%rd6], %rd8;
            add.u32 %r0, %r0, 8; setp.lt.u32 %p0, %r0, 128; @%p0 bra C;
            ld.param.u64 %rd9, [out]; add.u64 %rd10, %rd9, 64; mov.u32 %x0, 1; mov.u32 %x1, 24; mov.u32 %x2, 5; mov.u64 %rd11, 96; mov.u32 %x3, 2;
            tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%rd3], %rd10;
            tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd3], %x0;
            tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd3], 0, %x1;
            tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd3], 1, %x2;
            tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd3], 0, %rd11;
            tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd3], 1, %x3;
            tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd3], 1, %x2;
            tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd3], 2;
            tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%rd3], 1;
            tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%rd3], 0;
            tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%rd3], 0;
            mov.u64 %rd12, g;
            tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd12], [%rd3], 128;
            fence.proxy.tensormap::generic.acquire.gpu [%rd12], 128;
            mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 96;
            cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd3], [g, {{%c0, %c1}}], [%rd4]; {WAIT}"
        ),
    )
    .replace(".visible", ".global .align 128 .b8 g[128];\n.visible");
    let rig = Rig::new(&text);
    let out = rig.buffer_aligned(&bytes(SHARED), 128);
    let memory = rig.read::<u8>(out + 64, 96 * 5);
    let first = dense(Element::F16, out, &[16], &[8]);
    let last = TensorMap {
        element: Element::U32,
        rank: 2,
        size: [24, 5, 1, 1, 1],
        strides: [96, 0, 0, 0],
        steps: [1, 2, 1, 1, 1],
        access: Access::Tiled([8, 5, 1, 1, 1]),
        ..first
    };
    ok(&rig, &first, out, [4, 1, 0, 0, 0], [0; 3]);
    let mut plain = expected(&last, [4, 1, 0, 0, 0], &memory);
    assert_eq!(plain.len(), 96);
    let found = rig.read::<u8>(out, 128);
    plain.resize(128, 0);
    assert_eq!(found[..96], swizzled(Swizzle::B32, &plain)[..96]);
}

#[test]
fn a_multicast_gives_each_block_a_box() {
    let text = kernel(
        HOPPER,
        &format!(
            "mov.u32 %r2, %cluster_ctarank; mbarrier.arrive.expect_tx.shared.b64 _, [%rd4], 128;
            barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 %p2, %r2, 1; mov.u16 %o0, 0x7;
            @%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%rd3], [%rd1, {{%c0, %c1}}], [%rd4], %o0;
            {WAIT} mul.lo.u32 %r2, %r2, {SHARED}; cvt.u64.u32 %rd8, %r2; add.u64 %rd2, %rd2, %rd8;"
        ),
    );
    let rig = Rig::new(&text);
    let memory = bytes(64 * 8);
    let (from, out) = (
        rig.buffer_aligned(&memory, 16),
        rig.buffer(&[0u8; 3 * SHARED]),
    );
    let map = dense(Element::U8, from, &[64, 8], &[16, 8]);
    let mut params = map.encode().to_vec();
    params.extend(out.to_le_bytes());
    [16i32, -2, 0, 0, 0]
        .iter()
        .for_each(|c| params.extend(c.to_le_bytes()));
    params.extend([0; 12]);
    let launch = Launch {
        cluster: [3, 1, 1],
        checks: Checks::all(),
        ..Launch::new("k", [3, 1, 1], [1, 1, 1], &params)
    };
    let report = rig
        .device
        .launch(&rig.instance, &launch)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    for block in 0..3 {
        let plain = expected(&map, [16, -2, 0, 0, 0], &memory);
        check_shared(
            &rig,
            out + block * SHARED as u64,
            &plain,
            Swizzle::None,
            "multicast",
        );
    }
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

/// The types that an H200 (driver 580.159, 2026-11-22) joins by each operation, each asked for; by all others it ends the kernel.
#[test]
fn reductions_are_of_the_types_that_an_h200_takes() {
    use Element::{Bf16, F16, F32, F64, S32, S64, U8, U16, U32, U64};
    const BOUND: &[Element] = &[U32, S32, U64, S64, F16, Bf16];
    const BITS: &[Element] = &[U32, S32, U64];
    for (operation, taken) in [
        (".add", &[U32, S32, U64, F16, Bf16, F32, F64][..]),
        (".min", BOUND),
        (".max", BOUND),
        (".and", BITS),
        (".or", BITS),
        (".xor", BITS),
        (".inc", &[U32]),
        (".dec", &[U32]),
    ] {
        let rig = Rig::new(&kernel(HOPPER, &store(operation, 1, "tile")));
        let (from, out) = (
            rig.buffer_aligned(&[0u8; 512], 16),
            rig.buffer(&[0u8; SHARED]),
        );
        for element in [U8, U16, U32, S32, U64, S64, F16, Bf16, F32, F64] {
            let map = dense(element, from, &[32], &[16]);
            if taken.contains(&element) {
                ok(&rig, &map, out, [0; 5], [0; 3]);
            } else {
                let text = fault(&rig, &map, out, [0; 5]);
                let words = format!("a reduction that {element:?} elements do not have");
                assert!(text.contains(&words), "{operation} {element:?}: {text}");
            }
        }
    }
}

/// What an H200 (driver 580.159, 2026-11-22) made of subnormals, infinities and NaNs: words that were there, words that came, what was there then.
#[test]
fn reductions_of_floats_are_those_of_an_h200() {
    use Element::{Bf16, F16, F32, F32Ftz};
    type Words = &'static [u32];
    let floats: (Words, Words) = (
        &[1, 0x8000_0001, 0x007f_ffff, 0x7f80_0001, 0x7f80_0000],
        &[1, 0, 1, 0, 0xff80_0000],
    );
    let halves: (Words, Words) = (
        &[0x0001_0000, 0x7c01_3c00, 0x8000_0000],
        &[0x0002_8000, 0x3c00_7e00, 0x0000_8000],
    );
    let bfloats: (Words, Words) = (
        &[0x0001_0000, 0x7f81_3f80, 0x8000_0000],
        &[0x0002_8000, 0x3f80_7fc0, 0x0000_8000],
    );
    let table: [(Element, &str, (Words, Words), Words); 8] = [
        (
            F32,
            ".add",
            floats,
            &[2, 0x8000_0001, 0x0080_0000, 0x7fff_ffff, 0x7fff_ffff],
        ),
        (F32Ftz, ".add", floats, &[0, 0, 0, 0x7fff_ffff, 0x7fff_ffff]),
        (
            F16,
            ".add",
            (
                &[0x0001_0001, 0x7c00_0400, 0x7c01_3c00],
                &[0x0001_0001, 0xfc00_8001, 0x3c00_3c00],
            ),
            &[0x0002_0002, 0x7fff_03ff, 0x7fff_4000],
        ),
        (
            Bf16,
            ".add",
            (
                &[0x0001_0001, 0x7f80_0080, 0x7f81_3f80],
                &[0x0001_0001, 0xff80_8001, 0x3f80_3f80],
            ),
            &[0x0002_0002, 0x7fff_007f, 0x7fff_4000],
        ),
        (
            F16,
            ".min",
            halves,
            &[0x0001_8000, 0x3c00_3c00, 0x8000_8000],
        ),
        (
            Bf16,
            ".min",
            bfloats,
            &[0x0001_8000, 0x3f80_3f80, 0x8000_8000],
        ),
        (F16, ".max", halves, &[0x0002_0000, 0x3c00_3c00, 0]),
        (Bf16, ".max", bfloats, &[0x0002_0000, 0x3f80_3f80, 0]),
    ];
    for (element, operation, (there, from), expected) in table {
        let mut body: String = from
            .iter()
            .enumerate()
            .map(|(i, word)| format!("mov.u32 %x0, {word}; st.shared.u32 [%rd3+{}], %x0; ", 4 * i))
            .collect();
        body += "mov.u32 %x0, 0; ";
        for i in from.len()..8 {
            body += &format!("st.shared.u32 [%rd3+{}], %x0; ", 4 * i);
        }
        body += "fence.proxy.async.shared::cta; ";
        body += &store(operation, 1, "tile");
        let rig = Rig::new(&kernel(HOPPER, &body));
        let mut words = [0u32; 8];
        words[..there.len()].copy_from_slice(there);
        let (to, out) = (rig.buffer_aligned(&words, 16), rig.buffer(&[0u8; SHARED]));
        let elements = 8 * 32 / element.bits();
        let map = dense(element, to, &[elements.into()], &[elements]);
        ok(&rig, &map, out, [0; 5], [0; 3]);
        let after = rig.read::<u32>(to, 8);
        assert_eq!(
            after[..expected.len()],
            *expected,
            "{element:?} {operation}"
        );
    }
}

/// An H200 (driver 580.159, 2026-11-22) ends a kernel that stores to a negative coordinate, one that stores pixels by a map whose box reaches out of
/// the image, and one that begins outside of that box.
#[test]
fn stores_do_not_begin_before_the_tensor() {
    for kind in ["", ".add"] {
        let rig = Rig::new(&kernel(HOPPER, &store(kind, 3, "tile")));
        let (from, out) = (
            rig.buffer_aligned(&[0u8; 4096], 16),
            rig.buffer(&[0u8; SHARED]),
        );
        let map = dense(Element::U32, from, &[8, 4, 4], &[4, 2, 2]);
        for at in [[0, 3, 3, 0, 0], [4, 100, 0, 0, 0], [100, 0, 5, 0, 0]] {
            ok(&rig, &map, out, at, [0; 3]);
        }
        for (at, words) in [
            ([-4, 0, 0, 0, 0], "begins at -4 in dimension 0"),
            ([0, -1, 0, 0, 0], "begins at -1 in dimension 1"),
            ([0, 0, -7, 0, 0], "begins at -7 in dimension 2"),
        ] {
            let text = fault(&rig, &map, out, at);
            assert!(text.contains(words), "{words}: {text}");
        }
        let rig = Rig::new(&kernel(HOPPER, &store(kind, 4, "im2col_no_offs")));
        let from = rig.buffer_aligned(&[0u8; 4096], 16);
        let out = rig.buffer(&[0u8; SHARED]);
        let map = |lower: i16, upper: i16| TensorMap {
            access: Access::Im2col(Im2col {
                lower: [0, lower, 0],
                upper: [0, upper, 0],
                channels: 4,
                pixels: 8,
            }),
            ..dense(Element::U32, from, &[4, 5, 4, 2], &[])
        };
        for (map, at) in [
            (map(0, 0), [0, 3, 2, 1, 0]),
            (map(0, 0), [4, 4, 3, 1, 0]),
            (map(1, -1), [0, 0, 1, 0, 0]),
        ] {
            ok(&rig, &map, out, at, [0; 3]);
        }
        let outside = "reaches out of the image in spatial dimension 1";
        for (map, at, words) in [
            (map(0, 0), [0, 0, 0, -1, 0], "begins at -1 in dimension 3"),
            (map(-1, 0), [0; 5], outside),
            (map(0, 1), [0; 5], outside),
            (
                map(1, 0),
                [0; 5],
                "begins at 0 in dimension 2, where the map's box has 1 to 3",
            ),
            (
                map(0, -1),
                [0, 0, 3, 0, 0],
                "begins at 3 in dimension 2, where the map's box has 0 to 2",
            ),
        ] {
            let text = fault(&rig, &map, out, at);
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}

/// What is done to a map before it is used.
type Change = fn(TensorMap) -> TensorMap;

#[test]
fn what_is_wrong_is_named() {
    let memory = bytes(4096);
    let with = |body: &str, change: Change| {
        let rig = Rig::new(&kernel(HOPPER, body));
        let (from, out) = (
            rig.buffer_aligned(&memory, 16),
            rig.buffer_aligned(&[0u8; SHARED], 64),
        );
        let map = change(dense(Element::U8, from, &[64, 64], &[16, 4]));
        fault(&rig, &map, out, [0; 5])
    };
    let same: Change = |map| map;
    let plain = load(2, 64);
    let cases: [(String, Change, &str); 13] = [
        (plain.clone(), |map| TensorMap { rank: 3, size: [64, 8, 8, 1, 1], ..map }, "an instruction of 2 dimensions with a tensor map of 3"),
        (plain.clone(), |map| TensorMap { address: map.address + 8, ..map }, "no multiple of 16 bytes"),
        (plain.clone(), |map| TensorMap { size: [64, 80, 1, 1, 1], strides: [4096, 0, 0, 0], ..map }, "past the end of an allocation"),
        (plain.clone(), |map| TensorMap { swizzle: Swizzle::B128Atom64, ..map }, "compute capability 10.0"),
        (plain.replace("[%rd3], [%rd1", "[%rd3+16], [%rd1"), same, "past a multiple of 128"),
        (plain.replace("[%rd1,", "[%rd2,"), same, "no tensor map is at"),
        (format!("cvta.shared.u64 %rd1, %rd3; {plain}"), same, "in shared or local memory"),
        (format!("mov.u32 %c0, 8; {plain}"), same, "a box that begins at element 8 of its row, which is byte 8; it has to begin at a multiple of 16 bytes"),
        (
            "mov.u32 %c0, -12; cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%c0, %c1}];".into(),
            |map| TensorMap { element: Element::U16, size: [32, 64, 1, 1, 1], ..map },
            "a box that begins at element -12 of its row, which is byte -24",
        ),
        (load(2, 80), same, "16 bytes are missing"),
        (load(2, 48), same, "-16 bytes are missing"),
        (load(2, 64).replace(".tile.", ".im2col.").replace("2d", "3d").replace("%c1}", "%c1, %c2}").replace("[%rd4];", "[%rd4], {%o0};"), |map| TensorMap { rank: 3, ..map }, "the instruction is for images, and the tensor map for tiles"),
        ("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group [%rd1, {%c0, %c1}], [%rd3];".into(), same, "a reduction that U8 elements do not have"),
    ];
    for (body, change, words) in cases {
        let text = with(&body, change);
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_buffer_used_again_too_early_is_found() {
    let store = |wait: &str| {
        format!(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {{%c0, %c1}}], [%rd3]; cp.async.bulk.commit_group;
            {wait} mov.u32 %r2, 5; st.shared.u32 [%rd3+4], %r2; cp.async.bulk.wait_group 0;"
        )
    };
    for (wait, finds) in [("", true), ("cp.async.bulk.wait_group.read 0;", false)] {
        let rig = Rig::new(&kernel(HOPPER, &store(wait)));
        let (to, out) = (
            rig.buffer_aligned(&bytes(4096), 16),
            rig.buffer(&[0u8; SHARED]),
        );
        let map = dense(Element::U8, to, &[64, 64], &[16, 4]);
        let report = run(&rig, &map, out, [0; 5], [0; 3]).expect("it runs");
        assert_eq!(!report.findings.is_empty(), finds, "{wait}");
        if finds {
            let text = report.findings[0].to_string();
            assert!(
                text.contains("an unfinished asynchronous read and a write of shared memory"),
                "{text}"
            );
            assert!(text.contains("cp.async.bulk.tensor.2d"), "{text}");
        } else {
            assert_eq!(
                rig.read::<u8>(to, 16),
                [0xee; 16],
                "what was there when it was read"
            );
        }
    }
}
