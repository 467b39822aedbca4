//! lanewise-std's atomics, which have the names and the methods of cuda-oxide's.

pub use lanewise_std::atomic::{
    AtomicOrdering, BlockAtomicF32, BlockAtomicF64, BlockAtomicI32, BlockAtomicI64, BlockAtomicU32,
    BlockAtomicU64, DeviceAtomicF32, DeviceAtomicF64, DeviceAtomicI32, DeviceAtomicI64,
    DeviceAtomicU32, DeviceAtomicU64, SystemAtomicF32, SystemAtomicF64, SystemAtomicI32,
    SystemAtomicI64, SystemAtomicU32, SystemAtomicU64,
};
