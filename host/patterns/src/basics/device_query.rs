//! The device's properties. `patterns device` prints them.

use anyhow::Result;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "device_query",
    chapter: "basics",
    summary: "limits, sizes and clocks as the driver says, against the model (`patterns device` prints them)",
    source: "Professional CUDA C Programming, chapter 2",
    size: Size {
        of: "nothing",
        is_square: false,
        default: 0,
        bench: None,
    },
    variants: &[Variant::on_the_host(
        "device_properties",
        |device, _: Setup| Ok(Box::new(Query(device.clone()))),
    )],
};

struct Query(Device);

impl Case for Query {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let found = self.0.properties();
        let Some(model) = self.0.model() else {
            return Ok(testing::equal(&[found.warp_size], &[32])); // a GPU that there is no model of
        };
        let (limits, sm) = (&model.limits, &model.multiprocessor);
        let capability = found.compute_capability;
        #[rustfmt::skip]
        let pairs = [
            (capability.major, model.compute_capability[0]), (capability.minor, model.compute_capability[1]),
            (found.multiprocessors, model.multiprocessors), (found.warp_size, model.warp_size),
            (found.max_threads_per_block, limits.threads_per_block), (found.max_threads_per_multiprocessor, sm.threads),
            (found.max_block_x, limits.block[0]), (found.max_block_y, limits.block[1]), (found.max_block_z, limits.block[2]),
            (found.max_grid_x, limits.grid[0]), (found.max_grid_y, limits.grid[1]), (found.max_grid_z, limits.grid[2]),
            (found.shared_memory_per_block, limits.shared_per_block), (found.shared_memory_per_multiprocessor, sm.shared),
            (found.registers_per_block, limits.registers_per_block), (found.registers_per_multiprocessor, sm.registers),
            (found.constant_memory, limits.constant), (found.l2_cache, model.l2),
            (found.memory_bus_width, model.bus_width), (found.async_engines, model.rates.copy_engines),
        ];
        let (driver, model): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        Ok(testing::equal(&driver, &model))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }
}
