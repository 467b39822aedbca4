//! The entry point's name, parameters and handle. The device's expansion and [`super::child`]
//! both write them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Kernel;
use super::instances::Instance;
use super::signature::{Lowering, Param};

/// Returns the name of the entry point's function.
pub(super) fn name(instance: &Instance) -> Ident {
    format_ident!("entry_{}", instance.symbol)
}

/// Returns the PTX parameters of one Rust parameter.
pub(super) fn parameters(param: &Param) -> TokenStream {
    let (name, length) = (param.passed_name(), param.length_name());
    match &param.lowering {
        Lowering::ReadSlice { element } => quote!(#name: *const #element, #length: usize),
        Lowering::ByType => {
            let (first, second) = (param.passed("First"), param.passed("Second"));
            quote!(#name: #first, #length: #second)
        }
    }
}

impl Kernel {
    /// Returns the handle's type for one entry point: `matmul_shared<16>`, `scale<f32>`.
    pub(super) fn handle(&self, instance: &Instance) -> TokenStream {
        let name = &self.function.sig.ident;
        let arguments = &instance.arguments;
        if arguments.is_empty() {
            quote!(#name)
        } else {
            quote!(#name<#(#arguments),*>)
        }
    }
}
