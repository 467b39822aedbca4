//! Chapter "Development": code that comes to the device in several ways, and modules
//! that are linked.

mod compilation;
mod heat;
