//! Launches of the kernel by other kernels: the implementation of `lanewise_std::dynamic::Child`
//! for its handle.
//!
//! A launch fills a buffer of parameters. Its layout is that of a C structure of the PTX
//! parameters. So the macro writes this structure, and the compiler computes the layout.

use proc_macro2::TokenStream;
use quote::quote;

use super::instances::Instance;
use super::signature::{Lowering, Param};
use super::{Kernel, entry_point};

/// Returns `impl Child` for one entry point's handle. It is generated for the device and for the
/// host, where bodies that launch the kernel are type-checked.
///
/// A kernel that takes tensor maps has no implementation, because a kernel cannot pass a map on.
pub(super) fn implementation(kernel: &Kernel, instance: &Instance) -> TokenStream {
    let takes_map = |param: &Param| matches!(param.lowering, Lowering::TensorMap);
    if kernel.params.iter().any(takes_map) {
        return TokenStream::new();
    }
    let handle = kernel.handle(instance);
    let entry = entry_point::name(instance);
    let types = kernel.params.iter().map(|param| param.type_for("'a"));
    let names: Vec<_> = kernel.params.iter().map(|param| &param.name).collect();
    let fields = kernel.params.iter().map(entry_point::parameters);
    let values = kernel.params.iter().map(|param| {
        let (name, passed, length) = (&param.name, param.passed_name(), param.length_name());
        match param.lowering {
            Lowering::ReadSlice { .. } => quote!(#passed: #name.as_ptr(), #length: #name.len()),
            Lowering::WriteSlice { .. } => {
                quote!(#passed: #name.raw_parts().0, #length: #name.raw_parts().1)
            }
            Lowering::TensorMap | Lowering::Value => quote!(#passed: #name),
        }
    });
    quote! {
        // SAFETY: the same macro makes the entry point from the same parameters, and the structure
        // has their layout.
        unsafe impl ::lanewise_std::dynamic::Child for #handle {
            type Arguments<'a> = (#(#types,)*);

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
                // SAFETY: the caller guarantees the size and alignment of the buffer.
                unsafe { __buffer.cast::<__Parameters>().write(__Parameters { #(#values),* }) }
            }
        }
    }
}
