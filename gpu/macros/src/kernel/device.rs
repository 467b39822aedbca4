//! The kernel for the device: the function as written, and an entry point that puts its arguments together.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;

use super::instances::Instance;
use super::signature::{Lowering, Param};
use super::{Kernel, child, handle, manifest};
use crate::float_mode;

pub(super) fn expand(kernel: &Kernel) -> TokenStream {
    let mut body = kernel.function.clone();
    body.vis = Visibility::Inherited;
    if !float_mode::is_apart(&body.attrs) {
        body.attrs.push(syn::parse_quote!(#[inline(always)]));
    }
    let value_checks = kernel.params.iter().filter_map(handle::value_check);
    let entries = kernel
        .instances
        .iter()
        .map(|instance| entry(kernel, instance));
    quote! {
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #(#value_checks)*
            #body
            #(#entries)*
        };
    }
}

/// One entry point and its manifest.
fn entry(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let body = &kernel.function.sig.ident;
    let Instance { symbol, values } = instance;
    let entry = entry_name(instance);
    let statics = format_ident!("MANIFEST_{}", symbol.to_uppercase());
    let parameters = kernel.params.iter().map(parameter);
    let arguments = kernel.params.iter().map(argument);

    let child = child::implementation(kernel, instance);
    let assume = kernel.contract.as_ref().map(|contract| {
        let constants = kernel.constants(instance);
        quote!(const { #constants #contract }.assume();)
    });

    let json = manifest::json(kernel, instance);
    let manifest_symbol = format!("{}{symbol}", manifest::PREFIX);
    let (length, bytes) = (json.len(), Literal::byte_string(json.as_bytes()));
    quote! {
        // What may be passed by value is `gpu_std::kernel::Value`'s to say; the lint thinks of C, which has no arrays by value.
        #[allow(improper_ctypes_definitions)]
        #[unsafe(export_name = #symbol)]
        unsafe extern "ptx-kernel" fn #entry(#(#parameters),*) {
            // SAFETY: the launch passes what the handle's types say, and keeps its contract (`gpu_std::kernel::Kernel`).
            #[allow(unused_unsafe)]
            unsafe {
                #assume
                #body::<#(#values),*>(#(#arguments),*)
            }
        }

        #[used]
        #[unsafe(export_name = #manifest_symbol)]
        static #statics: [u8; #length] = *#bytes;

        #child
    }
}

/// The function that is the entry point.
pub(super) fn entry_name(instance: &Instance) -> Ident {
    format_ident!("entry_{}", instance.symbol)
}

/// The PTX parameters of one Rust parameter.
pub(super) fn parameter(param: &Param) -> TokenStream {
    let Param { name, ty, lowering } = param;
    let length = param.length_name();
    match lowering {
        Lowering::ReadSlice { element } => quote!(#name: *const #element, #length: usize),
        Lowering::WriteSlice { element } => quote!(#name: *mut #element, #length: usize),
        Lowering::Value => quote!(#name: #ty),
    }
}

/// The Rust argument, put together from its PTX parameters.
fn argument(param: &Param) -> TokenStream {
    let Param { name, ty, lowering } = param;
    let length = param.length_name();
    match lowering {
        Lowering::ReadSlice { .. } => quote!(::gpu_std::kernel::read_slice(#name, #length)),
        Lowering::WriteSlice { .. } => quote!(<#ty>::from_raw_parts(#name, #length)),
        Lowering::Value => quote!(#name),
    }
}
