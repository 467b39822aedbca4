//! Loads to shared memory: boxes, swizzled or not, columns of pixels, and a box for each block
//! of a cluster.

use lanewise_sim::tensor::{Access, Element, Fill, Im2col, Swizzle, TensorMap};
use lanewise_sim::{Checks, DeviceModel, Launch};

use super::{
    BLACKWELL, HOPPER, SHARED, WAIT, bytes, check_shared, dense, expected, kernel, load, ok,
};
use crate::common::Rig;

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

/// A convolution's columns: for each pixel of the output, in order, the input's channels at the
/// place of the filter.
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
