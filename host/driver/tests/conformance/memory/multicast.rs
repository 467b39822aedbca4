//! Multicast objects. `tests/multicast.rs` tests what they do, with several devices. Here there is
//! one device, on which no object can be made.
//!
//! No GPU has confirmed these rows: our GPU machine has NVLink multicast turned off.

use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;

fn object() -> CUmulticastObjectProp {
    CUmulticastObjectProp {
        num_devices: 2,
        size: 2 << 20,
        handle_types: 0,
        flags: 0,
    }
}

rows! {
    "cuMulticastCreate: for more devices than there are" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |_| {
        cuMulticastCreate(&mut 0, &object())
    };
    "cuMulticastAddDevice: to no object" (sim: "not asked of a GPU") => ERROR_NOT_SUPPORTED, |_| cuMulticastAddDevice(7, 0);
    "cuMulticastBindMem: no memory" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |_| cuMulticastBindMem(7, 0, 9, 0, 2 << 20, 0);
    "cuMulticastBindAddr: where nothing is mapped" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |f| {
        cuMulticastBindAddr(7, 0, f.device(), 2 << 20, 0)
    };
    "cuMulticastUnbind: from no object" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |_| cuMulticastUnbind(7, 0, 0, 2 << 20);
    "cuMulticastGetGranularity: for more devices than there are" (sim: "not asked of a GPU") => ERROR_INVALID_VALUE, |_| {
        cuMulticastGetGranularity(&mut 0, &object(), 0)
    };
}
