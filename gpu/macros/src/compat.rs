//! `#[kernel]` as other projects write it, for `lanewise_std::compat`.
//!
//! Rust-CUDA writes `pub unsafe extern "C" fn`; the ABI is left out here. cuda-oxide declares a shared array as a mutable static with
//! an initialiser, which its own compiler moves to shared memory; stock rustc cannot, so such a static becomes a `shared!` array with
//! a view of it under the same name.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, GenericArgument, Item, ItemFn, ItemStatic, PathArguments, Stmt, Type, parse_quote,
};

/// The attribute `#[kernel]` as the other projects write it.
pub(crate) fn kernel(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    function.sig.abi = None;
    SharedStatics.visit_block_mut(&mut function.block);
    float_methods(&mut function);
    // What was unsafe with a mutable static need not be with a view.
    function.attrs.push(parse_quote!(#[allow(unused_unsafe)]));
    let companions = function.attrs.iter().map(|attribute| attribute.path());
    let imported = companions.filter(|path| {
        let last = path.segments.last();
        last.is_some_and(|last| last.ident == "launch_bounds" || last.ident == "cluster_launch")
    });
    // `#[kernel]` reads these itself; there they are macros, which are imported, and the import is to count as used.
    let uses = quote!(#(#[#imported] const _: () = ();)*);
    let kernel = crate::kernel::expand(options, quote!(#function))?;
    Ok(quote!(#uses #kernel))
}

/// `#[device]`: on a function nothing but that floats have their methods; a static becomes one of the device.
pub(crate) fn device(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    match syn::parse2::<Item>(item.clone())? {
        Item::Fn(mut function) => {
            float_methods(&mut function);
            Ok(quote!(#function))
        }
        Item::Static(_) => crate::device::expand(options, item),
        other => Ok(quote!(#other)),
    }
}

/// `x.sin()` is a method of `std`'s floats, and of a trait here, which such a function need not import.
fn float_methods(function: &mut ItemFn) {
    let import = parse_quote!(
        #[allow(unused_imports)]
        use ::lanewise_std::math::Float as _;
    );
    function.block.stmts.insert(0, import);
}

/// `println!`: the text ends its line.
pub(crate) fn println(item: TokenStream) -> syn::Result<TokenStream> {
    let mut tokens = item.into_iter();
    let format = match tokens.next() {
        Some(TokenTree::Literal(literal)) => {
            let text: syn::LitStr = syn::parse2(TokenTree::Literal(literal).into())?;
            let mut line = Literal::string(&(text.value() + "\n"));
            line.set_span(text.span());
            line
        }
        Some(other) => return Err(syn::Error::new(other.span(), "a format should stand here")),
        None => Literal::string("\n"),
    };
    crate::printf::expand(quote!(#format #(#tokens)*))
}

/// Turns `static mut NAME: SharedArray<T, N> = SharedArray::UNINIT;` into a `shared!` array.
struct SharedStatics;

impl VisitMut for SharedStatics {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        let statements = std::mem::take(&mut block.stmts);
        for statement in statements {
            match &statement {
                Stmt::Item(Item::Static(item)) => match shared_array(item) {
                    Some((element, length)) => block.stmts.extend(view(item, element, length)),
                    None => block.stmts.push(statement),
                },
                _ => block.stmts.push(statement),
            }
        }
    }
}

/// The element type and length of a static that is a shared array.
fn shared_array(item: &ItemStatic) -> Option<(&Type, TokenStream)> {
    let Type::Path(path) = &*item.ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let Expr::Path(value) = &*item.expr else {
        return None;
    };
    if last.ident != "SharedArray" || value.path.segments.last()?.ident != "UNINIT" {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut arguments = arguments.args.iter();
    let Some(GenericArgument::Type(element)) = arguments.next() else {
        return None;
    };
    // The length may be a literal, a block, or the name of a constant, which parses as a type.
    let length = arguments.next()?;
    Some((element, quote!(#length)))
}

/// The array, and a view of it under the static's name.
fn view(item: &ItemStatic, element: &Type, length: TokenStream) -> [Stmt; 2] {
    let (name, ty) = (&item.ident, &item.ty);
    let array = format_ident!("__{name}");
    [
        parse_quote!(::lanewise_macros::shared! { static #array: [#element; #length]; }),
        parse_quote!(
            #[allow(non_snake_case, unused_mut)]
            let mut #name = <#ty>::of(#array);
        ),
    ]
}
