//! The layout that both sides of a kernel must agree on. It is an expression for a number
//! (`lanewise_std::kernel::layout`), which each side computes for itself.
//!
//! The macro sees only the kernel's source. What a type or a constant is, only the compiler knows.
//! So the number is computed from the description's text, and from the types and the contract as
//! the compiler evaluates them on that side.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::instances::Instance;
use super::{Kernel, manifest};

/// Returns the number, for the scope of an entry point.
pub(super) fn number(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let (text, _) = manifest::agreed(kernel, instance);
    let numbers = kernel.params.iter().map(|param| {
        // Errors point at the type. Names are the macro's own, wherever the type comes from.
        let (ty, span) = (
            param.element(),
            Span::call_site().located_at(param.ty.span()),
        );
        let layout = quote_spanned!(span=> <::lanewise_std::kernel::layout::Layout<#ty>>::NUMBER);
        quote_spanned!(span=> let number = ::lanewise_std::kernel::layout::number(number, #layout);)
    });
    let contract = kernel.contract.as_ref().map(|contract| {
        let contract = contract.constant(&kernel.params);
        quote!(let number = ::lanewise_std::kernel::layout::contract(number, { #contract });)
    });
    quote!({
        #[allow(unused_imports)]
        use ::lanewise_std::kernel::layout::OfSize as _;
        let number = ::lanewise_std::kernel::layout::text(::lanewise_std::kernel::layout::START, #text);
        #(#numbers)*
        #contract
        number
    })
}
