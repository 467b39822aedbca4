//! `#[kernel]` as other projects write it, for `lanewise_compat`.
//!
//! Rust-CUDA writes `pub unsafe extern "C" fn`; the ABI is removed here. Both projects declare
//! shared memory as mutable statics, which [`statics`] turns into `shared!` arrays. cuda-oxide's
//! slices have index spaces: the kernel takes this crate's slice and converts it to cuda-oxide's.
//! cuda-oxide's attributes on loops and launches become this crate's attributes, or are removed if
//! they are only hints.

mod statics;
mod text;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, ExprForLoop, ExprLoop, ExprWhile, FnArg, GenericArgument, Item, ItemFn, Meta, Pat,
    PathArguments, Stmt, Token, Type, TypePath, parse_quote,
};

pub(crate) use text::{printf, println};

/// The attribute `#[kernel]` as the other projects write it.
pub(crate) fn kernel(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    function.sig.abi = None;
    statics::share(&mut function.block);
    ordinary_body(&mut function);
    index_spaces(&mut function);
    // Code that is unsafe in the other projects may be safe here. A place behind an address takes
    // references as a mutable static does.
    function
        .attrs
        .push(parse_quote!(#[allow(unused_unsafe, dangerous_implicit_autorefs)]));
    let companions = function.attrs.iter().map(|attribute| attribute.path());
    let imported = companions.filter(|path| COMPANIONS.iter().any(|name| is(path, name)));
    // `#[kernel]` reads these attributes itself. In the other projects they are imported macros,
    // and the import should count as used.
    let uses = quote!(#(#[#imported] const _: () = ();)*);
    for attribute in &mut function.attrs {
        launch_contract(attribute)?;
    }
    // In the other projects the target is the GPU's own. Here a module may be built for a target
    // that lacks what the kernel calls.
    let options = match earliest(&function) {
        Some(arch) if options.is_empty() => quote!(min_arch = #arch),
        _ => options,
    };
    let kernel = crate::kernel::expand(options, quote!(#function))?;
    Ok(quote!(#uses #kernel))
}

/// Attributes that are used together with `#[kernel]`.
const COMPANIONS: [&str; 4] = [
    "launch_bounds",
    "cluster_launch",
    "cooperative_launch",
    "launch_contract",
];

/// Returns the earliest target that supports what a kernel names, if some targets do not.
fn earliest(function: &ItemFn) -> Option<&'static str> {
    let has_cluster = |attribute: &Attribute| is(attribute.path(), "cluster_launch");
    let mut arch = function.attrs.iter().any(has_cluster).then_some("sm_90");
    names(function.to_token_stream(), &mut |name| {
        let of_hopper_alone = ["wgmma_", "tensormap_replace_", "replace_tma_"];
        if of_hopper_alone.iter().any(|start| name.starts_with(start)) {
            arch = Some("sm_90a");
        } else if name == "TmaDescriptor" {
            arch = arch.or(Some("sm_90"));
        }
    });
    arch
}

/// Calls `each` with every identifier in the tokens.
fn names(tokens: TokenStream, each: &mut impl FnMut(&str)) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => names(group.stream(), each),
            TokenTree::Ident(name) => each(&name.to_string()),
            _ => {}
        }
    }
}

/// Returns whether a path ends in this name.
fn is(path: &syn::Path, name: &str) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == name)
}

/// Turns `#[launch_contract(domain = 1, block = (128, 1, 1))]` into `dims = 1`. The other clauses
/// only concern that project's own launches.
fn launch_contract(attribute: &mut Attribute) -> syn::Result<()> {
    if !is(attribute.path(), "launch_contract") {
        return Ok(());
    }
    let clauses = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    let clauses = clauses.iter().filter_map(|clause| match clause {
        Meta::NameValue(clause) if clause.path.is_ident("domain") => {
            let dimensions = &clause.value;
            Some(quote!(dims = #dimensions))
        }
        clause if clause.path().is_ident("block") => Some(quote!(#clause)),
        _ => None,
    });
    *attribute = parse_quote!(#[launch_contract(#(#clauses),*)]);
    Ok(())
}

/// Expands `#[device]`. In a function, floats get their methods and nothing else changes. A static
/// becomes a static of the device.
pub(crate) fn device(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    match syn::parse2::<Item>(item.clone())? {
        Item::Fn(mut function) => {
            ordinary_body(&mut function);
            Ok(quote!(#function))
        }
        Item::Static(_) => crate::device::expand(options, item),
        other => Ok(quote!(#other)),
    }
}

/// Turns parameters `DisjointSlice<T, Space>` into this crate's slices, which the body converts
/// back. If the host gives the length of rows, a further parameter follows for it.
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
            // SAFETY: all threads run this statement, with the kernel's parameters.
            made.push(
                parse_quote!(let #mutability #name = unsafe { <#path>::of(#name, #layout) };),
            );
            *typed.ty = parse_quote!(::lanewise_std::DisjointSlice<#element>);
        }
        inputs.push(input);
        inputs.extend(behind);
    }
    function.sig.inputs = inputs;
    function.block.stmts.splice(0..0, made);
}

/// Returns the element type of `DisjointSlice<T, Space>`, and whether the host gives the length
/// of its rows.
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

/// Changes what other projects allow in a body but Rust does not. `x.sin()` is a method of `std`'s
/// floats there, and of a trait here, which such a function does not import. Loops have `#[unroll]`
/// there, a hint that LLVM does not need.
fn ordinary_body(function: &mut ItemFn) {
    Loops.visit_block_mut(&mut function.block);
    let import = parse_quote!(
        #[allow(unused_imports)]
        use ::lanewise_std::math::Float as _;
    );
    function.block.stmts.insert(0, import);
}

/// Removes `#[unroll]` and `#[unroll(4)]` from loops.
struct Loops;

impl Loops {
    fn strip(attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !is(attribute.path(), "unroll"));
    }
}

impl VisitMut for Loops {
    fn visit_expr_while_mut(&mut self, node: &mut ExprWhile) {
        Self::strip(&mut node.attrs);
        visit_mut::visit_expr_while_mut(self, node);
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        Self::strip(&mut node.attrs);
        visit_mut::visit_expr_for_loop_mut(self, node);
    }

    fn visit_expr_loop_mut(&mut self, node: &mut ExprLoop) {
        Self::strip(&mut node.attrs);
        visit_mut::visit_expr_loop_mut(self, node);
    }
}
