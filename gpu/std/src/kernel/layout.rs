//! Fingerprints of the facts on which the two halves of a kernel, or of a `#[device]` static,
//! have to agree.
//!
//! A kernel is compiled twice, and the same source may mean two things: a `#[cfg]`, a constant or a
//! type may differ between host and device. Then the host would pass arguments that the device does
//! not expect. So `#[kernel]` computes a fingerprint on each side. It covers the parameters' names
//! and types, the layouts of those types, and the launch contract. `#[device]` does the same for a
//! static, because the host could otherwise read a value of another type. The builder writes the
//! device's fingerprint into the [`Module`]. The host's half does not compile if its own
//! fingerprint is different.

use core::marker::PhantomData;

pub use super::fingerprint::{START, digits, number, of_size, text};
use super::{Factor, GridSize, LaunchContract, Module, Value};

/// Returns the fingerprint of the input so far followed by the clauses of a contract.
#[must_use]
pub const fn contract(start: u64, contract: LaunchContract) -> u64 {
    let [x, y, z] = match contract.block {
        Some(block) => block,
        None => [0; 3],
    };
    let (whole, narrow) = (contract.whole_warps as u64, contract.narrow as u64);
    let it = number(start, contract.dimensions as u64);
    let it = number(number(it, x as u64), (y as u64) << 32 | z as u64);
    let it = match contract.grid {
        Some([x, y, z]) => number(number(number(it, grid_size(x)), grid_size(y)), grid_size(z)),
        None => it,
    };
    let mut it = number(it, whole << 1 | narrow);
    let mut rest = contract.lengths;
    while let [clause, others @ ..] = rest {
        // The text names parameters, which are covered themselves, and constants.
        it = text(it, clause.text);
        let mut factors = clause.factors;
        while let [factor, others @ ..] = factors {
            if let Factor::Constant(constant) = factor {
                it = number(it, *constant);
            }
            factors = others;
        }
        rest = others;
    }
    it
}

const fn grid_size(size: GridSize) -> u64 {
    (size.least as u64) << 32 | size.most as u64
}

/// Returns the fingerprint of a type of this library, whose name identifies it.
#[must_use]
pub(crate) const fn named(name: &str) -> u64 {
    text(START, name)
}

/// Returns the fingerprint of this layout with another alignment.
pub(crate) const fn aligned(layout: u64, alignment: usize) -> u64 {
    super::fingerprint::number(text(layout, "aligned"), alignment as u64)
}

/// Returns the fingerprint of a static that holds a value of type `T`, in the kind of memory
/// with this name.
#[must_use]
pub const fn of_static<T: Value>(kind: &str) -> u64 {
    number(text(START, kind), T::LAYOUT)
}

/// Contains the fingerprint of a type that is a [`Value`]. For other types, [`OfSize`] supplies it.
pub struct Layout<T>(PhantomData<T>);

impl<T: Value> Layout<T> {
    /// The fingerprint of the type's layout.
    pub const NUMBER: u64 = T::LAYOUT;
    /// The fingerprint covers the whole layout of the type.
    pub const IS_VALUE: bool = true;
}

/// The fingerprint of any type. The inherent constants of [`Layout`] take precedence over it.
pub trait OfSize {
    /// The fingerprint of the size and the alignment of the type.
    const NUMBER: u64;
    /// The meaning of the type's bytes may differ between host and device without
    /// a different fingerprint.
    const IS_VALUE: bool = false;
}

impl<T> OfSize for Layout<T> {
    const NUMBER: u64 = of_size::<T>();
}

/// Compiles only if every entry for this kernel in the builder's list has the same fingerprint.
///
/// ```compile_fail,E0080
/// use lanewise_std::kernel::{Module, PtxText, Renamed, layout};
///
/// #[derive(Clone, Copy)]
/// struct Ptx;
///
/// // SAFETY: there is no text.
/// unsafe impl Module for Ptx {
///     const NAME: &'static str = "demo";
///     const PATH: &'static str = "demo";
///     const TEXTS: &'static [PtxText] = &[];
///     const RENAMED: &'static [Renamed] = &[];
///     const LAYOUTS: &'static [(&'static str, u64)] = &[("scale", 1)];
/// }
///
/// const _: () = layout::assert_agree::<Ptx>("scale", 2);
/// ```
pub const fn assert_agree<M: Module>(symbol: &str, layout: u64) {
    assert!(
        agree(M::LAYOUTS, symbol, layout),
        "this kernel differs between the device and the host: a `#[cfg]`, a constant or a type of its parameters or its contract \
         is not the same on both"
    );
}

/// Compiles only if every entry for this static in the builder's list has the same fingerprint.
///
/// ```compile_fail,E0080
/// # use lanewise_std::kernel::{Module, PtxText, Renamed, layout};
/// # #[derive(Clone, Copy)]
/// # struct Ptx;
/// # // SAFETY: there is no text.
/// # unsafe impl Module for Ptx {
/// #     const NAME: &'static str = "demo";
/// #     const PATH: &'static str = "demo";
/// #     const TEXTS: &'static [PtxText] = &[];
/// #     const RENAMED: &'static [Renamed] = &[];
/// #     const LAYOUTS: &'static [(&'static str, u64)] = &[("TABLE", 1)];
/// # }
/// const _: () = layout::assert_same_static::<Ptx>("TABLE", 2);
/// ```
pub const fn assert_same_static<M: Module>(symbol: &str, layout: u64) {
    assert!(
        agree(M::LAYOUTS, symbol, layout),
        "this static differs between the device and the host: a `#[cfg]` or a constant changes its type, or a type within it"
    );
}

/// Returns whether all entries of this symbol, in a sorted list, have this fingerprint.
const fn agree(layouts: &[(&str, u64)], symbol: &str, layout: u64) -> bool {
    let (mut start, mut end) = (0, layouts.len());
    while start < end {
        let middle = start + (end - start) / 2;
        if is_less(layouts[middle].0.as_bytes(), symbol.as_bytes()) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    while start < layouts.len() && !is_less(symbol.as_bytes(), layouts[start].0.as_bytes()) {
        if layouts[start].1 != layout {
            return false;
        }
        start += 1;
    }
    true
}

/// Compares texts as `<` does. The operator cannot be used in a constant.
const fn is_less(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

#[cfg(test)]
mod tests {
    use super::super::LengthClause;
    use super::{OfSize as _, *};

    #[test]
    fn types_are_told_apart_by_what_they_are_made_of() {
        const { assert!(<Layout<bool>>::NUMBER != <Layout<u8>>::NUMBER) };
        const { assert!(<Layout<[u32; 4]>>::NUMBER != <Layout<[u32; 16]>>::NUMBER) };
        const { assert!(<Layout<[f32; 4]>>::NUMBER != <Layout<[u32; 4]>>::NUMBER) };
        // A type that is not a `Value` has the fingerprint of its size.
        struct Own(#[allow(dead_code)] u64);
        const { assert!(<Layout<Own>>::NUMBER == of_size::<u64>()) };
        const { assert!(!<Layout<Own>>::IS_VALUE && <Layout<u64>>::IS_VALUE) };
    }

    /// Two clauses whose texts are equal, but `N` is not.
    const FOUR: LengthClause = LengthClause {
        text: "len(a) == N",
        slice: 0,
        may_be_longer: false,
        factors: &[Factor::Constant(4)],
    };
    const FIVE: LengthClause = LengthClause {
        factors: &[Factor::Constant(5)],
        ..FOUR
    };

    #[test]
    fn every_clause_of_a_contract_counts() {
        let any = LaunchContract::ANY;
        let others = [
            any,
            LaunchContract {
                dimensions: 2,
                ..any
            },
            LaunchContract {
                block: Some([32, 8, 1]),
                ..any
            },
            LaunchContract {
                block: Some([32, 1, 8]),
                ..any
            },
            LaunchContract {
                grid: Some([GridSize { least: 1, most: 2 }; 3]),
                ..any
            },
            LaunchContract {
                grid: Some([GridSize { least: 2, most: 2 }; 3]),
                ..any
            },
            LaunchContract {
                whole_warps: true,
                ..any
            },
            LaunchContract {
                narrow: true,
                ..any
            },
            LaunchContract {
                lengths: &[FOUR],
                ..any
            },
            LaunchContract {
                lengths: &[FIVE],
                ..any
            },
            LaunchContract {
                lengths: &[FOUR, FOUR],
                ..any
            },
        ];
        let numbers = others.map(|it| contract(START, it));
        for (i, one) in numbers.iter().enumerate() {
            assert!(!numbers[i + 1..].contains(one), "{:?}", others[i]);
        }
    }

    #[test]
    fn types_of_the_library_are_told_apart_by_their_names() {
        use crate::half::{Bf16, F16};
        use crate::surface::Surface2d;
        use crate::texture::{Texture1d, Texture2d};
        use crate::vector::{Float2, UInt2};
        const { assert!(<Layout<Texture1d>>::NUMBER != <Layout<Texture2d>>::NUMBER) };
        const { assert!(<Layout<Texture2d>>::NUMBER != <Layout<Surface2d>>::NUMBER) };
        const { assert!(<Layout<F16>>::NUMBER != <Layout<Bf16>>::NUMBER) };
        const { assert!(<Layout<Float2>>::NUMBER != <Layout<UInt2>>::NUMBER) };
    }

    #[test]
    fn statics_are_told_apart_by_type_and_memory() {
        let numbers = [
            of_static::<[f32; 4]>("DeviceGlobal"),
            of_static::<[u32; 4]>("DeviceGlobal"),
            of_static::<u128>("DeviceGlobal"),
            of_static::<[f32; 4]>("ConstantMemory"),
        ];
        for (i, one) in numbers.iter().enumerate() {
            assert!(!numbers[i + 1..].contains(one), "{i}");
        }
        assert_eq!(&digits(0x0123_4567_89ab_cdef), b"0123456789abcdef");
    }

    #[test]
    fn all_entries_of_a_symbol_have_to_agree() {
        let layouts = [("a", 1), ("b", 2), ("b", 3), ("bb", 4), ("c", 5)];
        assert!(agree(&layouts, "a", 1) && agree(&layouts, "bb", 4) && agree(&layouts, "c", 5));
        assert!(!agree(&layouts, "a", 2) && !agree(&layouts, "c", 4));
        assert!(!agree(&layouts, "b", 2), "of two targets one differs");
        // A kernel that the builder has left out cannot be launched.
        for absent in ["", "aa", "d"] {
            assert!(agree(&layouts, absent, 9));
        }
        assert!(agree(&[], "a", 1));
    }
}
