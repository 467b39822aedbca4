//! Each handle leads to its own crate's kernel and static.

#[test]
fn a_kernel_of_the_same_name_is_launched_safely_beside_the_catalogs() {
    let (own, catalog) = outside::sums().expect("both run");
    assert_eq!(own, [503, 506, 509]);
    assert_eq!(catalog, [2.0, 4.0, 6.0]);
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
