//! Elements by row and column, and the extent of a grid.

use device::{TARGETS, device, numbers, run};
use device_kernels::places::{SIDE, extents, turn_tiles};
use lanewise::{DeviceBuffer, LaunchConfig};

#[test]
fn tiles_are_turned_by_row_and_column() {
    let input: Vec<u32> = numbers(8).map(|x| x as u32).take(3 * SIDE * SIDE).collect();
    let config = LaunchConfig::new(3, (SIDE * SIDE) as u32);
    for (target, compiled) in TARGETS {
        let found = run(compiled, turn_tiles, config, &input, 0);
        for (at, found) in found.iter().enumerate() {
            let (tile, row, column) = (at / SIDE / SIDE, at / SIDE % SIDE, at % SIDE);
            let wanted = input[(tile * SIDE + column) * SIDE + row];
            assert_eq!(*found, wanted, "{target}: element {at}");
        }
    }
}

#[test]
fn a_grid_has_so_many_threads_along_each_axis() {
    let device = device();
    let stream = device.stream().expect("a stream");
    for (grid, block) in [
        ((1, 1, 1), (1, 1, 1)),
        ((2, 3, 5), (7, 2, 4)),
        ((1, 1, 9), (32, 1, 3)),
    ] {
        let mut found = DeviceBuffer::from_slice(&device, &[0u32; 3]).expect("a buffer");
        stream
            .launch(extents, LaunchConfig::new(grid, block), (&mut found,))
            .expect("a launch");
        let wanted = [grid.0 * block.0, grid.1 * block.1, grid.2 * block.2];
        assert_eq!(found.to_vec().expect("no fault"), wanted);
    }
}
