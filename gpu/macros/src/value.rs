//! `#[derive(Value)]`: checks that the layout is declared, that the fields are values, and that
//! there is no padding.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, Type, parse_quote};

/// Layouts that are the same on both sides, besides `C` and `transparent`: those of enumerations.
const INTEGERS: [&str; 10] = [
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
];

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let mut item: DeriveInput = syn::parse2(item)?;
    let is_enum = matches!(item.data, Data::Enum(_));
    check_layout(&item, is_enum)?;
    let fields: Vec<Type> = match &item.data {
        Data::Struct(data) => types(&data.fields).collect(),
        Data::Enum(data) => data
            .variants
            .iter()
            .flat_map(|variant| types(&variant.fields))
            .collect(),
        Data::Union(data) => {
            return Err(Error::new_spanned(
                data.union_token,
                "a union says nowhere which of its fields it holds: take an enumeration",
            ));
        }
    };
    let name = &item.ident;
    let holes = (!is_enum).then(|| {
        let message = format!(
            "`{name}` has padding, which holds nothing that could be passed: reorder its fields, or give the holes fields of their own"
        );
        quote! {
            ::core::assert!(
                ::core::mem::size_of::<Self>() == 0 #(+ ::core::mem::size_of::<#fields>())*,
                #message
            );
        }
    });
    let reprs = item.attrs.iter().filter(|it| it.path().is_ident("repr"));
    let text = quote!(#(#reprs)*).to_string() + &fields_text(&item.data);
    let numbers = numbers(&item);
    // A type without parameters is checked at its declaration, and others where they are used.
    let now = item
        .generics
        .params
        .is_empty()
        .then(|| quote!(const _: () = <#name as ::lanewise_std::kernel::Value>::CHECKED;));
    for parameter in item.generics.type_params_mut() {
        parameter
            .bounds
            .push(parse_quote!(::lanewise_std::kernel::Value));
    }
    let (parameters, arguments, bounds) = item.generics.split_for_impl();
    let plain = (!is_enum).then(|| {
        // The higher-ranked lifetime makes the compiler accept a bound that does not hold. Then the
        // type does not implement the trait that its fields lack.
        let all_fields_are = |what: TokenStream| {
            let mut generics = item.generics.clone();
            generics.make_where_clause().predicates.extend(fields.iter().map(
                |field| -> syn::WherePredicate { parse_quote!(for<'__field> #field: #what) },
            ));
            generics.where_clause
        };
        let zeroable = all_fields_are(quote!(::lanewise_std::kernel::Zeroable));
        // Padding in a type with parameters is detected only where the type is used. That is too
        // late for code that reads its bytes.
        let pod = item.generics.params.is_empty().then(|| {
            let pod = all_fields_are(quote!(::lanewise_std::kernel::Pod));
            quote! {
                // SAFETY: all fields are `Pod`, and there is no padding.
                #[cfg(not(target_arch = "nvptx64"))]
                unsafe impl ::lanewise_std::kernel::Pod for #name #pod {}
            }
        });
        quote! {
            // SAFETY: all fields are `Zeroable`, and padding has no value.
            #[cfg(not(target_arch = "nvptx64"))]
            unsafe impl #parameters ::lanewise_std::kernel::Zeroable for #name #arguments #zeroable {}
            #pod
        }
    });
    Ok(quote! {
        // SAFETY: both sides have the same layout, all fields are values, and there is no padding.
        unsafe impl #parameters ::lanewise_std::kernel::Value for #name #arguments #bounds {
            const CHECKED: () = {
                #(::lanewise_std::kernel::assert_value::<#fields>();)*
                #holes
            };
            const LAYOUT: u64 = {
                let number = ::lanewise_std::kernel::layout::of_size::<Self>();
                let number = ::lanewise_std::kernel::layout::text(number, #text);
                #(let number = ::lanewise_std::kernel::layout::number(number, #numbers);)*
                #(let number = ::lanewise_std::kernel::layout::number(number, <#fields as ::lanewise_std::kernel::Value>::LAYOUT);)*
                number
            };
        }
        // SAFETY: no field refers to memory of the host.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl #parameters ::lanewise_std::kernel::DeviceCopy for #name #arguments #bounds {}
        #plain
        #now
    })
}

/// Returns the names of fields and variants, and the variants' numbers as written.
fn fields_text(data: &Data) -> String {
    match data {
        Data::Struct(data) => data.fields.to_token_stream().to_string(),
        Data::Enum(data) => data.variants.to_token_stream().to_string(),
        Data::Union(_) => String::new(),
    }
}

/// Returns the explicit numbers of variants, as the compiler evaluates them on this side. A
/// constant or `cfg!` may give them other values on the other side. (A variant without a number has
/// the one before it plus one.)
fn numbers(item: &DeriveInput) -> Vec<TokenStream> {
    let Data::Enum(data) = &item.data else {
        return Vec::new();
    };
    // The type that the language gives the expression: that of `#[repr(u8)]`, otherwise `isize`.
    let mut of = format_ident!("isize");
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("repr")) {
        // The attribute was checked before.
        let _ = attribute.parse_nested_meta(|meta| {
            if let Some(name) = meta
                .path
                .get_ident()
                .filter(|it| INTEGERS.iter().any(|known| it == known))
            {
                of = name.clone();
            }
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    let said = data
        .variants
        .iter()
        .filter_map(|it| it.discriminant.as_ref());
    said.map(|(_, number)| {
        quote!({
            const __NUMBER_OF_THE_VARIANT: #of = #number;
            __NUMBER_OF_THE_VARIANT as u64
        })
    })
    .collect()
}

fn types(fields: &Fields) -> impl Iterator<Item = Type> {
    fields.iter().map(|field| field.ty.clone())
}

/// Checks for `#[repr(C)]`, `#[repr(transparent)]`, or for an enumeration `#[repr(u8)]`
/// and the like.
fn check_layout(item: &DeriveInput, is_enum: bool) -> syn::Result<()> {
    let mut is_said = false;
    for attribute in item.attrs.iter().filter(|it| it.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            let is = |name: &Ident| {
                name == "C"
                    || name == "transparent"
                    || is_enum && INTEGERS.iter().any(|it| name == it)
            };
            is_said |= meta.path.get_ident().is_some_and(is);
            // `align(16)`, `packed(1)`
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    if is_said {
        return Ok(());
    }
    let wanted = if is_enum {
        "#[repr(u32)]` or `#[repr(C)]"
    } else {
        "#[repr(C)]"
    };
    Err(Error::new_spanned(
        &item.ident,
        format!(
            "the compiler chooses the layout of `{}`, on each side for itself: add `{wanted}`",
            item.ident
        ),
    ))
}

#[cfg(test)]
mod tests {
    fn error(item: &str) -> String {
        super::expand(item.parse().expect("the case is Rust"))
            .expect_err("the type is wrong")
            .to_string()
    }

    #[test]
    fn a_layout_has_to_be_said() {
        assert!(error("struct S { a: u8 }").contains("add `#[repr(C)]`"));
        assert!(error("#[repr(align(16))] struct S(u8);").contains("add `#[repr(C)]`"));
        assert!(error("#[repr(u8)] struct S(u8);").contains("add `#[repr(C)]`"));
        assert!(error("enum E { A, B }").contains("add `#[repr(u32)]` or"));
        assert!(error("#[repr(C)] union U { a: u8 }").starts_with("a union says nowhere"));
    }

    #[test]
    fn numbers_of_variants_are_what_the_compiler_has_and_not_only_as_written() {
        for (item, constant) in [
            (
                "#[repr(u8)] enum E { A = FIRST, B }",
                "const __NUMBER_OF_THE_VARIANT : u8 = FIRST ;",
            ),
            (
                "#[repr(C)] enum E { A, B = N + 1 }",
                "const __NUMBER_OF_THE_VARIANT : isize = N + 1 ;",
            ),
            (
                "#[repr(C, u16)] enum E { A(f32) = cfg!(x) as u16 }",
                "const __NUMBER_OF_THE_VARIANT : u16 = cfg ! (x) as u16 ;",
            ),
        ] {
            let code = super::expand(item.parse().expect("the case is Rust")).expect("it is right");
            assert!(code.to_string().contains(constant), "{code}");
        }
    }

    #[test]
    fn fields_of_all_variants_are_looked_at() {
        let item = "#[repr(u8)] enum E { A, B(f32), C { x: i64 } }";
        let code = super::expand(item.parse().expect("the case is Rust")).expect("it is right");
        let code = code.to_string();
        assert!(
            code.contains("assert_value :: < f32 >") && code.contains("assert_value :: < i64 >"),
            "{code}"
        );
    }
}
