//! `#[device] static`: a static on the device, and a handle on the host. `#[device]` on functions
//! that cross modules is in `device/function.rs`.
//!
//! A static's handle is a unit struct with the static's name, as a kernel's handle is. It
//! dereferences to a value of the static's type, so that the bodies of kernels are
//! type-checked as written.

mod function;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Error, Item, ItemStatic, StaticMutability, Type};

use crate::symbol;

/// The section that tells the builder to place a static in constant memory.
const CONSTANT_SECTION: &str = ".lanewise.constant";

/// The prefix of the name of a static that tells the builder the type of another
/// static's value (`lanewise_std::kernel::layout`).
const LAYOUT: &str = "__lanewise_static.";

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    if !options.is_empty() {
        return Err(Error::new_spanned(options, "`#[device]` has no options"));
    }
    match syn::parse2(item)? {
        Item::Static(item) => of_static(item),
        Item::Fn(item) => function::exported(item),
        Item::ForeignMod(item) => function::imported(item),
        other => {
            let message = "`#[device]` stands on a static, on an `extern \"C\"` function, or on an `unsafe extern \"C\"` block";
            Err(Error::new_spanned(other, message))
        }
    }
}

fn of_static(item: ItemStatic) -> syn::Result<TokenStream> {
    if let StaticMutability::Mut(keyword) = &item.mutability {
        return Err(Error::new(
            keyword.span,
            "leave `mut` out: a `DeviceGlobal` changes through `set` and atomics",
        ));
    }
    symbol::check(&item.ident)?;
    let kind = type_name(&item.ty);
    let section = match kind.as_deref() {
        Some("DeviceGlobal") => None,
        Some("ConstantMemory") => Some(quote!(#[unsafe(link_section = #CONSTANT_SECTION)])),
        _ => {
            let message = "a static of the device is a `DeviceGlobal<T>` or a `ConstantMemory<T>`";
            return Err(Error::new_spanned(&item.ty, message));
        }
    };
    let ItemStatic {
        attrs,
        vis,
        ident,
        ty,
        expr,
        ..
    } = &item;
    let name = ident.unraw().to_string();
    let symbol = symbol::on_device(&name);
    let (module, host_symbol) = (symbol::module()?, symbol::on_host(&name));
    let layout = quote!(::lanewise_std::kernel::layout::of_static::<<#ty as ::lanewise_std::symbol::Static>::Value>(#kind));
    let agree = quote_spanned!(ident.span()=>
        const _: () = ::lanewise_std::kernel::layout::assert_same_static::<#module>(
            ::lanewise_std::kernel::symbol::<#module>(::core::module_path!(), #name),
            #layout,
        );
    );
    Ok(quote! {
        #(#attrs)*
        #[cfg(target_arch = "nvptx64")]
        #[used]
        #[unsafe(export_name = #symbol)]
        #section
        #vis static #ident: #ty = #expr;

        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            #[used]
            #[unsafe(export_name = ::core::concat!(#LAYOUT, #symbol))]
            static DIGITS: [u8; 16] = ::lanewise_std::kernel::layout::digits(#layout);
        };

        #(#attrs)*
        #[cfg(not(target_arch = "nvptx64"))]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug)]
        #vis struct #ident;

        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            static DECLARED: #ty = #expr;

            #agree

            impl ::core::ops::Deref for #ident {
                type Target = #ty;

                fn deref(&self) -> &#ty {
                    &DECLARED
                }
            }

            // SAFETY: the same declaration makes a static with this symbol on the device.
            unsafe impl ::lanewise_std::symbol::Symbol for #ident {
                type Value = <#ty as ::lanewise_std::symbol::Static>::Value;
                type Module = #module;
                const NAME: &'static str = #host_symbol;
            }
        };
    })
}

/// Returns the last name of a type's path.
fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    fn error(options: &str, item: &str) -> String {
        let parse = |text: &str| text.parse().expect("the case is Rust");
        super::expand(parse(options), parse(item))
            .expect_err("the static is wrong")
            .to_string()
    }

    #[test]
    fn says_what_a_static_of_the_device_is() {
        assert!(
            error("", "static X: f32 = 0.0;")
                .starts_with("a static of the device is a `DeviceGlobal<T>`")
        );
        assert!(error("", "static mut X: DeviceGlobal<f32> = f();").starts_with("leave `mut` out"));
        assert!(
            error("x", "static X: DeviceGlobal<f32> = f();")
                .starts_with("`#[device]` has no options")
        );
        assert!(
            error("", "static GRÖSSE: DeviceGlobal<f32> = f();")
                .starts_with("`GRÖSSE` is a symbol of the PTX too")
        );
        assert!(error("", "struct X;").starts_with("`#[device]` stands on a static"));
    }

    #[test]
    fn both_halves_of_a_static_tell_what_it_holds() {
        let item = "pub static TABLE: ConstantMemory<[f32; N]> = ConstantMemory::UNINIT;";
        let code = super::expand(Default::default(), item.parse().expect("the case is Rust"));
        let code = code.expect("it is right").to_string().replace(' ', "");
        let number = "layout::of_static::<<ConstantMemory<[f32;N]>as::lanewise_std::symbol::Static>::Value>(\"ConstantMemory\")";
        let digits = format!("layout::digits(::lanewise_std::kernel::{number})");
        assert!(
            code.contains(&digits) && code.contains("\"__lanewise_static.\""),
            "{code}"
        );
        let agree = code
            .split("assert_same_static")
            .nth(1)
            .expect("the host's half asks");
        assert!(agree.contains(number), "{code}");
    }

    #[test]
    fn says_what_a_function_between_modules_is() {
        for (item, message) in [
            (
                "fn f() {}",
                "a function that other modules call is `extern \"C\"`",
            ),
            (
                "extern \"C\" fn f<T>() {}",
                "a function that other modules call is of one type",
            ),
            (
                "async extern \"C\" fn f() {}",
                "a function that other modules call returns",
            ),
            ("extern \"C\" { fn f(); }", "write `unsafe extern \"C\"`"),
            ("unsafe extern \"C\" { static X: u32; }", "functions alone"),
            (
                "unsafe extern \"C\" { fn f(x: u32, ...); }",
                "no variable number",
            ),
        ] {
            let told = error("", item);
            assert!(told.contains(message), "{item}: {told}");
        }
    }
}
