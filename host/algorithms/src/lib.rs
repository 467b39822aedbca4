//! Algorithms on a GPU: reductions, scans, and what is built from them.
//!
//! Each algorithm is a structure that holds its workspace. It is made for a number of elements, and
//! its calls allocate nothing. They queue their kernels on a [`Stream`](lanewise::Stream) or record
//! them in a graph ([`Queue`]), on a GPU or on the simulator.
//!
//! | algorithm | what it computes |
//! | --- | --- |
//! | [`Reduction`] | all elements combined: sum, minimum, maximum |
//! | [`Fold`] | the place of the least or the greatest element; mean and variance |
//! | [`Scan`] | each element combined with all before it |
//! | [`ByKey`] | scans and reductions of each run of equal keys; the runs' lengths |
//! | [`Select`] | the elements that a predicate keeps, a partition, the first of each run |
//! | [`Sort`], [`SortPairs`] | the keys in their order, with their values |
//! | [`SegmentedSort`] | the keys of each segment in their order |
//! | [`top_of_rows`] | the first few elements of each row in their order, with their places |
//! | [`histogram_bytes`], [`histogram_even`] | how often each value occurs |
//! | [`gather()`], [`scatter()`] | elements from given places, or to given places |
//! | [`transpose()`] | the columns of a matrix as rows |
//! | [`Gemm`], [`Gemv`], [`SparseMatrix`] | products of matrices, and of a matrix and a vector |
//! | [`Linear`] | layers of networks: a product with a bias and a function |
//! | [`Attention`] | attention of heads of queries, keys and values |
//! | [`softmax`], [`layer_norm`], [`rms_norm`] | of each row of a matrix |
//! | [`softmax_backward`], [`NormBackward`] | their gradients |
//! | [`cross_entropy()`], [`cross_entropy_backward`] | losses of rows of logits, and their gradient |
//! | [`Fft`], [`RealFft`], [`Fft2d`] | Fourier transforms, of reals too, and in two dimensions |
//! | [`Philox`] | random numbers |
//!
//! ```
//! use lanewise::{Device, DeviceBuffer};
//! use lanewise_algorithms::{Reduction, Scan};
//! use lanewise_std::collective::Sum;
//!
//! let device = Device::open()?;
//! let stream = device.stream()?;
//! let numbers = DeviceBuffer::from_slice(&device, &[3, 1, 4, 1, 5])?;
//!
//! let mut sum = DeviceBuffer::<i32>::zeroed(&device, 1)?;
//! Reduction::new(&device)?.reduce(&stream, Sum, &numbers, &mut sum)?;
//! assert_eq!(sum.to_vec()?, [14]);
//!
//! let mut sums = DeviceBuffer::<i32>::zeroed(&device, 5)?;
//! Scan::new(&device, 5)?.inclusive(&stream, Sum, &numbers, &mut sums)?;
//! assert_eq!(sums.to_vec()?, [3, 4, 8, 9, 14]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attention;
mod by_key;
mod cross_entropy;
mod error;
mod fft;
mod fold;
mod gather;
mod gemm;
mod gemm_halves;
mod gemv;
mod histogram;
pub mod kernels;
mod linear;
mod queue;
mod random;
mod reduction;
mod rows;
mod scan;
mod segmented;
mod select;
mod sort;
mod sparse;
mod top;
mod transpose;

pub use attention::{Attention, AttentionElement, Strides};
pub use by_key::ByKey;
pub use cross_entropy::{cross_entropy, cross_entropy_backward};
pub use error::Error;
pub use fft::{Fft, Fft2d, RealFft, Transformed};
pub use fold::Fold;
pub use gather::{gather, scatter};
pub use gemm::{Factor, Gemm};
pub use gemv::Gemv;
pub use histogram::{histogram_bytes, histogram_even};
pub use kernels::fft::Complex;
pub use kernels::gemv::Term;
pub use kernels::rows::Element;
pub use lanewise_algorithms_generic::by_key::ByKeyKernels;
pub use lanewise_algorithms_generic::fold::{
    ArgMax, ArgMin, FoldKernels, MeanVariance, Moments, Place,
};
pub use lanewise_algorithms_generic::reduce::ReduceKernel;
pub use lanewise_algorithms_generic::scan::ScanKernel;
pub use lanewise_algorithms_generic::select::{NotZero, SelectKernels};
pub use lanewise_algorithms_generic::{Folding, Monoid, Number, Predicate};
pub use lanewise_algorithms_tensor::epilogue::{Activation, Gelu, Identity, Relu, Silu};
pub use linear::{LayerElement, Linear};
pub use queue::Queue;
pub use random::{Philox, Random};
pub use reduction::Reduction;
pub use rows::{
    COLUMNS, NormBackward, RowElement, layer_norm, rms_norm, softmax, softmax_backward,
};
pub use scan::Scan;
pub use segmented::SegmentedSort;
pub use select::Select;
pub use sort::{Key, Order, Sort, SortPairs};
pub use sparse::SparseMatrix;
pub use top::top_of_rows;
pub use transpose::transpose;
