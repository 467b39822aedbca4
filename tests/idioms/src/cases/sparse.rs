//! The data of [`crate::kernels::sparse`].

use anyhow::Result;
use lanewise::{DeviceBuffer, LaunchConfig};

use crate::kernels::inputs::{self, hash32};
use crate::kernels::sparse::{self as kernels, CENTROIDS, COORDINATES, RUN};
use crate::measure::{Checksum::Plain, Checksum::Weighted, Outcome, Runner, Step};

/// Where the rows of a matrix begin: row `r` has `hash32(r, seed) % below` elements.
fn row_starts(rows: usize, seed: u32, below: u32) -> Vec<i32> {
    let mut starts = vec![0; rows + 1];
    for r in 0..rows {
        starts[r + 1] = starts[r] + (hash32(r as u32, seed) % below) as i32;
    }
    starts
}

/// A sparse matrix in CSR form with the vector that it is multiplied by.
struct Sparse {
    row_ptr: DeviceBuffer<i32>,
    col: DeviceBuffer<i32>,
    val: DeviceBuffer<f32>,
    x: DeviceBuffer<f32>,
}

impl Sparse {
    fn new(run: &Runner, rows: usize, cols: usize, seed: u32, below: u32) -> Result<Self> {
        let starts = row_starts(rows, seed, below);
        let elements = starts[rows] as usize;
        Ok(Sparse {
            row_ptr: run.upload(&starts)?,
            col: run.below(elements, seed + 1, cols)?,
            val: run.uniform(elements, seed + 2, -0.5, 1.5)?,
            x: run.uniform(cols, seed + 3, 0.0, 1.0)?,
        })
    }

    fn product(&self) -> Result<Vec<f64>> {
        let (starts, col) = (self.row_ptr.to_vec()?, self.col.to_vec()?);
        let (val, x) = (self.val.to_vec()?, self.x.to_vec()?);
        let element = |k: usize| f64::from(val[k]) * f64::from(x[col[k] as usize]);
        let row = |ends: &[i32]| (ends[0] as usize..ends[1] as usize).map(element).sum();
        Ok(starts.windows(2).map(row).collect())
    }
}

pub(super) fn spmv_csr_scalar(run: &Runner) -> Result<Outcome> {
    let rows = run.size(1 << 21);
    let a = Sparse::new(run, rows, rows, 331, 64)?;
    let mut y = run.zeros(rows)?;
    let config = LaunchConfig::for_num_elems(rows);
    let time = run.time(|| {
        let arguments = (&a.row_ptr, &a.col, &a.val, &a.x, &mut y);
        run.launch(kernels::spmv_csr_scalar, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        Ok(Weighted.of(a.product()?))
    })
}

pub(super) fn spmv_csr_vector(run: &Runner) -> Result<Outcome> {
    let (rows, cols) = (run.size(1 << 19), run.size(1 << 21));
    let a = Sparse::new(run, rows, cols, 335, 256)?;
    let mut y = run.zeros(rows)?;
    let config = LaunchConfig::new(rows.div_ceil(8) as u32, 256);
    let time = run.time(|| {
        let arguments = (&a.row_ptr, &a.col, &a.val, &a.x, &mut y);
        run.launch(kernels::spmv_csr_vector, config, arguments)
    })?;
    run.outcome(time, run.checksum(Weighted, &y)?, || {
        Ok(Weighted.of(a.product()?))
    })
}

pub(super) fn bfs_level(run: &Runner) -> Result<Outcome> {
    let nodes = run.size(1 << 23);
    let starts = row_starts(nodes, 339, 16);
    let row_ptr = run.upload(&starts)?;
    let col = run.below(starts[nodes] as usize, 340, nodes)?;
    let frontier: Vec<i32> = (0..nodes as i32).step_by(8).collect();
    let frontier = run.upload(&frontier[..nodes / 8])?;
    let (mut dist, mut next) = (run.zeros::<i32>(nodes)?, run.zeros::<i32>(nodes)?);
    let mut next_len = run.zeros::<i32>(1)?;
    let config = LaunchConfig::for_num_elems(frontier.len());
    let time = run.time_steps(|step| match step {
        Step::Restore => {
            run.make(inputs::fill_distances, (&mut dist,))?;
            Ok(next_len.fill_zero()?)
        }
        Step::Launch => {
            let found = (&mut dist, &mut next, &mut next_len);
            let arguments = (&row_ptr, &col, &frontier, found.0, found.1, found.2, 0);
            run.launch(kernels::bfs_level, config, arguments)
        }
    })?;
    let len = next_len.to_vec()?[0];
    let found = run.upload(&next.to_vec()?[..len as usize])?;
    let found = run.checksum::<i32>(Plain, &found)?;
    let checksum = run.checksum::<i32>(Weighted, &dist)? + found + f64::from(len);
    run.outcome(time, checksum, || {
        let col = col.to_vec()?;
        let mut dist: Vec<_> = (0..nodes)
            .map(|i| if i % 8 == 0 { 0.0 } else { -1.0 })
            .collect();
        let mut next = Vec::new();
        for node in frontier.to_vec()? {
            let (begin, end) = (starts[node as usize], starts[node as usize + 1]);
            for to in &col[begin as usize..end as usize] {
                if dist[*to as usize] == -1.0 {
                    dist[*to as usize] = 1.0;
                    next.push(f64::from(*to));
                }
            }
        }
        Ok(Weighted.of(dist) + Plain.of(next.iter().copied()) + next.len() as f64)
    })
}

pub(super) fn kmeans_accumulate(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 23);
    let points = run.uniform(n * COORDINATES, 341, 0.0, 1.0)?;
    let centroid = run.uniform(CENTROIDS * COORDINATES, 342, 0.0, 1.0)?;
    let mut label = run.zeros::<i32>(n)?;
    let mut sum = run.zeros::<f32>(CENTROIDS * COORDINATES)?;
    let mut count = run.zeros::<i32>(CENTROIDS)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time_steps(|step| match step {
        Step::Restore => {
            sum.fill_zero()?;
            Ok(count.fill_zero()?)
        }
        Step::Launch => {
            let found = (&mut label, &mut sum, &mut count);
            let arguments = (&points, &centroid, found.0, found.1, found.2);
            run.launch(kernels::kmeans_accumulate, config, arguments)
        }
    })?;
    let checksum = run.checksum::<i32>(Weighted, &label)?
        + run.checksum(Weighted, &sum)?
        + run.checksum::<i32>(Weighted, &count)?;
    run.outcome(time, checksum, || {
        let (points, centroid) = (points.to_vec()?, centroid.to_vec()?);
        let mut labels = Vec::new();
        let mut sums = [0.0; CENTROIDS * COORDINATES];
        let mut counts = [0.0; CENTROIDS];
        for point in points.chunks(COORDINATES) {
            let distance = |k: usize| -> f32 {
                let centre = &centroid[k * COORDINATES..];
                point
                    .iter()
                    .zip(centre)
                    .fold(0.0, |sum, (p, c)| (p - c).mul_add(p - c, sum))
            };
            let nearer = |a: usize, b: usize| if distance(b) < distance(a) { b } else { a };
            let nearest = (1..CENTROIDS).fold(0, nearer);
            labels.push(nearest as f64);
            counts[nearest] += 1.0;
            for (e, p) in point.iter().enumerate() {
                sums[nearest * COORDINATES + e] += f64::from(*p);
            }
        }
        Ok(Weighted.of(labels) + Weighted.of(sums) + Weighted.of(counts))
    })
}

pub(super) fn segmented_sum(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 27);
    let mut key = run.zeros::<u32>(n)?;
    run.make(inputs::fill_sorted, (&mut key, 1, 37, 0, 1))?;
    let key: Vec<i32> = key.to_vec()?.into_iter().map(u32::cast_signed).collect();
    let key = run.upload(&key)?;
    let val = run.uniform(n, 344, 0.0, 1.0)?;
    let mut out = run.zeros::<f32>(n / 37 + 1)?;
    let config = LaunchConfig::for_num_elems(n.div_ceil(RUN));
    let time = run.time_steps(|step| match step {
        Step::Restore => Ok(out.fill_zero()?),
        Step::Launch => run.launch(kernels::segmented_sum, config, (&key, &val, &mut out)),
    })?;
    run.outcome(time, run.checksum(Weighted, &out)?, || {
        let sums = val.to_vec()?;
        let sums = sums
            .chunks(37)
            .map(|run| run.iter().map(|x| f64::from(*x)).sum());
        Ok(Weighted.of(sums))
    })
}
