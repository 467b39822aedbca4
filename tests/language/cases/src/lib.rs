#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, portable_simd))]
#![allow(
    clippy::style,
    clippy::complexity,
    clippy::perf,
    unnecessary_transmutes,
    unstable_name_collisions,
    reason = "things are written here in every way that the language has, not in the best"
)]
//! Rust, in small functions: a file a subject, and for each subject a kernel.
//!
//! A case takes seeded inputs and gives results. It is a plain function, compiled for the host as
//! everything else is and for the device through the whole pipeline; the package `language` runs
//! both and compares.

lanewise_std::module!();

mod buffer;
mod case;
mod out;
mod random;

pub mod atomics;
pub mod control;
pub mod enums;
pub mod expressions;
pub mod floats;
pub mod formats;
pub mod functions;
pub mod generics;
pub mod heap;
pub mod integers;
pub mod iterators;
pub mod memory;
pub mod overflow;
pub mod results;
pub mod simd;
pub mod slices;
pub mod text;

pub use case::{Case, WORDS, seed_of};
pub use out::{Out, Put};
pub use random::Random;
