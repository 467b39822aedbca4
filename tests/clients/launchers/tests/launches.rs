//! Launches by `lanewise-cudarc`: what kernels compute, what is refused and in which words, and the
//! order between streams.

use std::error::Error;
use std::sync::Arc;

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaStream, LaunchConfig};
use lanewise_cudarc::{Kernels, LaunchError, Matrix, MatrixMut};
use launchers_client::kernels::{Line, add_line, count, increment, softmax, sums, transpose};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn start() -> Result<(Kernels, Arc<CudaStream>)> {
    let context = CudaContext::new(0)?;
    Ok((Kernels::new(&context), context.new_stream()?))
}

/// A grid of at least one block, of 256 threads each.
fn shape(n: usize) -> LaunchConfig {
    blocks(n.div_ceil(256).max(1) as u32)
}

fn blocks(blocks: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (blocks, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Returns the error's text and that of its source.
fn words(error: &LaunchError) -> (String, String) {
    let source = error.source().map(ToString::to_string);
    (error.to_string(), source.unwrap_or_default())
}

const LINE: Line = Line {
    slope: 2.0,
    offset: 1.0,
};

#[test]
fn every_length_is_computed_whole() -> Result {
    let (kernels, stream) = start()?;
    for n in [0, 1, 255, 257, 10_001] {
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        // CUDA allocates no memory of zero bytes: an empty slice is a part of another.
        let on_device = stream.clone_htod(&[&x[..], &[7.0]].concat())?;
        let mut y = stream.alloc_zeros::<f32>(n + 1)?;
        let arguments = (LINE, &on_device.slice(..n), &mut y.slice_mut(..n));
        kernels.launch(&stream, add_line, shape(n), arguments)?;
        let mut expected: Vec<f32> = x.iter().map(|x| 2.0 * x + 1.0).collect();
        expected.push(0.0);
        assert_eq!(stream.clone_dtoh(&y)?, expected);
    }
    Ok(())
}

// ANCHOR: views
#[test]
fn parts_of_a_slice_are_passed_as_views() -> Result {
    let (kernels, stream) = start()?;
    let x = stream.clone_htod(&[1.0f32; 8])?;
    let mut y = stream.alloc_zeros::<f32>(8)?;
    let mut half = y.slice_mut(4..);
    for _ in 0..2 {
        kernels.launch(
            &stream,
            add_line,
            shape(4),
            (LINE, &x.slice(..4), &mut half),
        )?;
    }
    let expected = [0.0, 0.0, 0.0, 0.0, 6.0, 6.0, 6.0, 6.0];
    assert_eq!(stream.clone_dtoh(&y)?, expected);
    Ok(())
}
// ANCHOR_END: views

#[test]
fn cells_take_a_slice_of_plain_values() -> Result {
    let (kernels, stream) = start()?;
    let numbers: Vec<u8> = (0..5000u32).map(|i| (i % 7) as u8).collect();
    let numbers = stream.clone_htod(&numbers)?;
    let mut counts = stream.alloc_zeros::<u32>(7)?;
    kernels.launch(&stream, count, shape(1000), (&numbers, &mut counts))?;
    assert_eq!(
        stream.clone_dtoh(&counts)?,
        [715, 715, 714, 714, 714, 714, 714]
    );
    Ok(())
}

#[test]
fn matrices_are_slices_with_a_length_of_rows() -> Result {
    let (kernels, stream) = start()?;
    let input: Vec<f32> = (0..15).map(|i| i as f32).collect();
    let on_device = stream.clone_htod(&input)?;
    let mut output = stream.alloc_zeros::<f32>(15)?;
    let rows = (Matrix::new(&on_device, 5), MatrixMut::new(&mut output, 5));
    kernels.launch(&stream, softmax, blocks(3), rows)?;
    for row in stream.clone_dtoh(&output)?.chunks(5) {
        let sum: f32 = row.iter().sum();
        assert!((sum - 1.0).abs() < 1e-6, "{row:?}");
        assert!(row.is_sorted(), "{row:?}");
    }
    let config = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (8, 8, 1),
        shared_mem_bytes: 0,
    };
    let plane = (Matrix::new(&on_device, 5), MatrixMut::new(&mut output, 3));
    kernels.launch(&stream, transpose, config, plane)?;
    let expected: Vec<f32> = (0..15).map(|i| input[i % 3 * 5 + i / 3]).collect();
    assert_eq!(stream.clone_dtoh(&output)?, expected);
    Ok(())
}

#[test]
fn a_launch_waits_for_another_stream_that_wrote_its_argument() -> Result {
    let (kernels, first) = start()?;
    let second = kernels.context().new_stream()?;
    let ones = first.clone_htod(&[1.0f32; 4096])?;
    let mut y = first.alloc_zeros::<f32>(4096)?;
    for turn in 0..16 {
        let stream = [&first, &second][turn % 2];
        kernels.launch(stream, add_line, shape(4096), (LINE, &ones, &mut y))?;
    }
    assert_eq!(second.clone_dtoh(&y)?, [48.0; 4096]);
    Ok(())
}

// ANCHOR: lengths
#[test]
fn lengths_that_break_the_contract_are_refused_with_the_clause() -> Result {
    let (kernels, stream) = start()?;
    let x = stream.clone_htod(&[1.0f32; 7])?;
    let mut y = stream.alloc_zeros::<f32>(8)?;
    let refused = kernels.launch(&stream, add_line, shape(8), (LINE, &x, &mut y));
    let (error, source) = words(&refused.unwrap_err());
    assert!(
        error.starts_with("`add_line` was launched with LaunchConfig"),
        "{error}"
    );
    assert_eq!(
        source,
        "`len(x) == len(y)` does not hold: expected 8 elements, found 7"
    );
    assert_eq!(stream.clone_dtoh(&y)?, [0.0; 8]);
    Ok(())
}
// ANCHOR_END: lengths

#[test]
fn shapes_that_break_the_contract_are_refused() -> Result {
    let (kernels, stream) = start()?;
    let numbers = stream.clone_htod(&[1u32; 100])?;
    let mut out = stream.alloc_zeros::<u32>(4)?;
    let mut launch = |grid_dim, block_dim| {
        let config = LaunchConfig {
            grid_dim,
            block_dim,
            shared_mem_bytes: 0,
        };
        kernels.launch(&stream, sums, config, (&numbers, &mut out))
    };
    let (error, _) = words(&launch((1, 1, 1), (512, 1, 1)).unwrap_err());
    assert_eq!(
        error,
        "kernel `sums` has #[launch_bounds(256)] and was launched with 512 threads a block: use blocks of at most 256"
    );
    let (_, source) = words(&launch((1, 1, 1), (33, 1, 1)).unwrap_err());
    assert_eq!(
        source,
        "blocks have 33 threads, which is not a multiple of 32"
    );
    let (_, source) = words(&launch((1, 1, 1), (32, 2, 1)).unwrap_err());
    assert!(
        source.starts_with("the launch has to be 1-dimensional"),
        "{source}"
    );
    // A grid of no blocks breaks no contract, and the driver refuses it.
    let refused = launch((0, 1, 1), (32, 1, 1)).unwrap_err();
    assert!(
        matches!(refused, LaunchError::Driver { kernel: "sums", .. }),
        "{refused}"
    );
    launch((4, 1, 1), (32, 1, 1))?;
    assert_eq!(stream.clone_dtoh(&out)?, [32, 32, 32, 4]);
    Ok(())
}

#[test]
fn a_stream_or_a_slice_of_another_context_is_refused() -> Result {
    let (kernels, stream) = start()?;
    let (_, other) = start()?;
    let x = other.clone_htod(&[1.0f32; 4])?;
    let mut y = stream.alloc_zeros::<f32>(4)?;
    let refused = kernels.launch(&other, add_line, shape(4), (LINE, &x, &mut y));
    let (error, _) = words(&refused.unwrap_err());
    assert!(
        error.starts_with("the stream of the launch of `add_line` belongs to another"),
        "{error}"
    );
    let refused = kernels.launch(&stream, add_line, shape(4), (LINE, &x, &mut y));
    let (error, _) = words(&refused.unwrap_err());
    assert!(
        error.starts_with("argument `x` of the launch of `add_line` belongs to another"),
        "{error}"
    );
    Ok(())
}

#[test]
fn a_slice_at_an_odd_address_is_refused() -> Result {
    let (kernels, stream) = start()?;
    let bytes = stream.alloc_zeros::<u8>(20)?;
    let part = bytes.slice(1..);
    // SAFETY: every pattern of bits is an `f32`, and nothing reads these.
    let x = unsafe { part.transmute::<f32>(4) }.expect("19 bytes");
    let mut y = stream.alloc_zeros::<f32>(4)?;
    let refused = kernels.launch(&stream, add_line, shape(4), (LINE, &x, &mut y));
    let (error, _) = words(&refused.unwrap_err());
    assert!(
        error.starts_with(
            "argument `x` of `add_line`: expected an address that is a multiple of 4, found 0x"
        ),
        "{error}"
    );
    Ok(())
}

#[test]
fn an_unsafe_kernel_takes_an_address() -> Result {
    let (kernels, stream) = start()?;
    let mut numbers = stream.clone_htod(&[5u32; 6])?;
    let arguments = (&mut numbers, 4u32);
    // SAFETY: the slice has more than four numbers.
    unsafe { kernels.launch_unchecked(&stream, increment, shape(4), arguments) }?;
    assert_eq!(stream.clone_dtoh(&numbers)?, [6, 6, 6, 6, 5, 5]);
    Ok(())
}

#[test]
fn a_graph_is_captured_by_unsafe_launches_alone() -> Result {
    let (kernels, stream) = start()?;
    // SAFETY: one stream uses the slices, and a captured stream cannot wait for earlier events.
    unsafe { kernels.context().disable_event_tracking() };
    let ones = stream.clone_htod(&[1.0f32; 64])?;
    let mut y = stream.alloc_zeros::<f32>(64)?;
    kernels.function(add_line)?;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let refused = kernels.launch(&stream, add_line, shape(64), (LINE, &ones, &mut y));
    let arguments = (LINE, &ones, &mut y);
    // SAFETY: the slices and the kernels are there until the graph is gone.
    let captured = unsafe { kernels.launch_unchecked(&stream, add_line, shape(64), arguments) };
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?;
    assert!(
        matches!(refused, Err(LaunchError::Captured { kernel: "add_line" })),
        "{refused:?}"
    );
    captured?;
    let graph = graph.expect("a graph was captured");
    for _ in 0..2 {
        graph.launch()?;
    }
    assert_eq!(stream.clone_dtoh(&y)?, [6.0; 64]);
    Ok(())
}
