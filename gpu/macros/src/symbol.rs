//! Symbols: the names of kernels and statics in rustc, the builder and the host.
//!
//! rustc gets the whole path, `gpu::basics::vector_add::vec_add`, so that two Rust modules, or two
//! crates, may each have a `vec_add`. The builder turns it into the name in the PTX: `vec_add`,
//! unless two functions have it. The host looks the name up among the names that the builder had
//! to change (`lanewise_std::kernel::symbol`).

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Ident, Path};

/// The variable in which a build script that embeds PTX names the Rust module of the type `Ptx`:
/// `crate`, or `crate::kernels`.
const MODULE: &str = "LANEWISE_MODULE";

/// Refuses a name that PTX does not allow.
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

/// Returns the symbol that rustc gets, as the value of `export_name`.
pub(crate) fn on_device(name: &str) -> TokenStream {
    quote!(::core::concat!(::core::module_path!(), "::", #name))
}

/// Returns the symbol in the PTX, as an expression on the host, inside an `impl` that has
/// a type `Module`.
pub(crate) fn on_host(name: &str) -> TokenStream {
    quote!(::lanewise_std::kernel::symbol::<Self::Module>(::core::module_path!(), #name))
}

/// Returns the type that represents the crate's PTX.
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
