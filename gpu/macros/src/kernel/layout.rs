//! What both sides of a kernel have to agree on, as an expression that each of them works out for
//! itself: a number (`lanewise_std::kernel::layout`).
//!
//! The macro sees the kernel as it is written; what a type or a constant is, only the compiler
//! knows. So the number is of the description's text, and of the types and the contract as the
//! compiler has them there.

use proc_macro2::TokenStream;
use quote::quote;

use super::instances::Instance;
use super::signature::Lowering;
use super::{Kernel, manifest};

/// The number, for the scope of an entry point.
pub(super) fn number(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let (text, _) = manifest::agreed(kernel, instance);
    let types = kernel
        .params
        .iter()
        .filter_map(|param| match &param.lowering {
            Lowering::ReadSlice { element } | Lowering::WriteSlice { element } => Some(element),
            Lowering::Value => Some(&param.ty),
            // A map has one form, and says itself what it is of.
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
