//! The cluster as a group.

use crate::cluster;

use super::Group;

/// All threads of the cluster; see [`this_cluster`].
#[doc(alias = "cg::cluster_group")]
#[derive(Clone, Copy, Debug)]
pub struct ClusterGroup(());

/// Returns the cluster of this thread's block. In a launch without clusters, it contains only that
/// block. Needs `sm_90`.
#[doc(alias = "cg::this_cluster")]
#[inline]
#[must_use]
pub fn this_cluster() -> ClusterGroup {
    ClusterGroup(())
}

impl ClusterGroup {
    /// Returns the rank of this thread's block in the cluster; see [`cluster::block_rank`].
    #[inline]
    #[must_use]
    pub fn block_rank(&self) -> u32 {
        cluster::block_rank()
    }

    /// Returns the number of blocks of the cluster; see [`cluster::num_blocks`].
    #[inline]
    #[must_use]
    pub fn num_blocks(&self) -> u32 {
        cluster::num_blocks()
    }
}

impl Group for ClusterGroup {
    type Rank = u32;

    #[inline]
    fn sync(&self) {
        cluster::sync_cluster();
    }

    #[inline]
    fn rank(&self) -> u32 {
        cluster::thread_rank()
    }

    #[inline]
    fn size(&self) -> u32 {
        cluster::num_threads()
    }
}
