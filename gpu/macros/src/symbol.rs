//! Symbols: the names of kernels and statics, between rustc, the builder and the host.
//!
//! rustc is given the whole path, `gpu::basics::vector_add::vec_add`, so that two Rust modules, or
//! two crates, may each have a `vec_add`. The builder makes of it the name in the PTX: `vec_add`,
//! unless two have it. The host looks the name up among those that the builder has had to change
//! (`lanewise_std::kernel::symbol`).

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Ident, Path};

/// Where a build script that embeds PTX says which Rust module the type `Ptx` is in: `crate`, or
/// `crate::kernels`.
const MODULE: &str = "LANEWISE_MODULE";

/// Refuses what can't be a name in PTX.
///
/// PTX ISA, "Identifiers".
pub(crate) fn check(name: &Ident) -> syn::Result<()> {
    if name.to_string().is_ascii() {
        return Ok(());
    }
    let message =
        format!("`{name}` is a symbol of the PTX too, where a name has letters of ASCII only");
    Err(Error::new(name.span(), message))
}

/// The symbol that rustc is told, as the value of `export_name`.
pub(crate) fn on_device(name: &str) -> TokenStream {
    quote!(::core::concat!(::core::module_path!(), "::", #name))
}

/// The symbol in the PTX, as an expression on the host, inside of an `impl` that has a type
/// `Module`.
pub(crate) fn on_host(name: &str) -> TokenStream {
    quote!(::lanewise_std::kernel::symbol::<Self::Module>(::core::module_path!(), #name))
}

/// The type that stands for the crate's PTX.
pub(crate) fn module() -> syn::Result<TokenStream> {
    let Ok(path) = std::env::var(MODULE) else {
        return Ok(quote!(::lanewise_std::kernel::NoPtx));
    };
    match syn::parse_str::<Path>(&path) {
        Ok(path) => Ok(quote!(#path::Ptx)),
        Err(_) => {
            let message = format!("{MODULE} is `{path}`, which is no path of a Rust module");
            Err(Error::new(proc_macro2::Span::call_site(), message))
        }
    }
}
