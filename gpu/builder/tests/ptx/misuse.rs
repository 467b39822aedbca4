//! What people are told who do not know the rules of kernels yet: rustc's whole message, with file, line and a way out.
//!
//! The mistakes are the modules of `fixtures/misuse`, one feature each.

use crate::errors::message;

macro_rules! mistakes {
    ($($mistake:ident)*) => {$(
        #[test]
        fn $mistake() {
            insta::assert_snapshot!(message("misuse", stringify!($mistake)));
        }
    )*};
}

mistakes! {
    asynchronous
    atomic_type
    bounds
    companion
    const_parameter
    device_mut
    device_type
    fast_math_option
    index_by_number
    method
    not_a_function
    option
    parameter_mut
    parameter_reference
    parameter_cells
    parameter_type
    printf_count
    printf_format
    printf_type
    return_value
    shared_initial
    shared_scalar
    standard_math
    twice
    type_parameter
    unsafe_set
}
