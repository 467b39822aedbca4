//! The host reads managed memory before it has waited for the kernel that writes there.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn with_managed(host: &Host, with: impl FnOnce(u64) -> Done) -> Done {
    let mut memory = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAllocManaged(&mut memory, BYTES, 1) })?;
    with(memory)?;
    host.wait_for_all()?;
    // SAFETY: nothing uses it any more.
    ok(unsafe { sys::cuMemFree_v2(memory) })
}

#[inline(never)]
fn read(memory: u64) -> u32 {
    let memory = std::ptr::with_exposed_provenance::<u32>(memory as usize);
    // SAFETY: managed memory is there for the host as well.
    unsafe { memory.add(5).read_volatile() }
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    with_managed(host, |memory| {
        host.launch(c"fill", host.a, &[memory])?;
        read(memory);
        host.wait(host.a)
    })
}

pub(in crate::host) fn right(host: &Host) -> Done {
    with_managed(host, |memory| {
        host.launch(c"fill", host.a, &[memory])?;
        host.wait(host.a)?;
        read(memory);
        Ok(())
    })
}
