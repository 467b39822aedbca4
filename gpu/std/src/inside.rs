//! What lanewise-compat needs of this crate besides its functions. It is no interface for others,
//! and changes without notice.

pub use crate::__ptx as ptx;
pub use crate::memory::bounds::check as check_index;
#[cfg(not(target_arch = "nvptx64"))]
pub use crate::state_space::instruction;
pub use crate::state_space::shared;
pub use crate::target::is_at_least;
