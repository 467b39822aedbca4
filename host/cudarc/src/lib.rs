//! Kernels that are written in Rust, for programs that use [`cudarc`].
//!
//! `#[kernel]` makes a typed handle of each kernel: its type has the parameters and the launch
//! contract, and names the PTX that the build script has embedded. [`Kernels`] loads that PTX into
//! a context of cudarc and launches the kernel on a stream of cudarc. The compiler checks the
//! arguments against the kernel's own signature, and a safe kernel is launched without `unsafe`:
//!
//! ```no_run
//! use cudarc::driver::{CudaContext, LaunchConfig};
//! use kernels::vec_add;
//! use lanewise_cudarc::Kernels;
//!
//! let context = CudaContext::new(0)?;
//! let stream = context.default_stream();
//! let kernels = Kernels::new(&context);
//! let a = stream.clone_htod(&[1.0f32; 1000])?;
//! let b = stream.clone_htod(&[2.0f32; 1000])?;
//! let mut c = stream.alloc_zeros::<f32>(1000)?;
//! kernels.launch(&stream, vec_add, LaunchConfig::for_num_elems(1000), (&a, &b, &mut c))?;
//! assert_eq!(stream.clone_dtoh(&c)?, [3.0; 1000]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | the kernel takes | the program passes |
//! | --- | --- |
//! | `&[T]` | `&CudaSlice<T>`, `&CudaView<T>` |
//! | `&[AtomicU32]`, `&[Cell<T>]` | `&mut` of these with plain values: `&mut CudaSlice<u32>` |
//! | `DisjointSlice<T>`, `PerBlock<T>`, `PerWarp<T>`, `PartPerBlock<T>`, `GlobalMut<T>` | `&mut CudaSlice<T>`, `&mut CudaViewMut<T>` |
//! | `Matrix<T>` | [`Matrix::new`] of `&CudaSlice<T>`, `&CudaView<T>` |
//! | `DisjointMatrix<T>`, `RowPerBlock<T>` | [`MatrixMut::new`] of `&mut CudaSlice<T>`, `&mut CudaViewMut<T>` |
//! | `*const T`, `*mut T` | `&`, `&mut` of these: the address |
//! | a value: `u32`, any [`Value`](lanewise_std::kernel::Value) | the same value |
//!
//! Textures, tensor maps and kernels that launch kernels need the host library `lanewise`.
//!
//! Memory of another library is a [`Foreign`] slice; [`dlpack`] exchanges tensors with Python.
//!
//! Launches on several streams are ordered as cudarc orders its own copies: by the events of each
//! slice. A program that has switched them off (`CudaContext::disable_event_tracking`, which is
//! unsafe) has promised to order them itself.

mod argument;
pub mod dlpack;
mod error;
mod foreign;
mod kernels;
mod matrix;

pub use argument::{Argument, ArgumentList, Arguments};
pub use cudarc;
pub use error::LaunchError;
pub use foreign::Foreign;
pub use kernels::Kernels;
pub use matrix::{Matrix, MatrixMut};
