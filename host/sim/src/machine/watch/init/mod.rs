//! Uninitialised values: followed from memory through registers to where they decide something.
//!
//! To copy such bytes is no mistake: a structure has gaps, and an enumeration holds less than its
//! size. So loads, stores and moves carry along which bytes are unwritten, byte by byte, and
//! reported is a use: a branch or a vote that depends on them, an address that is made of them, an
//! atomic that takes or changes them, and a store of what was computed from them. Arithmetic alone
//! is none, since compilers compute ahead and throw away; and of a selection only the chosen value
//! counts.
//!
//! Each warp has a list of registers that hold such bytes, which is empty nearly always: then only
//! loads and stores are looked at. Not followed, and taken for written: what goes through textures,
//! parameters of calls and lanes that meet at different instructions. What is stored in `.local`
//! memory counts as copied when it comes back.

mod access;
mod bytes;
mod follow;
mod matrices;
mod report;
mod result;
mod shared_bytes;
mod taint;

pub(in crate::machine) use bytes::ShadowSite;
pub(in crate::machine) use shared_bytes::SharedBytes;
pub(in crate::machine) use taint::Taints;
