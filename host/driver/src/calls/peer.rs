//! The calls of "Peer Context Memory Access": one device's kernels access another device's memory.
//!
//! Simulated devices are all of one model and can access one another's memory, unless
//! `LANEWISE_SIM_PEERS=0`. Copies between them always work. [`crate::objects::memory::peer`]
//! defines which memory a kernel may access.

use super::put;
use crate::abi::enums::p2p;
use crate::abi::{CUcontext, CUdevice, c_int, c_uint};
use crate::error::{Result, ensure};
use crate::objects::memory::peer as peers;
use crate::objects::{context, device};
use crate::settings;
use lanewise_variables::SIM_PEERS;

pub(crate) unsafe fn can_access(can: *mut c_int, device: CUdevice, peer: CUdevice) -> Result {
    let (device, peer) = (device::get(device)?, device::get(peer)?);
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(
            can,
            c_int::from(device.ordinal != peer.ordinal && settings::peers()?),
            "canAccessPeer",
        )
    }
}

pub(crate) unsafe fn attribute(
    value: *mut c_int,
    which: c_uint,
    from: CUdevice,
    to: CUdevice,
) -> Result {
    let (from, to) = (device::get(from)?, device::get(to)?);
    ensure!(
        (p2p::FIRST..=p2p::LAST).contains(&which),
        ERROR_INVALID_VALUE,
        "{which} is no CUdevice_P2PAttribute"
    );
    ensure!(
        from.ordinal != to.ordinal,
        ERROR_INVALID_DEVICE,
        "a device cannot be its own peer"
    );
    let found = match which {
        1 => 0, // the best performance rank
        _ => c_int::from(settings::peers()?),
    };
    // SAFETY: the caller keeps the contract.
    unsafe { put(value, found, "value") }
}

pub(crate) unsafe fn enable(peer: CUcontext, flags: c_uint) -> Result {
    let context = context::current()?;
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "flags must be 0, not {flags:#x}"
    );
    let peer = context::get(peer)?;
    peer.check()?;
    ensure!(
        peer.device.ordinal != context.device.ordinal,
        ERROR_PEER_ACCESS_UNSUPPORTED,
        "both contexts are of device {}; a device reaches its own memory already",
        peer.device.ordinal
    );
    ensure!(
        settings::peers()?,
        ERROR_PEER_ACCESS_UNSUPPORTED,
        "device {} does not reach the memory of device {} ({} is 0); copies between them work all the same",
        context.device.ordinal,
        peer.device.ordinal,
        SIM_PEERS.name
    );
    ensure!(
        context.peers.lock().insert(peer.handle),
        ERROR_PEER_ACCESS_ALREADY_ENABLED,
        "access to context {:#x} is enabled already",
        peer.handle.0
    );
    peers::enabled(&context, &peer);
    Ok(())
}

pub(crate) unsafe fn disable(peer: CUcontext) -> Result {
    let context = context::current()?;
    let peer = context::get(peer)?;
    let was = context.peers.lock().remove(&peer.handle);
    ensure!(
        was,
        ERROR_PEER_ACCESS_NOT_ENABLED,
        "access to context {:#x} was not enabled",
        peer.handle.0
    );
    context.wait();
    peers::disabled(&context, &peer);
    Ok(())
}
