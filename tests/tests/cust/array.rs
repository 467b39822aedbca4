//! `cust::memory::array`: arrays of each shape and format, and copies to and from them.
//!
//! Not here: `ArrayObject::drop`. cust 0.3.2 destroys the array in it and again when the object
//! goes, which ends a process on a GPU.

use cust::memory::array::{ArrayDescriptor, ArrayFormat, ArrayObject, ArrayObjectFlags};

const FORMATS: [ArrayFormat; 7] = [
    ArrayFormat::U8,
    ArrayFormat::U16,
    ArrayFormat::U32,
    ArrayFormat::I8,
    ArrayFormat::I16,
    ArrayFormat::I32,
    ArrayFormat::F32,
];

#[test]
fn an_array_describes_itself_as_it_was_made() {
    let _context = super::context();
    for format in FORMATS {
        for channels in [1, 2, 4] {
            for dims in [[10, 0, 0], [10, 12, 0], [10, 12, 14]] {
                let array = ArrayObject::new(dims, format, channels).expect("an array");
                let found = array.descriptor().expect("its description");
                assert_eq!(found.dims(), dims);
                assert_eq!(found.format(), format);
                assert_eq!(found.num_channels(), channels);
            }
        }
    }
}

#[test]
fn layers_and_cubes_are_made() {
    let _context = super::context();
    let made = [
        (ArrayObject::new_1d(10, ArrayFormat::F32, 1), [10, 0, 0]),
        (
            ArrayObject::new_2d([10, 12], ArrayFormat::F32, 1),
            [10, 12, 0],
        ),
        (
            ArrayObject::new_layered([10, 12], 8, ArrayFormat::F32, 1),
            [10, 12, 8],
        ),
        (
            ArrayObject::new_layered_1d(10, 8, ArrayFormat::F32, 1),
            [10, 0, 8],
        ),
        (
            ArrayObject::new_cubemap(10, ArrayFormat::F32, 1),
            [10, 10, 6],
        ),
        (
            ArrayObject::new_layered_cubemap(10, 8, ArrayFormat::F32, 1),
            [10, 10, 48],
        ),
    ];
    for (array, dims) in made {
        let found = array
            .expect("an array")
            .descriptor()
            .expect("its description");
        assert_eq!(found.dims(), dims, "{found:?}");
    }
    let flags = ArrayObjectFlags::SURFACE_LDST;
    let surface = ArrayDescriptor::new([16, 16, 0], ArrayFormat::U32, 4, flags);
    let found = ArrayObject::from_descriptor(&surface)
        .expect("an array")
        .descriptor()
        .expect("its description");
    assert!(found.flags().contains(flags));
}

#[test]
fn lines_and_planes_come_back_as_they_went() {
    let _context = super::context();
    for width in [1usize, 5, 64] {
        // Not floats: cust 0.3.2 makes half-precision arrays of `ArrayFormat::F32`, which are too
        // small for them.
        let values: Vec<i32> = (0..width as i32).collect();
        let mut line = ArrayObject::new_1d(width, ArrayFormat::I32, 1).expect("an array");
        line.copy_from(&values).expect("a copy");
        assert_eq!(line.as_host_vec::<i32>().expect("a copy"), values);
        for height in [1usize, 3, 17] {
            let values: Vec<u8> = (0..width * height * 4).map(|i| i as u8).collect();
            let mut plane =
                ArrayObject::new_2d([width, height], ArrayFormat::U8, 4).expect("an array");
            plane.copy_from(&values).expect("a copy");
            let mut back = vec![0u8; values.len()];
            plane.copy_to(&mut back).expect("a copy");
            assert_eq!(back, values);
        }
    }
}
