//! Pinned host memory by `cust`'s types.

use cust::memory::{LockedBox, LockedBuffer};

#[test]
fn a_box_is_used_where_it_is() {
    let _context = super::context();
    let mut value = LockedBox::new(&5u64).expect("memory");
    *value += 1;
    assert_eq!(*value, 6);
    let pointer = value.into_raw();
    // SAFETY: the pointer is the box's own.
    let again = unsafe { LockedBox::from_raw(pointer) };
    assert_eq!(*again, 6);
}

#[test]
fn buffers_are_slices() {
    let _context = super::context();
    for n in [0usize, 1, 7, 10_000] {
        let mut buffer = LockedBuffer::new(&1u64, n).expect("memory");
        assert_eq!(buffer.len(), n);
        buffer.iter_mut().for_each(|x| *x += 1);
        let copy = LockedBuffer::from_slice(&buffer).expect("memory");
        assert_eq!(copy.as_slice(), vec![2; n]);
        LockedBuffer::drop(copy)
            .map_err(|(error, _)| error)
            .expect("it is ours");
    }
    assert!(LockedBuffer::new(&0u64, usize::MAX - 1).is_err());
    assert_eq!(LockedBuffer::new(&(), 10).expect("nothing").len(), 10);
}
