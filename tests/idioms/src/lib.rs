//! Ordinary kernels, written as a Rust user writes them: slices, `a[i]`, iterators, `x.exp()`,
//! structures. None is tuned. They measure what the compiler and the device library make of such
//! code: by the first thirty-six, the compiler was tuned; the others, most of them of the training
//! of a language model, were written after that. `twins/second.cu` has these in CUDA C++.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`kernels`] | the kernels, by group; the kernels that make their data and their checksums |
//! | [`cases`] | for each kernel: its data, its launch, its checksum, and the same on the CPU |
//! | [`measure`] | buffers of made data, medians of launches, checksums on the device |
//! | [`table`] | the book's table beside nvcc, made from recorded runs |
//!
//! The program `idioms` prints one line for each kernel: name, median in milliseconds, checksum.
//! The test runs all of them at small sizes against the CPU.

pub mod cases;
pub mod kernels;
pub mod measure;
pub mod table;
