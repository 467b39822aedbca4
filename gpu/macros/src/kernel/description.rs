//! The constants that both halves of a kernel compute: its description
//! (`lanewise_std::kernel::Description`), and the fingerprint of what they must agree on.
//!
//! The macro sees only the kernel's source. What a type or a constant is, only the compiler knows.
//! So both are expressions. The device's half also has a static with the description as JSON. It is
//! called `__lanewise_kernel.PATH`, with the kernel's path (`gpu::basics::vector_add::vec_add`).
//! The builder reads it from the bitcode, sets the attributes that follow from it (read-only
//! pointers, launch bounds), writes it to the manifest `gpu.json`, and removes it from the module.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::Kernel;
use super::companion::option;
use super::contract::Contract;
use super::instances::Instance;
use super::signature::{self, Lowering, Param};

/// The prefix of the statics' names.
pub(super) const PREFIX: &str = "__lanewise_kernel.";

/// Writes the constants `__DESCRIPTION` and `__LAYOUT`, for the scope of an entry point.
pub(super) fn constants(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let name = &instance.symbol;
    let params = kernel.params.iter().map(|param| {
        let (plain, alignment) = (plain(kernel, param, instance), alignment(param));
        let lowering = lowering(param);
        quote!(::lanewise_std::kernel::DescribedParam { param: #plain, lowering: #lowering, alignment: #alignment })
    });
    let bounds = option(kernel.bounds.as_ref());
    let block = option(
        (kernel.contract.as_ref().and_then(Contract::block)).map(|sizes| quote!([#(#sizes),*])),
    );
    let max_registers = option(kernel.max_registers.as_ref());
    let cluster = option(kernel.cluster.as_ref());
    let min_arch = option(kernel.min_arch.as_ref());
    let (cooperative, launches) = (kernel.cooperative, kernel.launches);
    let place = kernel.function.sig.ident.span().unwrap();
    let (file, line) = (place.file(), place.line() as u32);
    let layouts = kernel.params.iter().map(|param| {
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
    quote! {
        const __DESCRIPTION: ::lanewise_std::kernel::Description<'static> = {
            #[allow(unused_imports)]
            use ::lanewise_std::kernel::HoldsCells as _;
            ::lanewise_std::kernel::Description {
                name: #name,
                params: &[#(#params),*],
                bounds: #bounds,
                block: #block,
                max_registers: #max_registers,
                cluster: #cluster,
                cooperative: #cooperative,
                min_arch: #min_arch,
                launches: #launches,
                file: #file,
                line: #line,
            }
        };
        const __LAYOUT: u64 = {
            #[allow(unused_imports)]
            use ::lanewise_std::kernel::layout::OfSize as _;
            let number = __DESCRIPTION.fingerprint();
            #(#layouts)*
            #contract
            number
        };
    }
}

/// Writes a parameter's name and its type in the source, with the instance's types in it.
pub(super) fn plain(kernel: &Kernel, param: &Param, instance: &Instance) -> TokenStream {
    let ty = signature::text(&kernel.filled(param.ty.clone(), instance));
    let name = param.name.to_string();
    quote!(::lanewise_std::kernel::Param { name: #name, ty: #ty })
}

/// Writes how a parameter is passed.
fn lowering(param: &Param) -> TokenStream {
    match &param.lowering {
        Lowering::ByType => param.passed("LOWERING"),
        Lowering::ReadSlice { element } => quote! {
            if <::lanewise_std::kernel::Element<#element>>::IS_READ_ONLY {
                ::lanewise_std::kernel::Lowering::ReadSlice
            } else {
                ::lanewise_std::kernel::Lowering::CellSlice
            }
        },
    }
}

/// Writes the alignment of the memory that a parameter points to.
fn alignment(param: &Param) -> TokenStream {
    match &param.lowering {
        Lowering::ByType => param.passed("ALIGNMENT"),
        Lowering::ReadSlice { element } => {
            quote!(::lanewise_std::kernel::slice_alignment::<#element>())
        }
    }
}
