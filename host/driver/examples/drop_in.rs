//! The driver as `libcuda.so.1`, for programs in any language: `cargo xtask driver` builds this and
//! gives it that name.

lanewise_driver::drop_in!();
