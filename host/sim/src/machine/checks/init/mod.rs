//! Uninitialised values, which are followed from memory through registers to where they
//! affect the program.
//!
//! To copy such bytes is no mistake: a structure has padding, and an enumeration may hold less than
//! its size. So loads, stores and moves keep track of the unwritten bytes, byte by byte, and only a
//! use is reported. A use is a branch or a vote that depends on them, an address that is computed
//! from them, an atomic that takes or changes them, and a store of a value that was computed from
//! them. Arithmetic alone is not a use, since compilers compute values speculatively and discard
//! them. Of a selection only the chosen value counts.
//!
//! Each warp has a list of registers that hold such bytes. The list is nearly always empty, and
//! then only loads and stores are looked at. Some values are not followed, and count as
//! written: what goes through textures, parameters of calls and lanes that converge from
//! different instructions. A value that was stored in `.local` memory counts as copied when it
//! is loaded again.

mod access;
mod bytes;
pub(crate) mod flow;
mod follow;
mod matrices;
mod report;
mod result;
mod shared_bytes;
mod taint;

pub(in crate::machine) use bytes::ShadowSite;
pub(in crate::machine) use shared_bytes::SharedBytes;
pub(in crate::machine) use taint::Taints;
