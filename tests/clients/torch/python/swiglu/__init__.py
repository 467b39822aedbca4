"""SwiGLU, y = a sigmoid(a) b, with kernels in Rust."""

from ._native import Array, backward_at, forward, forward_at

__all__ = ["Array", "backward_at", "forward", "forward_at"]
