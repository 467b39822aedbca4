//! Textures and tensor maps.

pub(crate) mod object;
pub(crate) mod reference;
pub(crate) mod tensor_map;
