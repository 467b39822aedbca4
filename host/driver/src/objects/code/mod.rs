//! Code: the images that a program loads, the modules and functions made of them, and launches.
//!
//! From the bottom up: `bytes`, `cubin`, `fatbin` and `image` read images. `jit_options` and
//! `link` are for the options of a compilation and for linking. `module` and `library` contain
//! loaded code. `texture_reference` has the textures bound to a module's variables. `launch`
//! runs a function.

mod bytes;
pub(crate) mod cubin;
pub(crate) mod fatbin;
pub(crate) mod image;
pub(crate) mod jit_options;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod module;
pub(crate) mod panics;
pub(crate) mod texture_reference;
