//! Sums whose steps are launches from the kernel.

use gpu::execution::nested_reduce::recursive_reduce;
use lanewise::{DeviceBuffer, GraphError, LaunchConfig, Module};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges, assert_agrees};
use tests::count::count;
use tests::isolate::isolated;
use tests::sizes::{blocks, cases, lengths};

const KERNELS: [&str; 3] = [
    "recursive_reduce",
    "recursive_reduce_nosync",
    "recursive_reduce2",
];

#[test]
fn recursive_sums_agree_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

#[test]
fn recursive_sums_agree_with_the_cpu_on_a_large_vector() {
    for variant in KERNELS {
        assert_agrees(variant, Setup::new((1 << 17) + 3, 1));
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn recursive_sums_agree_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }

    #[test]
    fn recursive_sums_agree_with_the_cpu_in_blocks_of_warps(size in lengths(), seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

/// A block of 512 leaves 256 elements after its first step, and each child half of the rest: eight
/// children. 64 blocks have 2^9 of them, where one grid at each step has 8.
#[test]
fn one_child_for_each_block_makes_2_to_the_k_launches_and_one_for_all_makes_8() {
    let setup = Setup::new(64 * 512, 1);
    let Some(each) = count("recursive_reduce", setup) else {
        return;
    };
    assert_eq!(each.device_launches, 1 << 9, "{each:#?}");
    let launches = |variant| count(variant, setup).map(|counters| counters.device_launches);
    assert_eq!(launches("recursive_reduce_nosync"), Some(1 << 9));
    assert_eq!(launches("recursive_reduce2"), Some(8));
}

#[test]
fn only_the_first_form_waits_at_barriers_and_the_last_wakes_fewest_threads() {
    let setup = Setup::new(64 * 512, 1);
    let (Some(sync), Some(nosync), Some(all)) = (
        count("recursive_reduce", setup),
        count("recursive_reduce_nosync", setup),
        count("recursive_reduce2", setup),
    ) else {
        return;
    };
    // Blocks of 16 warps, then 8, 4, 2, 1, and four more steps in one warp.
    assert_eq!(sync.barriers, 64 * (16 + 8 + 4 + 2 + 1 + 4), "{sync:#?}");
    assert_eq!(
        (nosync.barriers, all.barriers),
        (0, 0),
        "{nosync:#?}{all:#?}"
    );
    assert!(
        all.ptx_lane_instructions < nosync.ptx_lane_instructions,
        "{nosync:#?}{all:#?}"
    );
}

/// What a launch from the host sums to, of four blocks of 256 ones, by a module of this text.
fn sums_of(ptx: &str) -> Vec<i32> {
    let device = tests::device();
    let module = Module::with_device_runtime(&device, ptx).expect("a module");
    let stream = device.stream().expect("a stream");
    let mut data = DeviceBuffer::from_slice(&device, &[1; 1024]).expect("memory");
    let mut sums = DeviceBuffer::<i32>::zeroed(&device, 4).expect("memory");
    let config = LaunchConfig::new(4, 256);
    // SAFETY: the text is that of the embedded module, with or without a barrier: it reads and
    // writes the same places.
    unsafe { module.launch_unchecked(&stream, recursive_reduce, config, (&mut data, &mut sums)) }
        .expect("a launch");
    sums.to_vec().expect("no fault")
}

/// The error of a kernel without a barrier before its launch: the child sees what the launching
/// thread sees, and that is only this thread's own addition.
#[test]
fn without_the_barrier_some_order_of_child_and_parent_sums_wrongly() {
    let Some(device) = tests::simulator(
        "the listing's race",
        "a GPU shows one order, and it may be the lucky one",
    ) else {
        return;
    };
    let ptx = device
        .ptx::<gpu::Ptx>()
        .expect("PTX for this device")
        .launching;
    let kernel = tests::ptx::kernel(ptx, "recursive_reduce");
    let without = kernel
        .lines()
        .filter(|line| !line.contains("barrier.sync"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(tests::ptx::count(kernel, "barrier.sync"), 1, "{kernel}");
    let broken = ptx.replace(kernel, &without);
    let name =
        "execution::nested_reduce::without_the_barrier_some_order_of_child_and_parent_sums_wrongly";
    // In a process of its own: a wrong sum is no fault, but the broken text stays loaded.
    let answer = isolated(name, || {
        let wrong = |text: &str, seed| {
            let _order = lanewise::checks::Checking::default().seed(seed).start();
            sums_of(text) != [256; 4]
        };
        let with = (0..8).filter(|&seed| wrong(ptx, seed)).count();
        let without = (0..8).filter(|&seed| wrong(&broken, seed)).count();
        format!("{with} {}", without > 0)
    });
    assert_eq!(
        answer.text, "0 true",
        "wrong sums with the barrier, and whether there are any without"
    );
}

/// A launch that finds no room is not lost: the kernel ends, and the error says what to do.
#[test]
fn a_launch_beyond_the_pending_ones_ends_the_kernel() {
    if tests::simulator("the limit of pending launches", "a GPU rounds the limit up").is_none() {
        return;
    }
    let answer = isolated(
        "execution::nested_reduce::a_launch_beyond_the_pending_ones_ends_the_kernel",
        || {
            let device = tests::device();
            device.set_pending_launches(3).expect("a limit");
            let stream = device.stream().expect("a stream");
            let mut data = DeviceBuffer::from_slice(&device, &[1; 1024]).expect("memory");
            let mut sums = DeviceBuffer::<i32>::zeroed(&device, 4).expect("memory");
            let config = LaunchConfig::new(4, 256);
            stream
                .launch(recursive_reduce, config, (&mut data, &mut sums))
                .expect("the launch itself is right");
            let error = sums.to_vec().expect_err("the fourth block has no room");
            format!("{:#}", anyhow::Error::from(error))
        },
    );
    for part in [
        "CUDA_ERROR_ASSERT",
        "the host must allow more pending launches",
    ] {
        assert!(answer.text.contains(part), "no {part:?} in {}", answer.text);
    }
}

/// CUDA takes no kernel that could launch in a body: the library says so for one that is launched
/// there, and the driver for one that comes in a graph.
#[test]
fn a_body_of_a_conditional_node_has_no_kernel_that_launches() {
    let device = tests::device();
    let mut data = DeviceBuffer::from_slice(&device, &[1i32; 64]).expect("memory");
    let mut sums = DeviceBuffer::<i32>::zeroed(&device, 1).expect("memory");
    let config = LaunchConfig::new(1, 64);
    let mut refused = None;
    let built = device.build_graph(|graph| {
        let (condition, _) = graph.condition(1)?;
        graph.if_then(&[], condition, |body| {
            let launched = body.launch(&[], recursive_reduce, config, (&mut data, &mut sums));
            refused = Some(launched.map(drop));
            Ok(())
        })?;
        Ok(())
    });
    built.expect("the graph itself");
    assert!(
        matches!(
            refused,
            Some(Err(GraphError::LaunchesInBody {
                kernel: "recursive_reduce"
            }))
        ),
        "{refused:?}"
    );
    let (inner, _) = device
        .build_graph(|graph| {
            let launched = graph.launch(&[], recursive_reduce, config, (&mut data, &mut sums));
            launched.map(drop)
        })
        .expect("a graph with a kernel that launches");
    inner.instantiate().expect("such a graph by itself");
    let (outer, _) = device
        .build_graph(|graph| {
            let (condition, _) = graph.condition(1)?;
            graph.if_then(&[], condition, |body| body.child(&[], &inner).map(drop))?;
            Ok(())
        })
        .expect("the graph itself");
    let error = outer.instantiate().expect_err("its body launches");
    let text = format!("{error}: {:?}", std::error::Error::source(&error));
    assert!(text.contains("CUDA_ERROR_INVALID_VALUE"), "{text}");
}
