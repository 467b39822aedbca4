//! Reductions in the tensor: their types, and their results as an H200 computes them.

use lanewise_sim::tensor::Element;

use super::{HOPPER, SHARED, dense, fault, kernel, ok, store};
use crate::common::Rig;

/// The types that an H200 (driver 580.159, 2026-11-22) accepts for each operation. Each type was
/// tried: all others end the kernel.
#[test]
fn reductions_are_of_the_types_that_an_h200_takes() {
    use Element::{Bf16, F16, F32, F64, S32, S64, U8, U16, U32, U64};
    const BOUND: &[Element] = &[U32, S32, U64, S64, F16, Bf16];
    const BITS: &[Element] = &[U32, S32, U64];
    for (operation, taken) in [
        (".add", &[U32, S32, U64, F16, Bf16, F32, F64][..]),
        (".min", BOUND),
        (".max", BOUND),
        (".and", BITS),
        (".or", BITS),
        (".xor", BITS),
        (".inc", &[U32]),
        (".dec", &[U32]),
    ] {
        let rig = Rig::new(&kernel(HOPPER, &store(operation, 1, "tile")));
        let (from, out) = (
            rig.buffer_aligned(&[0u8; 512], 16),
            rig.buffer(&[0u8; SHARED]),
        );
        for element in [U8, U16, U32, S32, U64, S64, F16, Bf16, F32, F64] {
            let map = dense(element, from, &[32], &[16]);
            if taken.contains(&element) {
                ok(&rig, &map, out, [0; 5], [0; 3]);
            } else {
                let text = fault(&rig, &map, out, [0; 5]);
                let words =
                    format!("a reduction that is not defined for elements of type {element:?}");
                assert!(text.contains(&words), "{operation} {element:?}: {text}");
            }
        }
    }
}

/// The results of an H200 (driver 580.159, 2026-11-22) for subnormals, infinities and NaNs: the old
/// words, the operand words, and the new words.
#[test]
fn reductions_of_floats_are_those_of_an_h200() {
    use Element::{Bf16, F16, F32, F32Ftz};
    type Words = &'static [u32];
    let floats: (Words, Words) = (
        &[1, 0x8000_0001, 0x007f_ffff, 0x7f80_0001, 0x7f80_0000],
        &[1, 0, 1, 0, 0xff80_0000],
    );
    let halves: (Words, Words) = (
        &[0x0001_0000, 0x7c01_3c00, 0x8000_0000],
        &[0x0002_8000, 0x3c00_7e00, 0x0000_8000],
    );
    let bfloats: (Words, Words) = (
        &[0x0001_0000, 0x7f81_3f80, 0x8000_0000],
        &[0x0002_8000, 0x3f80_7fc0, 0x0000_8000],
    );
    let table: [(Element, &str, (Words, Words), Words); 8] = [
        (
            F32,
            ".add",
            floats,
            &[2, 0x8000_0001, 0x0080_0000, 0x7fff_ffff, 0x7fff_ffff],
        ),
        (F32Ftz, ".add", floats, &[0, 0, 0, 0x7fff_ffff, 0x7fff_ffff]),
        (
            F16,
            ".add",
            (
                &[0x0001_0001, 0x7c00_0400, 0x7c01_3c00],
                &[0x0001_0001, 0xfc00_8001, 0x3c00_3c00],
            ),
            &[0x0002_0002, 0x7fff_03ff, 0x7fff_4000],
        ),
        (
            Bf16,
            ".add",
            (
                &[0x0001_0001, 0x7f80_0080, 0x7f81_3f80],
                &[0x0001_0001, 0xff80_8001, 0x3f80_3f80],
            ),
            &[0x0002_0002, 0x7fff_007f, 0x7fff_4000],
        ),
        (
            F16,
            ".min",
            halves,
            &[0x0001_8000, 0x3c00_3c00, 0x8000_8000],
        ),
        (
            Bf16,
            ".min",
            bfloats,
            &[0x0001_8000, 0x3f80_3f80, 0x8000_8000],
        ),
        (F16, ".max", halves, &[0x0002_0000, 0x3c00_3c00, 0]),
        (Bf16, ".max", bfloats, &[0x0002_0000, 0x3f80_3f80, 0]),
    ];
    for (element, operation, (there, from), expected) in table {
        let mut body: String = from
            .iter()
            .enumerate()
            .map(|(i, word)| format!("mov.u32 %x0, {word}; st.shared.u32 [%rd3+{}], %x0; ", 4 * i))
            .collect();
        body += "mov.u32 %x0, 0; ";
        for i in from.len()..8 {
            body += &format!("st.shared.u32 [%rd3+{}], %x0; ", 4 * i);
        }
        body += "fence.proxy.async.shared::cta; ";
        body += &store(operation, 1, "tile");
        let rig = Rig::new(&kernel(HOPPER, &body));
        let mut words = [0u32; 8];
        words[..there.len()].copy_from_slice(there);
        let (to, out) = (rig.buffer_aligned(&words, 16), rig.buffer(&[0u8; SHARED]));
        let elements = 8 * 32 / element.bits();
        let map = dense(element, to, &[elements.into()], &[elements]);
        ok(&rig, &map, out, [0; 5], [0; 3]);
        let after = rig.read::<u32>(to, 8);
        assert_eq!(
            after[..expected.len()],
            *expected,
            "{element:?} {operation}"
        );
    }
}
