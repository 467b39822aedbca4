//! `shared!`: arrays in the shared memory of a block.
//!
//! Stock rustc has no address spaces. Each declaration calls a function of its own, which is
//! generic over a type made here (`of_declaration`). The builder
//! finds those functions in the bitcode and replaces each by a variable in shared memory.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, FnArg, Ident, ItemFn, Stmt, Token, Type, TypeArray, parse_quote,
};

/// `static NAME: [T; N];`, `static NAME: SharedTile<T, ROWS, COLUMNS>;` or
/// `static NAME: Barrier<Block> = 1;`
struct Declaration {
    attributes: Vec<Attribute>,
    name: Ident,
    ty: Type,
    /// The number of arrivals at a barrier.
    initial: Option<Expr>,
}

impl Parse for Declaration {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        // A doc comment is allowed on the declaration. On a local variable it would
        // cause a warning.
        let mut attributes = input.call(Attribute::parse_outer)?;
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
        input.parse::<Token![static]>()?;
        if let Some(keyword) = input.parse::<Option<Token![mut]>>()? {
            return Err(Error::new(
                keyword.span(),
                "leave `mut` out: elements change through `set`",
            ));
        }
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty: Type = input.parse()?;
        if !matches!(ty, Type::Array(_) | Type::Path(_)) {
            return Err(Error::new(
                ty.span(),
                "shared memory holds arrays: write `[T; N]`, `SharedTile<T, ROWS, COLUMNS>` or `SharedLine<T, N>`",
            ));
        }
        let initial = match input.parse::<Option<Token![=]>>()? {
            Some(equals) if !has_arrivals(&ty) => {
                let message = "shared memory has no initial value: `fill` a `SharedTile` or a `SharedLine`, or let each thread `set` its elements";
                return Err(Error::new(equals.span(), message));
            }
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Token![;]>()?;
        Ok(Declaration {
            attributes,
            name,
            ty,
            initial,
        })
    }
}

impl ToTokens for Declaration {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Declaration {
            attributes,
            name,
            ty,
            initial,
        } = self;
        let initial = initial.iter();
        tokens.extend(quote!(#(#attributes)* static #name: #ty #(= #initial)*;));
    }
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let all = declarations(item)?;
    if let Some(of_kernel) = all.iter().find(|it| is_made_at_entry(&it.ty)) {
        return Err(Error::new(
            of_kernel.ty.span(),
            "it is declared in the first statement of a kernel, whose entry point makes it",
        ));
    }
    Ok(all.iter().map(declaration).collect())
}

fn declarations(item: TokenStream) -> syn::Result<Vec<Declaration>> {
    let declarations = |input: ParseStream| {
        let mut all = Vec::new();
        while !input.is_empty() {
            all.push(input.parse::<Declaration>()?);
        }
        Ok(all)
    };
    syn::parse::Parser::parse2(declarations, item)
}

/// What a kernel's entry point makes, so that each thread has it from its start.
pub(crate) struct MadeAtEntry(Vec<Declaration>);

impl MadeAtEntry {
    /// Takes these declarations out of the `shared!` that is the first statement of a kernel.
    pub(crate) fn take(kernel: &mut ItemFn) -> syn::Result<Self> {
        let none = Ok(MadeAtEntry(Vec::new()));
        let Some(Stmt::Macro(first)) = kernel.block.stmts.first_mut() else {
            return none;
        };
        let path = first.mac.path.segments.last();
        if path.is_none_or(|last| last.ident != "shared") {
            return none;
        }
        let Ok(all) = declarations(first.mac.tokens.clone()) else {
            return none; // `shared!` reports what is wrong
        };
        let (made, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|it| is_made_at_entry(&it.ty));
        for one_of_a_kind in ["SharedStages", "WorkStealing", "TensorMemory"] {
            let mut same = made.iter().filter(|it| is_called(&it.ty, one_of_a_kind));
            if let (Some(_), Some(second)) = (same.next(), same.next()) {
                let message = format!("a kernel has one `{one_of_a_kind}`");
                return Err(Error::new(second.ty.span(), message));
            }
        }
        first.mac.tokens = quote!(#(#others)*);
        Ok(MadeAtEntry(made))
    }

    /// Returns the parameters of the kernel's body.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = FnArg> {
        self.0.iter().map(
            |Declaration {
                 attributes,
                 name,
                 ty,
                 ..
             }| {
                parse_quote!(#(#attributes)* #[allow(non_snake_case, unused_mut)] mut #name: #ty)
            },
        )
    }

    /// Makes them, in the entry point: each one is a variable, and then the threads wait.
    pub(crate) fn statements(&self) -> Option<TokenStream> {
        if self.0.is_empty() {
            return None;
        }
        let types: Vec<_> = self.0.iter().map(|it| &it.ty).collect();
        let made = self.0.iter().map(
            |Declaration {
                 name, ty, initial, ..
             }| {
                let (tag, variable) = (tag(name), variable(name));
                let initial = match initial {
                    // A constant runs no code before the barriers are there.
                    Some(initial) => quote!(const { ::core::option::Option::Some(#initial) }),
                    None => quote!(::core::option::Option::None),
                };
                quote! {
                    #[allow(non_camel_case_types)]
                    enum #tag {}
                    let #variable =
                        <#ty as ::lanewise_std::kernel::AtEntry>::at_entry::<#tag>(#initial);
                }
            },
        );
        Some(quote! {
            #(#made)*
            // A constant, so that no other kernel has the instructions of a cluster, not even for
            // a debugger.
            if const { #(<#types as ::lanewise_std::kernel::AtEntry>::OF_CLUSTER)||* } {
                ::lanewise_std::meet_in_cluster();
            } else if #(<#types as ::lanewise_std::kernel::AtEntry>::meeting())||* {
                ::lanewise_std::meet_in_block();
            }
        })
    }

    /// Returns the arguments of the kernel's body, in the entry point.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = TokenStream> {
        self.0
            .iter()
            .map(|it| variable(&it.name).into_token_stream())
    }
}

/// Returns whether a kernel's entry point makes values of this type.
fn is_made_at_entry(ty: &Type) -> bool {
    let others = ["SharedStages", "WorkStealing", "TensorMemory"];
    has_arrivals(ty) || others.iter().any(|name| is_called(ty, name))
}

/// Returns whether threads arrive at values of this type.
fn has_arrivals(ty: &Type) -> bool {
    ["Barrier", "Barriers", "Pipeline"]
        .iter()
        .any(|name| is_called(ty, name))
}

/// Returns whether the type's path ends with this name.
fn is_called(ty: &Type, name: &str) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}

/// Returns the name of the variable in the entry point.
fn variable(name: &Ident) -> Ident {
    format_ident!("__made_{name}")
}

/// Returns the name of the type that tells a declaration from others.
fn tag(name: &Ident) -> Ident {
    format_ident!("Shared_{name}")
}

fn declaration(declaration: &Declaration) -> TokenStream {
    let Declaration {
        attributes,
        name,
        ty,
        ..
    } = declaration;
    let tag = tag(name);
    // An array of cells is the same for all who hold it. The types with phases are borrowed, so the
    // variable is `mut`.
    let (binding, array) = match ty {
        Type::Array(TypeArray { elem, len, .. }) => (
            quote!(#name),
            quote!(::lanewise_std::shared::SharedArray::<#elem, { #len }>::of_declaration::<#tag>()),
        ),
        ty => (
            quote!(mut #name),
            quote!(<#ty as ::lanewise_std::phased::Declared>::of_declaration::<#tag>()),
        ),
    };
    quote! {
        #(#attributes)*
        #[allow(non_snake_case, unused_mut)]
        let #binding = {
            #[allow(non_camel_case_types)]
            enum #tag {}
            #array
        };
    }
}

#[cfg(test)]
mod tests {
    fn error(item: &str) -> String {
        let item = item.parse().expect("the case is Rust");
        super::expand(item)
            .expect_err("the declaration is wrong")
            .to_string()
    }

    #[test]
    fn says_what_shared_memory_cannot_have() {
        assert!(
            error("static A: [f32; 8] = [0.0; 8];")
                .starts_with("shared memory has no initial value")
        );
        assert!(
            error("static A: SharedTile<f32, 8, 8> = 1;")
                .starts_with("shared memory has no initial value")
        );
        assert!(error("static A: Barrier<Block> = 1;").starts_with("it is declared in the first"));
        assert!(error("static mut A: [f32; 8];").starts_with("leave `mut` out"));
        assert!(error("static A: &[f32];").starts_with("shared memory holds arrays"));
    }

    #[test]
    fn declares_each_array() {
        let item = "/// Numbers.\nstatic A: [f32; 8]; static B: [[i32; N + 1]; N];"
            .parse()
            .expect("the case is Rust");
        let code = super::expand(item).expect("both are right").to_string();
        assert!(
            code.contains("let A =") && code.contains("let B ="),
            "{code}"
        );
    }
}
