//! `#[device]` on functions: what one module of PTX defines for others, and what it
//! calls from others.
//!
//! An exported function's symbol in rustc is its path, as for kernels, and the builder keeps it
//! visible under its name. An imported function's symbol has a prefix ([`IMPORT`]), so that the
//! builder still detects a function that is missing by mistake. On the host an exported function is
//! an ordinary function. An imported one panics there, because only a linked module contains it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Error, FnArg, ForeignItem, ForeignItemFn, ItemFn, ItemForeignMod, Signature};

use crate::symbol;

/// The prefix of an imported function's symbol. The function's name follows it.
const IMPORT: &str = "__lanewise_import.";

/// Expands a function that other modules may call.
pub(super) fn exported(item: ItemFn) -> syn::Result<TokenStream> {
    check(&item.sig)?;
    symbol::check(&item.sig.ident)?;
    let is_c = item
        .sig
        .abi
        .as_ref()
        .is_some_and(|abi| abi.name.as_ref().is_none_or(|name| name.value() == "C"));
    if !is_c {
        let message = "a function that other modules call is `extern \"C\"`: Rust's own calls are no agreement between modules";
        return Err(Error::new_spanned(&item.sig, message));
    }
    let symbol = symbol::on_device(&item.sig.ident.unraw().to_string());
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
    } = &item;
    Ok(quote! {
        #(#attrs)*
        #[cfg(target_arch = "nvptx64")]
        #[unsafe(export_name = #symbol)]
        #vis #sig #block

        #(#attrs)*
        #[cfg(not(target_arch = "nvptx64"))]
        #vis #sig #block
    })
}

/// Expands functions that another module defines.
pub(super) fn imported(mut item: ItemForeignMod) -> syn::Result<TokenStream> {
    if item.unsafety.is_none() {
        let message =
            "write `unsafe extern \"C\"`: whoever declares a function vouches for its signature";
        return Err(Error::new_spanned(&item.abi, message));
    }
    let mut on_host = Vec::new();
    for function in &mut item.items {
        let ForeignItem::Fn(function) = function else {
            let message =
                "functions alone are imported: a static is reached through the host, by its handle";
            return Err(Error::new_spanned(function, message));
        };
        on_host.push(panicking(function)?);
        let name = format!("{IMPORT}{}", function.sig.ident.unraw());
        function.attrs.push(syn::parse_quote!(#[link_name = #name]));
    }
    Ok(quote! {
        #[cfg(target_arch = "nvptx64")]
        #item
        #(#on_host)*
    })
}

/// Returns the host's replacement for an imported function, which panics.
fn panicking(function: &ForeignItemFn) -> syn::Result<TokenStream> {
    check(&function.sig)?;
    symbol::check(&function.sig.ident)?;
    let ForeignItemFn {
        attrs, vis, sig, ..
    } = function;
    let mut sig = sig.clone();
    let message = format!(
        "`{}` is another module's: it is there on the device, once both are linked",
        sig.ident
    );
    let mut unused = Vec::new();
    for (number, argument) in sig.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(argument) = argument {
            let name = format_ident!("argument_{number}");
            *argument.pat = syn::parse_quote!(#name);
            unused.push(name);
        }
    }
    Ok(quote! {
        #(#attrs)*
        #[cfg(not(target_arch = "nvptx64"))]
        #vis unsafe extern "C" #sig {
            let _ = (#(#unused,)*);
            ::core::panic!(#message)
        }
    })
}

/// Refuses what a call between modules cannot pass.
fn check(sig: &Signature) -> syn::Result<()> {
    let error = |message| Err(Error::new_spanned(sig, message));
    if !sig.generics.params.is_empty() {
        return error("a function that other modules call is of one type: leave the generics out");
    }
    if sig.asyncness.is_some() || sig.constness.is_some() {
        return error(
            "a function that other modules call returns when it is done, on the device: leave `async` and `const` out",
        );
    }
    if sig.variadic.is_some() {
        return error("a call between modules has no variable number of arguments");
    }
    Ok(())
}
