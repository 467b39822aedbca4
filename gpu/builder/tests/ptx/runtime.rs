//! The functions that the builder supplies where other targets have a run-time library. The
//! language suite tests their results.

use crate::support::{count, function, module};

#[test]
fn slices_are_compared_by_a_loop_that_the_builder_brings() {
    let ptx = function("same_bytes");
    assert!(
        count(&ptx, "ld.global") + count(&ptx, "ld.b8") >= 2,
        "{ptx}"
    );
    assert_eq!(count(&module("sm_80"), ".extern .func"), 0);
}

#[test]
fn wide_integers_become_floats_by_one_rounding_of_64_bits() {
    let ptx = function("wide_to_float");
    assert_eq!(count(&ptx, "cvt.rn.f64.u64"), 1, "{ptx}");
    assert!(count(&ptx, "clz.b64") > 0, "{ptx}");
}

#[test]
fn floats_become_wide_integers_by_shifts() {
    let ptx = function("float_to_wide");
    assert!(count(&ptx, "shl.b64") + count(&ptx, "shf.l") > 0, "{ptx}");
    assert_eq!(count(&ptx, "cvt.rzi"), 0, "{ptx}");
}

#[test]
fn remainders_are_computed_with_integers() {
    let ptx = function("remainder");
    assert!(count(&ptx, "rem.u64") >= 1, "{ptx}");
    assert_eq!(count(&ptx, "div.rn.f64"), 0, "{ptx}");
}

#[test]
fn what_is_not_asked_for_is_not_linked() {
    let ptx = module("sm_80");
    for name in ["strlen", "bcmp", "__lanewise_f64_to_u128"] {
        assert!(!ptx.contains(name), "{name} is in\n{ptx}");
    }
}
