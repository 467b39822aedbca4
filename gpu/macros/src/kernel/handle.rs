//! The kernel's handle, and for the host also the body, which the compiler and clippy check.
//!
//! The handle is a unit struct. On the host it defines what a launch takes. On the device it is the
//! type that other kernels use to launch this one.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, GenericParam, Type};

use super::instances::Instance;
use super::signature::{Lowering, Param};
use super::{Kernel, child, description};
use crate::symbol;

pub(super) fn expand(kernel: &Kernel) -> syn::Result<TokenStream> {
    let function = &kernel.function;
    let (vis, name) = (&function.vis, &function.sig.ident);
    let docs = function.attrs.iter().filter(|attr| is_doc(attr));
    let signature = signature_text(kernel);
    let generics = &function.sig.generics;
    let implementations = kernel
        .instances
        .iter()
        .map(|instance| Ok(kernel.scope(instance, implementation(kernel, instance)?)))
        .collect::<syn::Result<Vec<_>>>()?;

    let mut body = kernel.body();
    body.attrs.retain(|attr| !is_doc(attr));
    let handle = if kernel.has_types() {
        family(kernel, quote!(#(#docs)* #[doc = #signature]))
    } else {
        quote! {
            #(#docs)*
            #[doc = #signature]
            #[allow(non_camel_case_types)]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #vis struct #name #generics;
        }
    };
    Ok(quote! {
        #handle

        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            #(#implementations)*
            #[allow(dead_code)]
            #body
        };
    })
}

/// Writes the handles of a kernel with type parameters. A unit structure cannot have type
/// parameters. A unit variant can, and is written in the same way: `scale::<f32>`. So the handle is
/// an enumeration with one variant that can be constructed, in a module of its own. The kernel's
/// author sees the variant's name as a value and an alias as a type.
fn family(kernel: &Kernel, docs: TokenStream) -> TokenStream {
    let function = &kernel.function;
    let (vis, name) = (&function.vis, &function.sig.ident);
    let (module, never) = (
        format_ident!("__{name}_handle"),
        format_ident!("__{name}_never"),
    );
    let (mut parameters, mut names, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in &function.sig.generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                let name = &parameter.ident;
                parameters.push(quote!(#name));
                names.push(name);
                types.push(name);
            }
            GenericParam::Const(parameter) => {
                let (name, ty) = (&parameter.ident, &parameter.ty);
                parameters.push(quote!(const #name: #ty));
                names.push(name);
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    let text = name.to_string();
    let handle = quote!(Handle<#(#names),*>);
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, unreachable_pub, missing_docs)]
        #vis mod #module {
            pub enum Handle<#(#parameters),*> {
                #name,
                #[doc(hidden)]
                #never(::core::convert::Infallible, ::core::marker::PhantomData<fn() -> (#(#types,)*)>),
            }
            impl<#(#parameters),*> ::core::clone::Clone for #handle {
                fn clone(&self) -> Self { *self }
            }
            impl<#(#parameters),*> ::core::marker::Copy for #handle {}
            impl<#(#parameters),*> ::core::fmt::Debug for #handle {
                fn fmt(&self, out: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result { out.write_str(#text) }
            }
            impl<#(#parameters),*> ::core::cmp::PartialEq for #handle {
                fn eq(&self, _: &Self) -> bool { true }
            }
            impl<#(#parameters),*> ::core::cmp::Eq for #handle {}
        }
        #docs
        #[allow(non_camel_case_types)]
        #vis type #name<#(#parameters),*> = #module::#handle;
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #module::Handle::*;
    }
}

/// Writes `impl Kernel` for one entry point's handle, and `SafeKernel` if the function is safe.
fn implementation(kernel: &Kernel, instance: &Instance) -> syn::Result<TokenStream> {
    let (module, symbol) = (symbol::module()?, symbol::on_host(&instance.symbol));
    let handle = kernel.handle(instance);
    let child = child::implementation(kernel, instance);
    let types = kernel.params.iter().map(|param| param.type_for("'static"));
    let params = kernel.params.iter();
    let params = params.map(|param| description::plain(kernel, param, instance));
    let constants = description::constants(kernel, instance);
    let contract = kernel.contract.as_ref().map(|contract| {
        let contract = contract.constant(&kernel.params);
        quote!(const CONTRACT: ::lanewise_std::kernel::LaunchContract = { #contract };)
    });
    let checks = checks(kernel);
    let (name, text) = (&kernel.function.sig.ident, &instance.symbol);
    let agree = quote_spanned!(name.span()=>
        const _: () = ::lanewise_std::kernel::layout::assert_agree::<#module>(
            ::lanewise_std::kernel::symbol::<#module>(::core::module_path!(), #text),
            __LAYOUT,
        );
    );
    // Checks here that the instance's types satisfy the function's bounds. Otherwise the entry
    // point on the device would report the error, to the person who builds for it.
    let (body, generic) = (&kernel.function.sig.ident, &instance.arguments);
    let bounds_hold = kernel
        .has_types()
        .then(|| quote!(const _: () = { let _ = #body::<#(#generic),*>; };));
    // Checks what the entry point makes.
    let made_at_entry = kernel.made_at_entry.statements().map(|made| {
        quote! {
            const _: () = {
                #[allow(dead_code, non_snake_case, unused_variables)]
                unsafe fn made_at_entry() {
                    // SAFETY: nothing calls this function.
                    unsafe { #made }
                }
            };
        }
    });
    let safe = kernel.function.sig.unsafety.is_none().then(|| {
        quote! {
            // SAFETY: the kernel is a safe function, so it is sound for all arguments and for all
            // launches that its contract allows.
            unsafe impl ::lanewise_std::kernel::SafeKernel for #handle {}
        }
    });
    Ok(quote! {
        #constants

        // SAFETY: the same macro makes the entry point of this name from the same parameters.
        unsafe impl ::lanewise_std::kernel::Kernel for #handle {
            type Module = #module;
            type Params = (#(#types,)*);
            const NAME: &'static str = #symbol;
            const PARAMS: &'static [::lanewise_std::kernel::Param] = &[#(#params),*];
            const BOUNDS: ::core::option::Option<::lanewise_std::kernel::LaunchBounds> = __DESCRIPTION.bounds;
            const LAUNCHES: bool = __DESCRIPTION.launches;
            const COOPERATIVE: bool = __DESCRIPTION.cooperative;
            const CLUSTER: ::core::option::Option<[u32; 3]> = __DESCRIPTION.cluster;
            #contract
        }
        #safe
        #child
        #checks
        #agree
        #made_at_entry
        #bounds_hold
    })
}

/// Returns lines that compile only if the kernel may have each parameter's type. The error points
/// at the type.
pub(super) fn checks(kernel: &Kernel) -> TokenStream {
    let is_safe = kernel.function.sig.unsafety.is_none();
    let check = |param: &Param| match &param.lowering {
        // Every thread of the launch has the slice. An `unsafe fn` may take cells, because its
        // caller prevents data races between threads.
        Lowering::ReadSlice { element } if is_safe => {
            let is_value = is_value(element);
            Some(quote_spanned!(element.span()=> const _: () = {
                #[allow(unused_imports)]
                use ::lanewise_std::kernel::HoldsCells as _;
                if <::lanewise_std::kernel::Element<#element>>::IS_READ_ONLY {
                    #is_value
                }
                ::core::assert!(
                    <::lanewise_std::kernel::Element<#element>>::IS_READ_ONLY
                        || <::lanewise_std::kernel::Shared<#element>>::IS_SYNC,
                    "all threads of a launch hold this slice, and its elements are cells that are not `Sync`: take atomics, or write \
                     `unsafe fn`, whose caller promises that no two threads access the same element"
                );
            };))
        }
        Lowering::ReadSlice { .. } => None,
        Lowering::ByType => {
            let checked = param.passed("CHECKED");
            let is_value = is_safe.then(|| is_value(&param.element()));
            Some(quote_spanned!(param.ty.span()=> const _: () = { let () = #checked; #is_value };))
        }
    };
    let contract = kernel.contract.as_ref();
    let lengths = contract.map(|contract| contract.bounds(&kernel.params));
    let barriers = kernel
        .params
        .iter()
        .filter_map(|param| match &param.lowering {
            Lowering::ByType => Some(param.passed("BARRIERS")),
            Lowering::ReadSlice { .. } => None,
        });
    let barriers = quote_spanned!(kernel.function.sig.inputs.span()=>
        const _: () = ::lanewise_std::kernel::assert_one_barrier(&[#(#barriers),*]);
    );
    let parameters = kernel.params.iter().filter_map(check);
    parameters.chain(lengths).chain([barriers]).collect()
}

/// Writes a statement that compiles only if an element's bytes mean the same on the host and the
/// device. For an `unsafe fn` the caller of the launch is responsible for that.
fn is_value(element: &Type) -> TokenStream {
    quote_spanned!(element.span()=> {
        #[allow(unused_imports)]
        use ::lanewise_std::kernel::layout::OfSize as _;
        ::core::assert!(
            <::lanewise_std::kernel::layout::Layout<#element>>::IS_VALUE,
            "it is not known whether these elements have the same layout on the device and on the host: give their type \
             `#[derive(Clone, Copy, Value)]` and `#[repr(C)]`, or write `unsafe fn`, whose caller promises it"
        );
    })
}

/// Returns the signature as a block of code, for the handle's page.
fn signature_text(kernel: &Kernel) -> String {
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|param| format!("{}: {}", param.name, param.type_text()))
        .collect();
    let unsafety = if kernel.function.sig.unsafety.is_some() {
        "unsafe "
    } else {
        ""
    };
    let parameters = kernel.function.sig.generics.params.iter();
    let parameters: Vec<String> = parameters
        .map(|parameter| match parameter {
            GenericParam::Const(parameter) => format!("const {}", parameter.ident),
            GenericParam::Type(parameter) => parameter.ident.to_string(),
            GenericParam::Lifetime(parameter) => parameter.lifetime.to_string(),
        })
        .collect();
    let generics = if parameters.is_empty() {
        String::new()
    } else {
        format!("<{}>", parameters.join(", "))
    };
    let name = &kernel.function.sig.ident;
    format!(
        "\n```text\n{unsafety}fn {name}{generics}({})\n```",
        params.join(", ")
    )
}

fn is_doc(attr: &Attribute) -> bool {
    attr.path().is_ident("doc")
}
