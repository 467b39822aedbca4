//! `#[kernel]` as other projects write it, for `lanewise_std::compat`.
//!
//! Rust-CUDA writes `pub unsafe extern "C" fn`; the ABI is left out here. cuda-oxide declares a shared array as a mutable static with
//! an initialiser, which its own compiler moves to shared memory; stock rustc cannot, so such a static becomes a `shared!` array with
//! a view of it under the same name; a barrier likewise. Its slices have index spaces: the kernel takes this crate's, and makes the other of it.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, FnArg, GenericArgument, Item, ItemFn, ItemStatic, Pat, PathArguments, Stmt, Type,
    TypePath, parse_quote,
};

/// The attribute `#[kernel]` as the other projects write it.
pub(crate) fn kernel(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    function.sig.abi = None;
    SharedStatics.visit_block_mut(&mut function.block);
    float_methods(&mut function);
    index_spaces(&mut function);
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

/// Parameters `DisjointSlice<T, Space>` become this crate's own, of which the body makes the other; where the host says how long rows are, it is
/// a parameter behind.
fn index_spaces(function: &mut ItemFn) {
    let mut made: Vec<Stmt> = Vec::new();
    let mut inputs = Punctuated::new();
    for mut input in std::mem::take(&mut function.sig.inputs) {
        let mut behind: Option<FnArg> = None;
        if let FnArg::Typed(typed) = &mut input
            && let Pat::Ident(pattern) = &mut *typed.pat
            && let Type::Path(path) = &*typed.ty
            && let Some((element, is_pitched)) = disjoint_slice(path)
        {
            let (name, mutability) = (pattern.ident.clone(), pattern.mutability.take());
            let pitch = format_ident!("__{name}_pitch");
            let layout = match is_pitched {
                true => quote!(#pitch),
                false => quote!(()),
            };
            behind = is_pitched.then(|| parse_quote!(#pitch: u32));
            made.push(parse_quote!(let #mutability #name = <#path>::of(#name, #layout);));
            *typed.ty = parse_quote!(::lanewise_std::DisjointSlice<#element>);
        }
        inputs.push(input);
        inputs.extend(behind);
    }
    function.sig.inputs = inputs;
    function.block.stmts.splice(0..0, made);
}

/// The element type of `DisjointSlice<T, Space>`, and whether the space is one whose rows the host measures.
fn disjoint_slice(path: &TypePath) -> Option<(Type, bool)> {
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    if last.ident != "DisjointSlice" {
        return None;
    }
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let element = types.next()?.clone();
    let is_pitched = match types.next() {
        Some(Type::Path(space)) => {
            let last = space.path.segments.last();
            last.is_some_and(|last| last.ident == "Runtime2DIndex")
        }
        _ => false,
    };
    Some((element, is_pitched))
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
                Stmt::Item(Item::Static(item)) => match shared_storage(item) {
                    Some(storage) => block.stmts.extend(view(item, &storage)),
                    None => block.stmts.push(statement),
                },
                _ => block.stmts.push(statement),
            }
        }
    }
}

/// What `shared!` declares for a static that is a shared array or a barrier.
fn shared_storage(item: &ItemStatic) -> Option<TokenStream> {
    let Type::Path(path) = &*item.ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let Expr::Path(value) = &*item.expr else {
        return None;
    };
    if value.path.segments.last()?.ident != "UNINIT" {
        return None;
    }
    if last.ident == "Barrier" {
        return Some(quote!([::lanewise_std::barrier::BarrierStorage; 1]));
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    if last.ident != "SharedArray" {
        return None;
    }
    let mut arguments = arguments.args.iter();
    let Some(GenericArgument::Type(element)) = arguments.next() else {
        return None;
    };
    // The length may be a literal, a block, or the name of a constant, which parses as a type.
    let length = arguments.next()?;
    let align = arguments
        .next()
        .map_or_else(|| quote!(0), |align| quote!(#align));
    Some(quote!([::lanewise_std::compat::cuda_device::Aligned<[#element; #length], #align>; 1]))
}

/// The storage, and a view of it under the static's name.
fn view(item: &ItemStatic, storage: &TokenStream) -> [Stmt; 2] {
    let (name, ty) = (&item.ident, &item.ty);
    let declared = format_ident!("__{name}");
    [
        parse_quote!(::lanewise_macros::shared! { static #declared: #storage; }),
        parse_quote!(
            #[allow(non_snake_case, unused_mut)]
            let mut #name = <#ty>::of(#declared);
        ),
    ]
}
