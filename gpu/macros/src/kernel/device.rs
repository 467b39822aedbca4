//! The expansion for the device: the function as written, and an entry point that builds its
//! arguments from the PTX parameters.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Visibility;
use syn::spanned::Spanned;

use super::instances::Instance;
use super::manifest::{Says, Word};
use super::signature::{Lowering, Param};
use super::{Kernel, child, entry_point, handle, layout, manifest};
use crate::{float_mode, symbol};

pub(super) fn expand(kernel: &Kernel) -> TokenStream {
    let mut body = kernel.function.clone();
    body.vis = Visibility::Inherited;
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

/// Writes one entry point and its manifest.
fn entry(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let body = &kernel.function.sig.ident;
    let Instance {
        symbol,
        arguments: generic,
    } = instance;
    let entry = entry_point::name(instance);
    let statics = format_ident!("MANIFEST_{}", symbol.to_uppercase());
    let parameters = kernel.params.iter().map(entry_point::parameters);
    let arguments = kernel.params.iter().map(argument);

    let checks = handle::checks(kernel);
    let child = child::implementation(kernel, instance);
    let assume = kernel
        .contract
        .as_ref()
        .map(|contract| contract.assumptions(&kernel.params));

    let manifest::Json {
        text,
        words,
        layout: digits,
    } = manifest::json(kernel, instance);
    let layout = layout::number(kernel, instance);
    let prefix = manifest::PREFIX;
    let export = symbol::on_device(symbol);
    let (length, bytes) = (text.len(), Literal::byte_string(text.as_bytes()));
    let words = words.iter().map(|word| {
        let (at, text) = (word.at, word_text(word));
        quote!((#at, #text))
    });
    quote! {
        #checks

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
                #body::<#(#generic),*>(#(#arguments),*)
            }
        }

        #[used]
        #[unsafe(export_name = ::core::concat!(#prefix, #export))]
        static #statics: [u8; #length] = {
            #[allow(unused_imports)]
            use ::lanewise_std::kernel::HoldsCells as _;
            ::lanewise_std::kernel::describe(*#bytes, &[#(#words),*], (#digits, #layout))
        };

        #child
    }
}

/// Writes the constant that is a word of the description.
fn word_text(word: &Word<'_>) -> TokenStream {
    match &word.says {
        Says::Lowering(param) => match &param.lowering {
            Lowering::ByType => param.passed("WORD"),
            Lowering::ReadSlice { element } => {
                let [read, cells] = manifest::READ_SLICE;
                quote!(if <::lanewise_std::kernel::Element<#element>>::IS_READ_ONLY { #read } else { #cells })
            }
        },
        Says::Alignment(param) => match &param.lowering {
            Lowering::ByType => param.passed("ALIGNMENT"),
            Lowering::ReadSlice { element } => {
                quote!(::lanewise_std::kernel::alignment_word::<#element>())
            }
        },
        Says::Size(size) => quote!({
            const DIGITS: [u8; 10] = ::lanewise_std::kernel::decimal(#size);
            match ::core::str::from_utf8(&DIGITS) {
                ::core::result::Result::Ok(text) => text,
                ::core::result::Result::Err(_) => ::core::unreachable!(),
            }
        }),
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
