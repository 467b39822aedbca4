//! The number of a thread in a volume.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;

#[test]
fn threads_of_a_volume_are_numbered_as_cuda_numbers_them() {
    for side in [1, 2, 5] {
        assert_agrees("linear_index_3d", Setup::new(side, 0));
    }
}
