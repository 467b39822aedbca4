//! Code: the images that a program loads, the modules and functions made of them, and launches.
//!
//! From the bottom: `bytes`, `cubin`, `fatbin` and `image` say what an image is; `jit_options` and
//! `link` are what a program asks of its compilation; `module` and `library` hold what was loaded,
//! `texture_reference` what a module's textures are bound to, and `launch` runs a function.

mod bytes;
pub(crate) mod cubin;
pub(crate) mod fatbin;
pub(crate) mod image;
pub(crate) mod jit_options;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod module;
pub(crate) mod texture_reference;
