//! Collective operations by copies between neighbours in a ring.
//!
//! Every buffer is divided into as many chunks as there are ranks. In each round every rank sends
//! one chunk to the next rank, so that all links are busy all the time. After all rounds each rank
//! has sent `(n - 1) / n` of a buffer for a reduction or a gathering, which is the minimum.
//! Source: Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters
//! of workstations", 2009.

use anyhow::Result;
use gpu::multi_gpu::collectives::accumulate;
use lanewise::{CopyTarget, DeviceBuffer, LaunchConfig, Part, Stream};

/// The chunks of each rank's buffer. There may be fewer chunks than ranks, if the buffer
/// has fewer elements.
type Chunks<'a> = Vec<Vec<Part<'a, f32>>>;

fn cut(buffers: &mut [DeviceBuffer<f32>]) -> Chunks<'_> {
    let ranks = buffers.len();
    let cuts = buffers.iter_mut().map(|buffer| {
        let len = buffer.len().div_ceil(ranks).max(1);
        buffer.chunks_mut(len)
    });
    cuts.collect()
}

/// Returns mutable access to a chunk of a rank, and shared access to the same chunk of
/// the rank before.
fn two<'a, 'b>(
    chunks: &'a mut Chunks<'b>,
    from: usize,
    to: usize,
    chunk: usize,
) -> Option<(&'a Part<'b, f32>, &'a mut Part<'b, f32>)> {
    let [from, to] = chunks.get_disjoint_mut([from, to]).ok()?;
    Some((from.get(chunk)?, to.get_mut(chunk)?))
}

/// Queues the rounds of the reduction. Afterwards rank `i` has the sum of chunk `i + 1`.
fn reduce_rounds(streams: &[Stream], chunks: &mut Chunks<'_>) -> Result<()> {
    let ranks = streams.len();
    let len = chunks[0].first().map_or(0, |chunk| chunk.len());
    let scratch = |stream: &Stream| DeviceBuffer::<f32>::zeroed(stream.device(), len);
    let mut arrived = streams.iter().map(scratch).collect::<Result<Vec<_>, _>>()?;
    for round in 0..ranks - 1 {
        for rank in 0..ranks {
            let (next, chunk) = ((rank + 1) % ranks, (rank + ranks - round) % ranks);
            let Some((from, to)) = two(chunks, rank, next, chunk) else {
                continue;
            };
            let mut place = arrived[next].parts_of(&[from.len()]);
            let Some(place) = place.first_mut() else {
                continue;
            };
            streams[next].copy(from, place)?;
            let config = LaunchConfig::for_num_elems(to.len());
            streams[next].launch(accumulate, config, (&*place, to))?;
        }
    }
    Ok(())
}

/// Queues the rounds after the reduction in which every rank gets every sum.
fn gather_rounds(streams: &[Stream], chunks: &mut Chunks<'_>) -> Result<()> {
    let ranks = streams.len();
    for round in 0..ranks - 1 {
        for rank in 0..ranks {
            let (next, chunk) = ((rank + 1) % ranks, (rank + 1 + ranks - round) % ranks);
            if let Some((from, to)) = two(chunks, rank, next, chunk) {
                streams[next].copy(from, to)?;
            }
        }
    }
    Ok(())
}

pub(super) fn all_reduce(streams: &[Stream], buffers: &mut [DeviceBuffer<f32>]) -> Result<()> {
    let mut chunks = cut(buffers);
    reduce_rounds(streams, &mut chunks)?;
    gather_rounds(streams, &mut chunks)
}

pub(super) fn reduce_scatter(
    streams: &[Stream],
    from: &mut [DeviceBuffer<f32>],
    to: &mut [DeviceBuffer<f32>],
) -> Result<()> {
    let ranks = streams.len();
    let mut chunks = cut(from);
    reduce_rounds(streams, &mut chunks)?;
    for (rank, to) in to.iter_mut().enumerate() {
        // The rank before this one has the sum of chunk `rank`.
        if let Some(sum) = chunks[(rank + ranks - 1) % ranks].get(rank) {
            streams[rank].copy(sum, to)?;
        }
    }
    Ok(())
}

pub(super) fn all_gather(
    streams: &[Stream],
    from: &[DeviceBuffer<f32>],
    to: &mut [DeviceBuffer<f32>],
) -> Result<()> {
    let ranks = streams.len();
    let mut chunks = cut(to);
    for (rank, from) in from.iter().enumerate() {
        if let Some(own) = chunks[rank].get_mut(rank) {
            streams[rank].copy(from, own)?;
        }
    }
    for round in 0..ranks - 1 {
        for rank in 0..ranks {
            let (next, chunk) = ((rank + 1) % ranks, (rank + ranks - round) % ranks);
            if let Some((from, to)) = two(&mut chunks, rank, next, chunk) {
                streams[next].copy(from, to)?;
            }
        }
    }
    Ok(())
}

/// Queues a broadcast. The chunks follow each other round the ring, so a rank sends one chunk while
/// it receives the next.
pub(super) fn broadcast(
    streams: &[Stream],
    root: usize,
    buffers: &mut [DeviceBuffer<f32>],
) -> Result<()> {
    let ranks = streams.len();
    let mut chunks = cut(buffers);
    for chunk in 0..chunks[0].len() {
        for hop in 0..ranks - 1 {
            let (rank, next) = ((root + hop) % ranks, (root + hop + 1) % ranks);
            if let Some((from, to)) = two(&mut chunks, rank, next, chunk) {
                streams[next].copy(from, to)?;
            }
        }
    }
    Ok(())
}

pub(super) fn shift(
    streams: &[Stream],
    from: &[DeviceBuffer<f32>],
    to: &mut [impl CopyTarget<f32>],
) -> Result<()> {
    let ranks = streams.len();
    for (rank, from) in from.iter().enumerate() {
        let next = (rank + 1) % ranks;
        streams[next].copy(from, &mut to[next])?;
    }
    Ok(())
}
