//! The features of Blackwell: the kernels that can run give the right result, and the simulator
//! refuses the others by name, one kernel at a time.
//!
//! The following command checks that `tcgen05` has the form that ptxas accepts:
//! `cargo xtask --crate tests/hopper/kernels check-ptx --arch sm_100a`.

use std::error::Error;

use hopper::{buffer, device, values};
use hopper_kernels::barriers::pass_on;
use hopper_kernels::blackwell::{DEPTH, TILE, WIDTH, gather_rows, steal, tcgen05_gemm};
use lanewise::checks::Checking;
use lanewise::tensor_map::{Swizzle, TensorMap, TensorMapMut, Tiles};
use lanewise::{Backend, Device, LaunchConfig, LaunchError, Stream};
use tests::isolate::isolated_with;

/// Launches the product with one tile, whose values do not matter.
fn multiply(device: &Device, stream: &Stream) -> Result<(), LaunchError> {
    let operand = buffer(device, &vec![0u16; TILE * DEPTH]);
    let tiles = || Tiles::new([DEPTH, TILE], [DEPTH as u32, TILE as u32]).swizzle(Swizzle::B128);
    let map = TensorMap::new(&operand, tiles()).expect("a map");
    let mut c = buffer(device, &vec![0f32; TILE * TILE]);
    let size = TILE as u32;
    let arguments = (&map, &map, &mut c, size, size, DEPTH as u32);
    stream.launch(tcgen05_gemm, LaunchConfig::new((1, 1), 128), arguments)
}

/// Returns the text of an error, with its causes.
fn chain(error: &(dyn Error + 'static)) -> String {
    let (mut text, mut next) = (String::new(), Some(error));
    while let Some(error) = next {
        text += &format!("{error}\n");
        next = error.source();
    }
    text
}

/// The work of each position is done once, by whichever block.
#[test]
fn each_blocks_work_is_done_once() {
    let (device, stream) = device();
    for (blocks, threads) in [(1, 32), (77, 96), (1000, 64)] {
        let mut sums = buffer(&device, &vec![0u32; (blocks * threads) as usize]);
        let config = LaunchConfig::new(blocks, threads);
        stream
            .launch(steal, config, (&mut sums,))
            .expect("a launch");
        let expected: Vec<u32> = (0..blocks * threads).map(|i| i / threads + 1).collect();
        assert_eq!(values(&sums), expected, "{blocks} blocks of {threads}");
    }
}

#[test]
fn on_another_gpu_the_product_is_not_there() {
    let (device, stream) = device();
    if device.properties().compute_capability.major == 10 {
        return;
    }
    let error = multiply(&device, &stream).expect_err("no target but sm_100a has it");
    let text = error.to_string();
    assert!(text.contains("tcgen05_gemm"), "{text}");
}

/// On the model of a B200 the module for `sm_100a` is what is loaded: it has kernels that the
/// simulator does not run.
#[test]
fn what_is_not_run_is_refused_by_name_and_the_rest_of_the_module_runs() {
    if device().0.backend() == Backend::Cuda {
        println!("skipped on a GPU: this is about the simulated B200");
        return;
    }
    let test = "blackwell::what_is_not_run_is_refused_by_name_and_the_rest_of_the_module_runs";
    let answer = isolated_with(&[("LANEWISE_MODEL", "b200")], test, || {
        let (device, stream) = device();
        let product = multiply(&device, &stream).expect_err("tcgen05 is not run");
        let mut sums = buffer(&device, &[0u32; 64]);
        let stealing = stream
            .launch(steal, LaunchConfig::new(2, 32), (&mut sums,))
            .expect_err("clusterlaunchcontrol is not run");
        let mut output = buffer(&device, &[0u32; 64]);
        stream
            .launch(pass_on, LaunchConfig::new(1, 64), (&mut output, 3))
            .expect("its neighbour is run");
        let expected: Vec<u32> = (0..64).map(|i| (i + 3) % 64).collect();
        assert_eq!(values(&output), expected);
        format!("{}\n---\n{}", chain(&product), chain(&stealing))
    });
    let (product, stealing) = answer.text.split_once("\n---\n").expect("two reports");
    for (text, kernel, word) in [
        (product, "tcgen05_gemm", "`tcgen05."),
        (stealing, "steal", "`clusterlaunchcontrol."),
    ] {
        for word in [kernel, word, "ptx line", "is not modelled"] {
            assert!(text.contains(word), "no {word:?} in: {text}");
        }
    }
}

/// Rows inside of the matrix, on its edges, before and after it, and one of them twice.
#[test]
fn four_rows_are_gathered_and_scattered() {
    if device().0.backend() == Backend::Cuda {
        println!("skipped on a GPU: this is about the simulated B200");
        return;
    }
    let test = "blackwell::four_rows_are_gathered_and_scattered";
    isolated_with(&[("LANEWISE_MODEL", "b200")], test, || {
        const COLUMNS: usize = 40;
        const ROWS: usize = 23;
        let (device, stream) = device();
        let _checked = Checking::all().start();
        let numbers: Vec<u16> = (0..COLUMNS * ROWS).map(|i| i as u16).collect();
        let boxes = || Tiles::new([COLUMNS, ROWS], [WIDTH as u32, 1]);
        for (column, from, to, cluster) in [
            (0, [3, 9, 4, 1], [0, 22, 5, 7], 1),
            (8, [-1, 22, 22, 23], [22, 21, 1, 0], 2),
            // The elements after the last column are zeros, and are not stored.
            (32, [0, 1000, -7, 11], [10, 23, 12, 1_000_000], 3),
        ] {
            let input = buffer(&device, &numbers);
            let mut output = buffer(&device, &vec![7; COLUMNS * ROWS]);
            let map = TensorMap::new(&input, boxes()).expect("a map");
            let config = LaunchConfig::new(cluster, 32).with_cluster(cluster);
            {
                let mut stored = TensorMapMut::new(&mut output, boxes()).expect("a map");
                let arguments = (&map, &mut stored, column, from, to);
                stream
                    .launch(gather_rows, config, arguments)
                    .expect("a launch");
            }
            let mut expected = vec![7; COLUMNS * ROWS];
            for (from, to) in from.into_iter().zip(to) {
                for c in column as usize..COLUMNS.min(column as usize + WIDTH) {
                    if (0..ROWS as i32).contains(&to) {
                        let is_there = (0..ROWS as i32).contains(&from);
                        let at = |row: i32| row as usize * COLUMNS + c;
                        expected[at(to)] = if is_there { numbers[at(from)] } else { 0 };
                    }
                }
            }
            assert_eq!(values(&output), expected, "{from:?} to {to:?}");
        }
        String::new()
    });
}
