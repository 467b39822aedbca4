//! Each handle leads to its own crate's kernel and static.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_kernel_of_the_same_name_is_launched_safely_beside_the_catalogs(
        terms in prop::collection::vec((any::<u32>(), -1e30f32..1e30), 1..300),
        second in 0..u64::from(u32::MAX),
    ) {
        let (numbers, floats): (Vec<u32>, Vec<f32>) = terms.into_iter().unzip();
        let (own, catalog) = outside::sums(&numbers, second, &floats).expect("both run");
        // As `own_kernels` says: the two factors are 3 and 5.
        let sum = |number: &u32| u64::from(*number) * 3 + second * 5;
        prop_assert_eq!(own, numbers.iter().map(sum).collect::<Vec<_>>());
        prop_assert_eq!(catalog, floats.iter().map(|float| float + float).collect::<Vec<_>>());
    }
}

#[test]
fn a_static_of_the_same_name_is_the_crates_own() {
    assert_eq!(outside::values().expect("both are there"), ([3, 5], 1.5));
}

/// The catalog is a dependency of the kernel crate, and its kernels are not in that crate's PTX.
#[test]
fn a_modules_kernels_are_those_of_its_crate() {
    let device = lanewise::Device::open().expect("a device");
    let module = device.module::<own_kernels::Ptx>().expect("it loads");
    assert_eq!(module.kernels(), ["vec_add"]);
}
