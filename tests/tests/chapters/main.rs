//! Chapters whose tests are quick and keep nothing of the device to themselves. One program loads the catalog's text once for all.

mod cluster;
mod instruction;
mod tensor;
mod texture;
mod warp;
