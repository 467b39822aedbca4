//! A matrix that the tensor memory accelerator copies in boxes, to shared memory and back.

use anyhow::Result;
use gpu::tensor::tma_copy::{COLUMNS, ROWS, THREADS, tma_copy};
use lanewise::tensor_map::{TensorMap, TensorMapMut, Tiles};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "tma_copy",
    chapter: "tensor",
    summary: "boxes of a matrix on their way while others are worked on, by the tensor memory accelerator",
    source: "CUDA C++ Programming Guide, Tensor Memory Accelerator",
    size: Size {
        of: "rows and columns",
        is_square: true,
        default: 256,
        bench: Some(16384),
    },
    variants: &[Variant::new("tma_copy", TmaCopy::prepare)],
};

/// The number of blocks for each multiprocessor. The grid strides over the boxes.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

/// The factor by which the elements are multiplied.
const FACTOR: f32 = 2.0;

struct TmaCopy {
    device: Device,
    /// The columns and rows. Rows of the buffers begin `pitch` elements apart.
    size: [usize; 2],
    pitch: usize,
    input: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
    expected: Vec<f32>,
}

impl TmaCopy {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let (nx, ny) = setup.matrix()?;
        // The hardware requires that rows begin at multiples of 16 bytes.
        let pitch = nx.next_multiple_of(4);
        let input = input::floats(pitch * ny, setup.seed);
        // Each row ends with padding. The zeros that are read past the end of the input's row
        // are written there.
        let element = |i: usize| match i % pitch < nx {
            true => FACTOR * input[i],
            false => 0.0,
        };
        let expected = setup.expected(|| (0..pitch * ny).map(element).collect());
        Ok(Box::new(Self {
            device: device.clone(),
            size: [nx, ny],
            pitch,
            output: DeviceBuffer::zeroed(device, input.len())?,
            input: DeviceBuffer::from_slice(device, &input)?,
            expected,
        }))
    }
}

impl Case for TmaCopy {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [nx, ny] = self.size;
        if nx * ny == 0 {
            return Ok(()); // no tensor map has an empty dimension
        }
        let tiles = |columns| {
            Tiles::new([columns, ny], [COLUMNS as u32, ROWS as u32]).strides(&[4 * self.pitch])
        };
        let (read, written) = (tiles(nx), tiles(self.pitch)); // stores write whole pieces of 16 bytes
        let input = TensorMap::new(&self.input, read)?;
        let mut output = TensorMapMut::new(&mut self.output, written)?;
        let across = u32::try_from(nx.div_ceil(COLUMNS))?;
        let boxes = across * u32::try_from(ny.div_ceil(ROWS))?;
        let most = self.device.properties().multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
        let config = LaunchConfig::new(boxes.min(most), THREADS);
        let arguments = (&input, &mut output, across, boxes, FACTOR);
        Ok(stream.launch(tma_copy, config, arguments)?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(&self.output.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(2 * 4 * (self.size[0] * self.size[1]) as u64)
    }
}
