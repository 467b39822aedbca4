//! Mutable statics as shared memory. The other projects' own compilers place them there, which
//! stock rustc cannot do.
//!
//! cuda-oxide's `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`, its barriers, and
//! Rust-CUDA's `#[address_space(shared)] static mut TILE: [T; N] = ..;` become `shared!` arrays of
//! one element. `TILE` in the body becomes the place at its address, so that `&raw mut TILE` and
//! `addr_of_mut!(TILE)` are addresses in shared memory.

use proc_macro2::{Group, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, Ident, Item, ItemStatic, Macro, Stmt, Type, parse_quote};

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
                Stmt::Item(Item::Static(item)) if is_shared(item) => {
                    block.stmts.extend(place(item));
                    places.push(item.ident.clone());
                }
                _ => block.stmts.push(statement),
            }
        }
        if !places.is_empty() {
            let mut uses = Uses { places };
            let statements = block.stmts.iter_mut();
            statements.for_each(|statement| uses.visit_stmt_mut(statement));
        }
    }
}

/// Returns whether a static is in shared memory.
fn is_shared(item: &ItemStatic) -> bool {
    item.attrs.iter().any(is_address_space) || is_uninitialised(item)
}

/// Returns whether an attribute is Rust-CUDA's `#[address_space(shared)]`.
fn is_address_space(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "address_space")
        && attribute
            .parse_args::<Ident>()
            .is_ok_and(|space| space == "shared")
}

/// Returns whether a static is a shared array or a barrier of cuda-oxide.
fn is_uninitialised(item: &ItemStatic) -> bool {
    let (Type::Path(ty), Expr::Path(value)) = (&*item.ty, &*item.expr) else {
        return false;
    };
    let [ty, value] = [&ty.path, &value.path].map(|path| path.segments.last());
    ty.is_some_and(|ty| ty.ident == "SharedArray" || ty.ident == "Barrier")
        && value.is_some_and(|value| value.ident == "UNINIT")
}

/// Returns the name of the variable with the address of a static.
fn address(name: &Ident) -> Ident {
    format_ident!("__{name}_address")
}

/// Declares one value of the static's type in shared memory, and its address.
fn place(item: &ItemStatic) -> Vec<Stmt> {
    let (name, ty) = (address(&item.ident), &item.ty);
    let declared = format_ident!("__{}", item.ident);
    let mut statements = vec![
        parse_quote!(::lanewise_macros::shared! { static #declared: [#ty; 1]; }),
        parse_quote!(
            #[allow(non_snake_case)]
            let #name: *mut #ty = #declared.as_ptr();
        ),
    ];
    // The attribute is imported, and the import should count as used.
    let attributes = item.attrs.iter().filter(|it| is_address_space(it));
    statements.extend(attributes.map(|it| parse_quote!(#it const _: () = ();)));
    statements
}

/// Replaces each use of a static by `(*address)`, which is a place like a mutable static.
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

    /// A macro's arguments may be any tokens: `addr_of_mut!(TILE)`.
    fn visit_macro_mut(&mut self, called: &mut Macro) {
        called.tokens = self.replaced(std::mem::take(&mut called.tokens));
    }
}

impl Uses {
    /// Replaces the statics in tokens, except names of fields and names within a path.
    fn replaced(&self, tokens: TokenStream) -> TokenStream {
        // Whether the last token was `.`, and whether it was the second `:` of `::`.
        let (mut is_field, mut colons) = (false, 0);
        let mut replaced = TokenStream::new();
        for token in tokens {
            let within = is_field || colons == 2;
            (is_field, colons) = match &token {
                TokenTree::Punct(it) if it.as_char() == '.' => (it.spacing() == Spacing::Alone, 0),
                TokenTree::Punct(it) if it.as_char() == ':' => (false, colons + 1),
                _ => (false, 0),
            };
            match token {
                TokenTree::Ident(name) if !within && self.places.contains(&name) => {
                    let name = address(&name);
                    quote!((*#name)).to_tokens(&mut replaced);
                }
                TokenTree::Group(group) => {
                    let inner = self.replaced(group.stream());
                    let mut inner = Group::new(group.delimiter(), inner);
                    inner.set_span(group.span());
                    inner.to_tokens(&mut replaced);
                }
                token => token.to_tokens(&mut replaced),
            }
        }
        replaced
    }
}
