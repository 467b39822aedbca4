//! Launches of the kernel by other kernels: the implementation of `lanewise_std::dynamic::Child`
//! for its handle.
//!
//! A launch fills a buffer of parameters. Its layout is that of a C structure of the PTX
//! parameters. So the macro writes this structure, and the compiler computes the layout.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::instances::Instance;
use super::signature::{Lowering, Param};
use super::{Kernel, entry_point};

/// Returns `impl Child` for one entry point's handle. It is generated for the device and for the
/// host, where bodies that launch the kernel are type-checked.
///
/// A kernel that takes tensor maps has no implementation, because a kernel cannot pass a map on.
pub(super) fn implementation(kernel: &Kernel, instance: &Instance) -> TokenStream {
    if kernel.params.iter().any(Param::is_called_tensor_map) {
        return TokenStream::new();
    }
    let handle = kernel.handle(instance);
    let entry = entry_point::name(instance);
    let types = kernel.params.iter().map(|param| param.type_for("'a"));
    let names: Vec<_> = kernel.params.iter().map(Param::passed_name).collect();
    let fields = kernel.params.iter().map(entry_point::parameters);
    let values = kernel.params.iter().map(|param| {
        let (name, length) = (param.passed_name(), param.length_name());
        match param.lowering {
            Lowering::ReadSlice { .. } => quote!(#name: #name.as_ptr(), #length: #name.len()),
            Lowering::ByType => quote!(#name: #name.0, #length: #name.1),
        }
    });
    // The parameters of each value that is not a slice.
    let given = kernel
        .params
        .iter()
        .filter_map(|param| match param.lowering {
            Lowering::ReadSlice { .. } => None,
            Lowering::ByType => {
                let (name, give) = (param.passed_name(), param.passed("give"));
                Some(quote_spanned!(param.ty.span()=> let #name = #give(#name);))
            }
        });
    let is_safe = kernel.function.sig.unsafety.is_none() && kernel.contract.is_none();
    quote! {
        // SAFETY: the same macro makes the entry point from the same parameters, and the structure
        // has their layout.
        unsafe impl ::lanewise_std::dynamic::Child for #handle {
            type Arguments<'a> = (#(#types,)*);
            const IS_SAFE: bool = #is_safe;

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn entry() -> *const () {
                #entry as *const ()
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn entry() -> *const () {
                ::core::ptr::null()
            }

            #[inline(always)]
            #[allow(unused_variables, clippy::needless_pass_by_value)]
            unsafe fn store(__buffer: *mut u8, (#(#names,)*): Self::Arguments<'_>) {
                // These names must differ from the names that a kernel's author chooses for a
                // parameter or its type.
                #[repr(C)]
                struct __Parameters { #(#fields),* }
                #(#given)*
                // SAFETY: the caller guarantees the size and alignment of the buffer.
                unsafe { __buffer.cast::<__Parameters>().write(__Parameters { #(#values),* }) }
            }
        }
    }
}
