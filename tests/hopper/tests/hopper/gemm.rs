//! The product by `wgmma`, at sizes that fit its tiles and at sizes that do not.

use gpu_hopper::tensor::gemm_bf16::{
    COLUMNS, DEPTH, ROWS, SHARED_BYTES, THREADS, blocks, gemm_bf16,
};
use hopper::{buffer, device, values};
use lanewise::LaunchConfig;
use lanewise::tensor_map::{Swizzle, TensorMap, Tiles};

/// Small multiples of a power of two, which `bf16` holds and whose products add up without
/// rounding in `f32`.
fn elements(rows: usize, columns: usize, seed: usize) -> Vec<f32> {
    let element = |i: usize| {
        ((i.wrapping_mul(2_654_435_761).wrapping_add(seed * 40_503) >> 7) % 33) as f32 / 4.0 - 4.0
    };
    (0..rows * columns).map(element).collect()
}

/// The bits of `bf16`, in rows that begin at multiples of 16 bytes.
fn bits(elements: &[f32], columns: usize, pitch: usize) -> Vec<u16> {
    let mut all = vec![0xffff; elements.len() / columns * pitch]; // a NaN in the gaps, which nothing may read
    for (i, element) in elements.iter().enumerate() {
        all[i / columns * pitch + i % columns] = (element.to_bits() >> 16) as u16;
    }
    all
}

fn check(m: usize, n: usize, k: usize) {
    let (device, stream) = device();
    let (a, b) = (elements(m, k, 1), elements(n, k, 2));
    let pitch = k.next_multiple_of(8);
    let left = buffer(&device, &bits(&a, k, pitch));
    let right = buffer(&device, &bits(&b, k, pitch));
    let tiles = |rows, of_tile: usize| {
        Tiles::new([k, rows], [DEPTH as u32, of_tile as u32])
            .strides(&[2 * pitch])
            .swizzle(Swizzle::B128)
    };
    let left = TensorMap::new(&left, tiles(m, ROWS)).expect("a map");
    let right = TensorMap::new(&right, tiles(n, COLUMNS)).expect("a map");
    let mut c = buffer(&device, &vec![f32::NAN; m * n]);
    device
        .set_max_dynamic_shared(gemm_bf16, SHARED_BYTES)
        .expect("the device has so much");
    let sizes = (m as u32, n as u32, k as u32);
    // The last block has no tile.
    let config = LaunchConfig::new(blocks(sizes.0, sizes.1) + 1, THREADS);
    let config = config.with_dynamic_shared(SHARED_BYTES);
    let arguments = (&left, &right, &mut c, sizes.0, sizes.1, sizes.2);
    stream
        .launch(gemm_bf16, config, arguments)
        .expect("a launch");
    let got = values(&c);
    for i in 0..m {
        for j in 0..n {
            let (row, column) = (&a[i * k..][..k], &b[j * k..][..k]);
            // A plain loop: iterators take several times as long where nothing is optimised.
            let (mut expected, mut x) = (0.0, 0);
            while x < k {
                expected += row[x] * column[x];
                x += 1;
            }
            assert_eq!(got[i * n + j], expected, "{m} x {n} x {k} at {i}, {j}");
        }
    }
}

#[test]
fn products_agree_with_the_cpu_at_sizes_that_fit_and_at_others() {
    for (m, n, k) in [
        (128, 256, 64),
        (256, 512, 128),
        (128, 128, 320),
        (1, 1, 1),
        (1, 200, 3),
        (65, 1, 64),
        (127, 129, 65),
        (130, 257, 127),
        (200, 100, 500),
        (1300, 300, 64),
    ] {
        check(m, n, k);
    }
}
