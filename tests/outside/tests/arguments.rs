//! Attempts to break the library by its arguments: too short, of another shape or device, swapped
//! after they were checked, used by two streams, gone before a graph runs. Each call is refused
//! before anything runs, or computes what it says. All of it is safe code.
#![forbid(unsafe_code)]

use std::error::Error;
use std::mem::{replace, swap};

use lanewise::checks::{self, Checking};
use lanewise::tensor_map::{TensorMap, TensorMapMut, Tiles};
use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig, Stream, Zeroable};
use lanewise_algorithms::{
    Attention, ByKey, Fft, Fold, Gemm, Gemv, Linear, MeanVariance, Moments, NormBackward, NotZero,
    Order, Reduction, Relu, Scan, SegmentedSort, Select, Sort, SortPairs, SparseMatrix, Strides,
    cross_entropy, gather, histogram_bytes, histogram_even, layer_norm, scatter, softmax,
    softmax_backward, top_of_rows, transpose,
};
use lanewise_std::collective::Sum;
use lanewise_std::half::Bf16;
use lanewise_std::vector::{Float2, Float4};
use own_kernels::{
    corners, doubled_vectors, numbered_in_fours, numbered_in_planes, numbered_in_threes,
};

type Done = Result<(), Box<dyn Error>>;

/// Two devices, and a stream of the first one.
struct Place {
    device: Device,
    other: Device,
    stream: Stream,
}

impl Place {
    /// Returns the numbers from 0 on.
    fn words(&self, n: usize) -> DeviceBuffer<u32> {
        let words: Vec<_> = (0..n as u32).collect();
        DeviceBuffer::from_slice(&self.device, &words).expect("a buffer")
    }

    fn zeros<T: lanewise::DeviceCopy + Zeroable>(&self, n: usize) -> DeviceBuffer<T> {
        DeviceBuffer::zeroed(&self.device, n).expect("a buffer")
    }

    fn floats(&self, n: usize) -> DeviceBuffer<f32> {
        self.zeros(n)
    }

    fn halves(&self, n: usize) -> DeviceBuffer<Bf16> {
        self.zeros(n)
    }

    /// Returns a matrix of 3 x 2 with four elements.
    fn sparse(&self) -> SparseMatrix<f32> {
        let (starts, columns) = ([0, 1, 3, 4], [0, 0, 1, 1]);
        SparseMatrix::new(&self.device, 2, &starts, &columns, &[1.0; 4]).expect("a matrix")
    }

    /// Sorts numbers in a workspace for so many, into a buffer of so many.
    fn sort(&self, workspace: usize, input: &DeviceBuffer<u32>, output: usize) -> Done {
        let mut sort = Sort::new(&self.device, workspace)?;
        Ok(sort.sort(
            &self.stream,
            Order::Descending,
            input,
            &mut self.words(output),
        )?)
    }

    /// Two heads of 4 queries of 64 elements, with these strides of the results.
    fn attention(&self, row: usize, head: usize, batch: usize) -> Done {
        let mut of = Attention::new(2, 4, 4, 64);
        of.strides[3] = Some(Strides { row, head, batch });
        let [queries, keys, values] = [512; 3].map(|n| self.halves(n));
        Ok(of.forward(
            &self.stream,
            &queries,
            &keys,
            &values,
            &mut self.halves(512),
        )?)
    }

    /// Numbers rows of seven columns by planes.
    fn planes(&self, rows: usize, grid: (u32, u32, u32), block: (u32, u32, u32)) -> Done {
        let mut output = self.words(7 * rows);
        let config = LaunchConfig::new(grid, block);
        Ok(self.stream.launch(
            numbered_in_planes,
            config,
            (output.matrix_mut(7),),)?)
    }
}

/// An attempt, and a part of the error or the name of what is tried.
type Attempt = (&'static str, fn(&Place) -> Done);

macro_rules! attempts {
    ($name:ident($p:ident): $($what:literal => $body:block)*) => {
        const $name: &[Attempt] = &[$(($what, |$p| { $body; Ok(()) })),*];
    };
}

attempts! { REFUSED(p):
    // Outputs and workspaces that are too short.
    "a workspace of at least 9" => { p.sort(8, &p.words(9), 9)? }
    "an output of at least 9" => { p.sort(9, &p.words(9), 8)? }
    "at least 9 elements" => {
        let (from, to) = ((&p.words(9), &p.words(8)), (&mut p.words(9), &mut p.words(9)));
        SortPairs::new(&p.device, 9)?.sort(&p.stream, Order::Ascending, from, to)?
    }
    "a workspace" => {
        Scan::new(&p.device, 0)?.inclusive(&p.stream, Sum, &p.words(100_000), &mut p.words(100_000))?
    }
    "at least 1 elements" => {
        Select::new(&p.device, 9)?.select(&p.stream, NotZero, &p.words(9), &mut p.words(9), &mut p.zeros(0))?
    }
    "at least 9 elements" => {
        Select::new(&p.device, 9)?.partition(&p.stream, NotZero, &p.words(9), &mut p.words(3), &mut p.zeros(1))?
    }
    "at least 1 elements" => { Reduction::new(&p.device)?.reduce(&p.stream, Sum, &p.words(9), &mut p.words(0))? }
    "at least 1 elements" => {
        Fold::new(&p.device)?.fold(&p.stream, MeanVariance, &p.floats(9), &mut p.zeros::<Moments>(0))?
    }
    "at least 9 elements" => {
        ByKey::new(&p.device, 9)?.inclusive(&p.stream, Sum, &p.words(9), &p.words(8), &mut p.words(9))?
    }
    "segments of at least 2" => {
        let (keys, starts) = (p.words(9), p.words(3));
        SegmentedSort::new(&p.device, 9, 1)?.sort(&p.stream, Order::Ascending, &keys, &starts, &mut p.words(9))?
    }
    "an output of at least 3" => { gather(&p.stream, &p.words(3), &p.words(3), &mut p.words(2))? }
    "an input of at least 3" => { scatter(&p.stream, &p.words(2), &p.words(3), &mut p.words(3))? }
    "bins of at least 256" => { histogram_bytes(&p.stream, &p.zeros(9), &mut p.words(255))? }
    "a row of at least 4" => {
        top_of_rows(&p.stream, Order::Ascending, 4, &p.words(9), 3, (&mut p.words(12), &mut p.words(12)))?
    }
    "places of at least 6" => {
        top_of_rows(&p.stream, Order::Ascending, 2, &p.words(9), 3, (&mut p.words(6), &mut p.words(5)))?
    }
    "an output of at least 9" => { transpose(&p.stream, &p.words(9), 3, &mut p.words(8))? }
    "a beta of at least 4" => {
        layer_norm(&p.stream, &p.floats(8), (&p.floats(4), &p.floats(3)), 0.0, &mut p.floats(8))?
    }
    "an output of at least 8" => { softmax(&p.stream, &p.floats(8), 4, &mut p.floats(7))? }
    "a dy of at least 8" => { softmax_backward(&p.stream, &p.floats(8), &p.floats(7), 4, &mut p.floats(8))? }
    "a workspace" => {
        let (x, dy, gamma) = (p.floats(8), p.floats(8), p.floats(4));
        let (dx, of_gamma) = (&mut p.floats(8), &mut p.floats(4));
        NormBackward::new(&p.device, 0)?.rms_norm(&p.stream, &x, &dy, &gamma, 0.0, dx, of_gamma)?
    }
    "logits of at least 12" => { cross_entropy(&p.stream, &p.floats(8), 4, &p.words(3), &mut p.floats(3))? }
    "an x of at least 2" => {
        p.sparse().multiply(&p.stream, [1.0, 0.0], &p.floats(1), &mut p.floats(3))?
    }
    // Shapes that no buffer has, and that are none.
    "an A of at least" => {
        let of = Gemm { batch: u32::MAX, ..Gemm::new(u32::MAX, 1, u32::MAX) };
        of.multiply(&p.stream, &p.floats(9), &p.floats(9), &mut p.floats(9))?
    }
    "an A of at least" => {
        Gemv::new(u32::MAX, u32::MAX).multiply(&p.stream, &p.floats(9), &p.floats(9), &mut p.floats(9))?
    }
    "a y of at least 3" => {
        Gemv::new(2, 3).multiply_transposed(&p.stream, &p.floats(6), &p.floats(2), &mut p.floats(2))?
    }
    "a bias of at least 8" => {
        let (x, weights, bias) = (p.halves(16), p.halves(64), p.halves(7));
        Linear::new(2, 8, 8).forward(&p.stream, Relu, &x, &weights, Some(&bias), &mut p.halves(16))?
    }
    "a power of two" => { Fft::<Float2>::new(&p.device, 3, 1)? }
    "a power of two" => { Fft::<Float2>::new(&p.device, 1 << 21, 1)? }
    "not whole" => { Fft::<Float2>::new(&p.device, 8, 1)?.forward(&p.stream, &p.zeros(12), &mut p.zeros(12))? }
    "row 1" => { SparseMatrix::new(&p.device, 2, &[0, 3, 1], &[0, 1, 0], &[1.0f32; 3])? }
    "column 2" => { SparseMatrix::new(&p.device, 2, &[0, 1, 2], &[0, 2], &[1.0f32; 2])? }
    "begins at 0" => { SparseMatrix::new(&p.device, 2, &[1, 2], &[0, 1], &[1.0f32; 2])? }
    "starts of at least 1" => { SparseMatrix::<f32>::new(&p.device, 2, &[], &[], &[])? }
    // Results of which two are in one place, and results past the end.
    "not to be stored with" => { p.attention(0, 0, 0)? }
    "not to be stored with" => { p.attention(64, 64, 512)? }
    "reaches to byte" => { p.attention(64, 1 << 40, 512)? }
    "reaches to byte" => { p.attention(usize::MAX, usize::MAX, usize::MAX)? }
    // Of another device, and swapped after they were checked.
    "device" => { p.sort(9, &DeviceBuffer::zeroed(&p.other, 9)?, 9)? }
    "device" => { Sort::new(&p.other, 9)?.sort(&p.stream, Order::Ascending, &p.words(9), &mut p.words(9))? }
    "values of at least 4" => {
        let mut matrix = p.sparse();
        *matrix.values_mut() = p.floats(3);
        matrix.multiply(&p.stream, [1.0, 0.0], &p.floats(2), &mut p.floats(3))?
    }
    "device" => {
        let mut matrix = p.sparse();
        drop(replace(matrix.values_mut(), DeviceBuffer::zeroed(&p.other, 4)?));
        matrix.multiply(&p.stream, [1.0, 0.0], &p.floats(2), &mut p.floats(3))?
    }
    "has been dropped" => {
        let mut sort = Sort::new(&p.device, 5000)?;
        let (input, mut output) = (p.words(5000), p.words(5000));
        let graph = p.device.record(|record| Ok(sort.sort(record, Order::Descending, &input, &mut output)?))?;
        drop((sort, input));
        graph.launch(&p.stream)?
    }
    // Boxes and vectors that are not the kernel's.
    "boxes" => {
        let (numbers, mut found) = (p.words(64), p.words(2));
        let map = TensorMap::new(&numbers, Tiles::new([8, 8], [4, 4]))?;
        p.stream.launch(corners, LaunchConfig::new(2, 32), (&map, &mut found))?
    }
    "reaches to byte" => { TensorMap::new(&p.words(63), Tiles::new([8, 8], [8, 4])).map(drop)? }
    "not to be stored with" => {
        TensorMapMut::new(&mut p.words(64), Tiles::new([8, 8], [8, 4]).strides(&[16])).map(drop)?
    }
    "vector" => {
        let (input, mut output) = (p.floats(9), p.floats(8));
        let odd = input.slice(1..9);
        let arguments = (&odd.as_vectors::<Float4>()?, &mut output.as_vectors_mut::<Float4>()?);
        p.stream.launch(doubled_vectors, LaunchConfig::new(1, 32), arguments)?
    }
}

attempts! { RIGHT(p):
    "groups of three in grids and blocks of three dimensions" => {
        let config = LaunchConfig::new((2, 3, 2), (5, 3, 2));
        p.stream.launch(numbered_in_threes, config, (&mut p.words(1000),))?
    }
    "groups of four where there are three elements" => {
        p.stream.launch(numbered_in_fours, LaunchConfig::new(3, 33), (&mut p.words(3),))?
    }
    "groups of four from an element at which no vector begins" => {
        let mut output = p.words(130);
        p.stream.launch(numbered_in_fours, LaunchConfig::new(2, 7), (&mut output.slice_mut(1..),))?
    }
    "more planes than rows" => { p.planes(7, (1, 1, 9), (8, 8, 1))? }
    "planes that do not divide the rows" => { p.planes(7, (2, 1, 3), (4, 2, 1))? }
    "planes in blocks of several threads along z" => { p.planes(8, (1, 2, 2), (3, 3, 3))? }
    "a workspace of two streams" => {
        let (second, mut sort) = (p.device.stream()?, Sort::new(&p.device, 5000)?);
        let (input, mut one, mut two) = (p.words(5000), p.words(5000), p.words(5000));
        sort.sort(&p.stream, Order::Descending, &input, &mut one)?;
        sort.sort(&second, Order::Ascending, &input, &mut two)?;
        assert!(one.to_vec()?.is_sorted_by(|a, b| a > b) && two.to_vec()?.is_sorted())
    }
    "a workspace of a graph and of a stream" => {
        let mut scan = Scan::new(&p.device, 5000)?;
        let (input, mut one, mut two) = (p.words(5000), p.words(5000), p.words(5000));
        let graph = p.device.record(|record| Ok(scan.inclusive(record, Sum, &input, &mut one)?))?;
        graph.launch(&p.stream)?;
        scan.inclusive(&p.device.stream()?, Sum, &input, &mut two)?;
        graph.launch(&p.stream)?;
        assert_eq!(one.to_vec()?, two.to_vec()?)
    }
    "an input that another stream overwrites, and that is dropped" => {
        let (mut input, mut output) = (p.words(5000), p.words(5000));
        Sort::new(&p.device, 5000)?.sort(&p.stream, Order::Descending, &input, &mut output)?;
        p.device.stream()?.fill_zero(&mut input)?;
        drop(input);
        assert_eq!(output.to_vec()?[0], 4999)
    }
    "values of another matrix" => {
        let (mut one, mut two) = (p.sparse(), p.sparse());
        swap(one.values_mut(), two.values_mut());
        let ones = DeviceBuffer::from_slice(&p.device, &[1.0; 2])?;
        let mut y = p.floats(3);
        one.multiply(&p.stream, [1.0, 0.0], &ones, &mut y)?;
        drop(two);
        assert_eq!(y.to_vec()?, [1.0, 2.0, 1.0])
    }
    "no bins, of more numbers than there are" => {
        histogram_even(&p.stream, &p.zeros(9), i32::MIN, u32::MAX, &mut p.words(0))?
    }
    "no rows, no columns, nothing at all" => {
        softmax(&p.stream, &p.floats(8), 0, &mut p.floats(8))?;
        transpose(&p.stream, &p.words(8), 0, &mut p.words(8))?;
        top_of_rows(&p.stream, Order::Ascending, 0, &p.words(8), 0, (&mut p.words(0), &mut p.words(0)))?;
        Gemm::new(0, 3, 0).multiply(&p.stream, &p.floats(0), &p.floats(0), &mut p.floats(0))?;
        Gemv::new(0, 0).multiply_transposed(&p.stream, &p.floats(0), &p.floats(0), &mut p.floats(0))?;
        Fft::<Float2>::new(&p.device, 1 << 12, 0)?.forward(&p.stream, &p.zeros(0), &mut p.zeros(0))?;
        let none = p.words(0);
        SegmentedSort::new(&p.device, 0, 0)?.sort(&p.stream, Order::Ascending, &none, &none, &mut p.words(0))?
    }
}

/// Returns an error and its causes.
fn text(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.map(|cause| format!("{cause}; ")).collect()
}

#[test]
fn each_attempt_is_refused_or_right() -> Done {
    lanewise::simulate_devices(2);
    let device = Device::open()?;
    if device.backend() == Backend::Cuda {
        return Ok(()); // it checks nothing, and may be the only one
    }
    let (other, stream) = (Device::at(1)?, device.stream()?);
    let place = Place {
        device,
        other,
        stream,
    };
    let mut wrong = Vec::new();
    for (number, (expected, attempt)) in REFUSED.iter().enumerate() {
        let outcome = attempt(&place).map_or_else(|error| text(&*error), |()| "passed".into());
        if !outcome.contains(expected) {
            wrong.push(format!("attempt {number}, {expected}: {outcome}"));
        }
    }
    for (name, attempt) in RIGHT {
        let checked = || -> Done {
            attempt(&place)?;
            Ok(place.stream.synchronize()?)
        };
        match checks::of(&place.device, Checking::all(), checked) {
            Ok(((), found)) => {
                wrong.extend(found.iter().flatten().map(|it| format!("{name}: {it}")))
            }
            Err(error) => wrong.push(format!("{name}: {}", text(&*error))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
