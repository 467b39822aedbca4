//! The expansion for the device: the function as written, and an entry point that builds its
//! arguments from the PTX parameters.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::instances::Instance;
use super::signature::{Lowering, Param};
use super::{Kernel, child, description, entry_point, handle};
use crate::{float_mode, symbol};

pub(super) fn expand(kernel: &Kernel) -> TokenStream {
    let mut body = kernel.body();
    if !float_mode::is_apart(&body.attrs) {
        body.attrs.push(syn::parse_quote!(#[inline(always)]));
    }
    let entries = kernel
        .instances
        .iter()
        .map(|instance| kernel.scope(instance, entry(kernel, instance)));
    quote! {
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #body
            #(#entries)*
        };
    }
}

/// Writes one entry point and its description.
fn entry(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let body = &kernel.function.sig.ident;
    let Instance {
        symbol,
        arguments: generic,
    } = instance;
    let entry = entry_point::name(instance);
    let parameters = kernel.params.iter().map(entry_point::parameters);
    let arguments = kernel.params.iter().map(argument);
    let arguments = arguments.chain(kernel.made_at_entry.arguments());
    let made_at_entry = kernel.made_at_entry.statements();

    let checks = handle::checks(kernel);
    let child = child::implementation(kernel, instance);
    let assume = kernel
        .contract
        .as_ref()
        .map(|contract| contract.assumptions(&kernel.params));

    // The driver launches the kernel in such clusters only.
    let cluster = kernel
        .cluster
        .as_ref()
        .map(|shape| quote!(::lanewise_std::cluster::assume_shape(const { #shape });));

    let constants = description::constants(kernel, instance);
    let prefix = description::PREFIX;
    let export = symbol::on_device(symbol);
    quote! {
        #checks
        #constants

        // `lanewise_std::kernel::Value` decides what may be passed by value. The lint follows C,
        // which cannot pass arrays by value.
        #[allow(improper_ctypes_definitions)]
        #[unsafe(export_name = #export)]
        unsafe extern "ptx-kernel" fn #entry(#(#parameters),*) {
            // SAFETY: the launch passes arguments of the types in the handle, and keeps
            // its contract (`lanewise_std::kernel::Kernel`).
            #[allow(unused_unsafe)]
            unsafe {
                #assume
                #cluster
                #made_at_entry
                #body::<#(#generic),*>(#(#arguments),*)
            }
        }

        #[used]
        #[unsafe(export_name = ::core::concat!(#prefix, #export))]
        static __JSON: [u8; __DESCRIPTION.length()] = __DESCRIPTION.json(__LAYOUT);

        #child
    }
}

/// Builds the Rust argument from its PTX parameters.
fn argument(param: &Param) -> TokenStream {
    let (name, length) = (param.passed_name(), param.length_name());
    match &param.lowering {
        Lowering::ReadSlice { .. } => quote!(::lanewise_std::kernel::read_slice(#name, #length)),
        Lowering::ByType => {
            let take = param.passed("take");
            quote_spanned!(param.ty.span()=> #take(#name, #length))
        }
    }
}
