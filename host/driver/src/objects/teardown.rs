//! The end of a context: everything that belongs to it is freed with it.
//!
//! The module of contexts does not use those of modules, memory and textures; these use it. The end
//! of a context needs all of them, so it is in this file.

use super::code::{module, texture_reference};
use super::context::Context;
use super::handle::ledger;
use super::memory::{self, ipc};
use super::stream::event;
use super::texture::{self, array};

/// Waits for the context's work, then frees all that belongs to it.
pub(crate) fn destroy(context: &Context) {
    context.close();
    ledger::end_of_context(|| {
        event::forget_all(context.handle);
        module::unload_all(context.handle);
        texture::forget_all(context.handle);
        texture_reference::forget_all(context.handle);
        array::forget_all(context.handle);
        ipc::forget_all(context.handle);
        memory::free_all(context);
    });
}
