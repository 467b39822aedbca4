//! Shared memory as mutable statics, which the other projects' own compilers move there; stock rustc cannot.
//!
//! cuda-oxide's `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;` becomes a `shared!` array with a view of it under the same name; a barrier
//! likewise. Rust-CUDA's `#[address_space(shared)] static mut TILE: [T; N] = ..;` becomes one too, and `TILE` in the body the place that it is at.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, GenericArgument, Ident, Item, ItemStatic, PathArguments, Stmt, Type,
    parse_quote,
};

/// Turns the statics of a kernel's body into shared arrays.
pub(super) fn share(body: &mut Block) {
    Statics.visit_block_mut(body);
}

struct Statics;

impl VisitMut for Statics {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut places = Vec::new();
        for statement in std::mem::take(&mut block.stmts) {
            match &statement {
                Stmt::Item(Item::Static(item)) => {
                    if let Some(attribute) = item.attrs.iter().find(|it| is_shared(it)) {
                        block.stmts.extend(place(item, attribute));
                        places.push(item.ident.clone());
                    } else if let Some(storage) = storage(item) {
                        block.stmts.extend(view(item, &storage));
                    } else {
                        block.stmts.push(statement);
                    }
                }
                _ => block.stmts.push(statement),
            }
        }
        if !places.is_empty() {
            let mut uses = Uses { places };
            block
                .stmts
                .iter_mut()
                .for_each(|statement| uses.visit_stmt_mut(statement));
        }
    }
}

/// `#[address_space(shared)]`
fn is_shared(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "address_space")
        && attribute
            .parse_args::<Ident>()
            .is_ok_and(|space| space == "shared")
}

/// The address of a static of Rust-CUDA's, under another name.
fn address(name: &Ident) -> Ident {
    format_ident!("__{name}_address")
}

/// One value of the static's type in shared memory, and its address.
fn place(item: &ItemStatic, attribute: &Attribute) -> [Stmt; 3] {
    let (name, ty) = (address(&item.ident), &item.ty);
    let declared = format_ident!("__{}", item.ident);
    [
        parse_quote!(::lanewise_macros::shared! { static #declared: [#ty; 1]; }),
        parse_quote!(
            #[allow(non_snake_case)]
            let #name: *mut #ty = #declared.as_ptr();
        ),
        // The attribute is imported, and the import is to count as used.
        parse_quote!(#attribute const _: () = ();),
    ]
}

/// Puts `(*address)`, which is a place as a mutable static is, where the static is named.
struct Uses {
    places: Vec<Ident>,
}

impl VisitMut for Uses {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        if let Expr::Path(path) = expression
            && let Some(name) = path.path.get_ident()
            && self.places.contains(name)
        {
            let name = address(name);
            *expression = parse_quote!((*#name));
        }
    }
}

/// What `shared!` declares for a static that is a shared array or a barrier of cuda-oxide's.
fn storage(item: &ItemStatic) -> Option<TokenStream> {
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
