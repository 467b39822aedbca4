//! Memory: allocations, frees, and reports of wrong pointers.

use super::*;

fn memory() -> Memory {
    Memory::new(1 << 30).expect("the host gives address space")
}

#[test]
fn allocations_are_zeroed_aligned_and_apart() {
    let memory = memory();
    let a = memory
        .allocate(100, 1, AllocationKind::Device, None)
        .unwrap();
    let b = memory
        .allocate(100, 4096, AllocationKind::Device, None)
        .unwrap();
    assert_eq!((a % BASE_ALIGNMENT, b % 4096), (0, 0));
    assert!(b >= a + 100 + 4096, "no gap between {a:#x} and {b:#x}");
    // SAFETY: both allocations are live and 100 bytes long.
    let bytes = unsafe { std::slice::from_raw_parts(a as *const u8, 100) };
    assert_eq!(bytes, [0; 100]);
    assert_eq!(memory.used(), 200);
}

#[test]
fn a_freed_pointer_is_named() {
    let memory = memory();
    let a = memory
        .allocate(64, 1, AllocationKind::Device, Some("tests/a.rs:7"))
        .unwrap();
    memory.free(a).unwrap();
    assert_eq!(
        memory.free(a),
        Err(MemoryError::FreedBefore {
            address: a,
            number: 1
        })
    );
    assert_eq!(
        memory.whereabouts(a + 8).to_string(),
        "is 8 bytes into freed allocation #1: 64 bytes, made at tests/a.rs:7"
    );
    let freed = memory.freed(a + 8).map(|(at, old)| (at, old.base));
    assert_eq!(freed, Some((8, a)));
    assert_eq!(memory.freed(a + 64), None);
    assert_eq!(memory.used(), 0);
}

#[test]
fn wrong_pointers_are_errors() {
    let memory = memory();
    let a = memory
        .allocate(64, 1, AllocationKind::Device, None)
        .unwrap();
    assert_eq!(
        memory.free(a + 4),
        Err(MemoryError::NotStart {
            address: a + 4,
            offset: 4,
            number: 1
        })
    );
    assert!(matches!(memory.free(0), Err(MemoryError::Foreign { .. })));
    assert!(matches!(
        memory.unregister(a),
        Err(MemoryError::WrongKind { .. })
    ));
    assert_eq!(
        memory.allocate(0, 1, AllocationKind::Device, None),
        Err(MemoryError::ZeroSize)
    );
    assert_eq!(
        memory.allocate(1, 3, AllocationKind::Device, None),
        Err(MemoryError::Alignment { align: 3 })
    );
    assert_eq!(
        memory.whereabouts(a + 64).to_string(),
        "is 0 bytes past allocation #1: 64 bytes"
    );
}

#[test]
fn the_models_size_is_the_limit() {
    let memory = memory();
    let error = memory.allocate((1 << 30) + 1, 1, AllocationKind::Device, None);
    assert_eq!(
        error,
        Err(MemoryError::OutOfMemory {
            size: (1 << 30) + 1,
            free: 1 << 30,
            total: 1 << 30
        })
    );
    let all = memory
        .allocate(1 << 30, 1, AllocationKind::Device, None)
        .unwrap();
    assert!(matches!(
        memory.allocate(1, 1, AllocationKind::Device, None),
        Err(MemoryError::OutOfMemory { free: 0, .. })
    ));
    memory
        .allocate(4096, 1, AllocationKind::Pinned, None)
        .expect("pinned memory is the host's");
    memory.free(all).unwrap();
    assert!(
        memory
            .allocate(u64::MAX - 4096, 1, AllocationKind::Pinned, None)
            .is_err()
    );
}

#[test]
fn addresses_are_reused_when_the_range_is_used_up_and_read_as_zero() {
    let memory = memory();
    for _ in 0..10 {
        let a = memory
            .allocate(1 << 29, 1, AllocationKind::Device, None)
            .unwrap();
        // SAFETY: the allocation is live.
        unsafe {
            assert_eq!(*(a as *const u64), 0);
            *(a as *mut u64) = 7;
        }
        memory.free(a).unwrap();
    }
}

#[test]
fn there_may_be_more_allocations_than_a_host_has_pieces_of_memory() {
    let memory = memory();
    for _ in 0..40_000 {
        let a = memory
            .allocate(4096, 1, AllocationKind::Device, None)
            .unwrap();
        memory.free(a).unwrap();
    }
}

#[test]
fn the_snapshot_holds_what_is_live() {
    let memory = memory();
    let a = memory
        .allocate(64, 1, AllocationKind::Device, None)
        .unwrap();
    let c = memory
        .allocate(64, 1, AllocationKind::Constant("table".into()), None)
        .unwrap();
    let snapshot = memory.snapshot();
    memory.free(a).unwrap();
    assert!(snapshot.find(a + 63).is_some() && snapshot.find(a + 64).is_none());
    assert!(snapshot.find(c).is_some_and(|r| r.constant));
    assert!(memory.snapshot().find(a).is_none());
}

#[test]
fn host_memory_can_be_registered() {
    let memory = memory();
    let mut host = vec![0u8; 256];
    let at = host.as_mut_ptr() as u64;
    // SAFETY: `host` outlives the registration and nothing reads it here.
    unsafe {
        memory.register(at, 256, None).unwrap();
        assert!(matches!(
            memory.register(at + 8, 8, None),
            Err(MemoryError::Overlap { .. })
        ));
        assert!(matches!(
            memory.register(u64::MAX - 1, 8, None),
            Err(MemoryError::Range { .. })
        ));
    }
    assert!(memory.is_accessible(at, 256) && !memory.is_accessible(at, 257));
    memory.unregister(at).unwrap();
    assert!(memory.find(at).is_none());
}

#[test]
fn memory_of_the_host_is_told_from_memory_that_is_not_there() {
    let memory = memory();
    let device = memory
        .allocate(64, 1, AllocationKind::Device, None)
        .expect("memory");
    let own = Box::new(0u64);
    let address = (&raw const *own).addr() as u64;
    assert_eq!(memory.whereabouts(address), Whereabouts::Host);
    // Memory of another device is not memory of the host.
    let other = self::memory();
    let there = other
        .allocate(64, 1, AllocationKind::Device, None)
        .expect("memory");
    assert_ne!(memory.whereabouts(there), Whereabouts::Host);
    assert!(matches!(
        memory.whereabouts(device + 64),
        Whereabouts::Past(0, _)
    ));
}
