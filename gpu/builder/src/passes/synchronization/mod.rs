//! How threads work together: barriers stay where they are, and atomics get their scope.

pub(crate) mod atomic_loads;
pub(crate) mod atomic_scope;
pub(crate) mod barriers;
pub(crate) mod compiler_fence;
pub(crate) mod convergent;
pub(crate) mod local_atomics;
pub(crate) mod phases;
