//! Names that a kernel's author may choose although the expansions use names too. That this file
//! compiles is the test; the device's side of the same is `names` in lanewise-std's test kernels.

use lanewise_macros::{gpu_printf, kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::kernel::{Kernel, Value};

/// A name that the expansion might use too.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Parameters(pub u32);

// SAFETY: one number, for both sides.
unsafe impl Value for Parameters {}

/// `buffer` and `Parameters` are what a launch from a kernel stores; a slice's length
/// travels beside it.
#[kernel]
pub fn names(buffer: &[f32], buffer_length: u32, parameters: Parameters, r#type: GlobalMut<u32>) {
    struct Text;
    impl Text {
        const SIZE: u32 = 7;
    }
    shared! {
        /// A comment is no attribute of what it becomes.
        static ENTRY: [u32; 4];
    }
    gpu_printf!("{} {}\n", Text::SIZE, buffer_length);
    // SAFETY: nobody runs this.
    unsafe {
        ENTRY.set(0, parameters.0);
        r#type.set(buffer.len(), ENTRY.get(0));
    }
}

/// A macro passes types in invisible groups.
macro_rules! kernel_of {
    ($name:ident, $slice:ty, $value:ty) => {
        #[kernel]
        pub fn $name(input: $slice, factor: $value) {
            let _ = (input, factor);
        }
    };
}

kernel_of!(from_a_macro, &[f32], u32);

/// A parameter's type and the contract name the const parameter.
#[kernel(instances(2, 4))]
#[launch_contract(dims = 1, block = (N))]
pub fn of_each_size<const N: usize>(coefficients: [f32; N], mut out: GlobalMut<[f32; N]>) {
    // SAFETY: nobody runs this.
    unsafe { out.set(0, coefficients) };
    out = out.part(0, 1);
    let _ = out;
}

#[test]
fn each_entry_point_has_its_own_const_parameter() {
    let block = |contract: lanewise_std::kernel::LaunchContract| contract.block.map(|it| it[0]);
    assert_eq!(block(of_each_size::<2>::CONTRACT), Some(2));
    assert_eq!(block(of_each_size::<4>::CONTRACT), Some(4));
    fn takes<K: Kernel<Params = ([f32; 4], GlobalMut<'static, [f32; 4]>)>>(_: K) {}
    takes(of_each_size::<4>);
}

#[test]
fn a_kernel_is_described_by_the_names_that_it_was_written_with() {
    let of = |params: &[lanewise_std::kernel::Param]| {
        params.iter().map(|it| it.name).collect::<Vec<_>>()
    };
    assert_eq!(
        of(names::PARAMS),
        ["buffer", "buffer_length", "parameters", "r#type"]
    );
    assert_eq!(of(from_a_macro::PARAMS), ["input", "factor"]);
    assert_eq!(from_a_macro::PARAMS[0].ty, "&[f32]");
}
