//! The CUDA driver API as symbols: NVIDIA's driver where there is one, the simulator elsewhere.
