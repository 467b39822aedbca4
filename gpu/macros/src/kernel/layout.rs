//! The layout that both sides of a kernel must agree on. It is an expression for a number
//! (`lanewise_std::kernel::layout`), which each side computes for itself.
//!
//! The macro sees only the kernel's source. What a type or a constant is, only the compiler knows.
//! So the number is computed from the description's text, and from the types and the contract as
//! the compiler evaluates them on that side.

use proc_macro2::TokenStream;
use quote::quote;

use super::instances::Instance;
use super::signature::Lowering;
use super::{Kernel, manifest};

/// Returns the number, for the scope of an entry point.
pub(super) fn number(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let (text, _) = manifest::agreed(kernel, instance);
    let types = kernel
        .params
        .iter()
        .filter_map(|param| match &param.lowering {
            Lowering::ReadSlice { element } | Lowering::WriteSlice { element } => Some(element),
            Lowering::Value => Some(&param.ty),
            // A map always has the same layout, and contains its own description.
            Lowering::TensorMap => None,
        });
    let contract = kernel.contract.as_ref().map(
        |contract| quote!(let number = ::lanewise_std::kernel::layout::contract(number, { #contract });),
    );
    quote!({
        #[allow(unused_imports)]
        use ::lanewise_std::kernel::layout::OfSize as _;
        let number = ::lanewise_std::kernel::layout::text(::lanewise_std::kernel::layout::START, #text);
        #(let number = ::lanewise_std::kernel::layout::number(number, <::lanewise_std::kernel::layout::Layout<#types>>::NUMBER);)*
        #contract
        number
    })
}
