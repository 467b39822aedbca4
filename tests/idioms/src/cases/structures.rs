//! The data of [`crate::kernels::structures`].

use anyhow::Result;
use lanewise::LaunchConfig;

use crate::kernels::inputs::{self, Number};
use crate::kernels::structures::{self as kernels, BODIES, Particle};
use crate::measure::{Checksum::Squares, Checksum::Weighted, Outcome, Runner, Step};

fn numbers(particles: &[Particle]) -> impl Iterator<Item = f64> {
    particles.iter().flat_map(|p| p.numbers())
}

pub(super) fn nbody_tiles(run: &Runner) -> Result<Outcome> {
    let (n, dt) = (run.size(40_000), 1e-5);
    let mut input = run.zeros::<Particle>(n)?;
    run.make(inputs::fill_particles, (&mut input,))?;
    let mut out = run.zeros(n)?;
    let config = LaunchConfig::cover_1d(n, BODIES as u32);
    let time = run.time(|| run.launch(kernels::nbody_tiles, config, (&input, &mut out, dt)))?;
    let checksum = run.checksum(Weighted, &out)? + run.checksum(Squares, &out)?;
    run.outcome(time, checksum, || {
        let input = input.to_vec()?;
        let moved = input.iter().map(|me| {
            let mut me = *me;
            let mut pull = [0.0f64; 3];
            for other in &input {
                let d = [other.x - me.x, other.y - me.y, other.z - me.z].map(f64::from);
                let square = d.iter().map(|d| d * d).sum::<f64>() + 1e-3;
                let f = f64::from(other.mass) / (square * square.sqrt());
                for (pull, d) in pull.iter_mut().zip(d) {
                    *pull += f * d;
                }
            }
            let [ax, ay, az] = pull.map(|a| a as f32);
            me.vx += ax * dt;
            me.vy += ay * dt;
            me.vz += az * dt;
            me.x += me.vx * dt;
            me.y += me.vy * dt;
            me.z += me.vz * dt;
            me
        });
        let moved: Vec<_> = moved.collect();
        Ok(Weighted.of(numbers(&moved)) + Squares.of(numbers(&moved)))
    })
}

pub(super) fn particle_update(run: &Runner) -> Result<Outcome> {
    let (n, dt, gravity) = (run.size(1 << 25), 0.1, 9.81);
    let mut p = run.zeros::<Particle>(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time = run.time_steps(|step| match step {
        Step::Restore => run.make(inputs::fill_particles, (&mut p,)),
        Step::Launch => run.launch(kernels::particle_update, config, (&mut p, dt, gravity)),
    })?;
    run.outcome(time, run.checksum(Weighted, &p)?, || {
        let moved = (0..n as u32).map(|i| {
            let mut p = inputs::particle(i);
            p.vz -= gravity * dt;
            p.x += p.vx * dt;
            p.y += p.vy * dt;
            p.z += p.vz * dt;
            p.vx = if (0.0..=1.0).contains(&p.x) {
                p.vx
            } else {
                -p.vx
            };
            p.vy = if (0.0..=1.0).contains(&p.y) {
                p.vy
            } else {
                -p.vy
            };
            if p.z < 0.0 {
                (p.z, p.vz) = (-p.z, -0.9 * p.vz);
            }
            p
        });
        let moved: Vec<_> = moved.collect();
        Ok(Weighted.of(numbers(&moved)))
    })
}

pub(super) fn binary_search(run: &Runner) -> Result<Outcome> {
    let (m, n) = (run.size(4_200_000), run.size(1 << 25));
    let (mut table, mut query) = (run.zeros::<u32>(m)?, run.zeros::<u32>(n)?);
    run.make(inputs::fill_sorted, (&mut table, 1000, 1, 315, 1000))?;
    run.make(inputs::fill_u32, (&mut query, 316))?;
    let mut found = run.zeros::<i32>(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time =
        run.time(|| run.launch(kernels::binary_search, config, (&table, &query, &mut found)))?;
    run.outcome(time, run.checksum::<i32>(Weighted, &found)?, || {
        let table = table.to_vec()?;
        let below = |q: u32| table.partition_point(|t| *t < q) as f64;
        Ok(Weighted.of(query.to_vec()?.into_iter().map(below)))
    })
}

pub(super) fn utf8_validate(run: &Runner) -> Result<Outcome> {
    let n = run.size(1 << 22);
    let mut offset = run.zeros::<u32>(n + 1)?;
    run.make(inputs::fill_sorted, (&mut offset, 64, 1, 317, 16))?;
    let offset: Vec<i32> = offset.to_vec()?.into_iter().map(u32::cast_signed).collect();
    let offset = run.upload(&offset)?;
    let mut text = run.zeros::<u8>(n * 64 + 16)?;
    run.make(inputs::fill_text, (&mut text, &offset))?;
    let mut chars = run.zeros::<i32>(n)?;
    let config = LaunchConfig::for_num_elems(n);
    let time =
        run.time(|| run.launch(kernels::utf8_validate, config, (&text, &offset, &mut chars)))?;
    run.outcome(time, run.checksum::<i32>(Weighted, &chars)?, || {
        let (text, offset) = (text.to_vec()?, offset.to_vec()?);
        Ok(Weighted.of(offset.windows(2).map(|ends| {
            let record = &text[ends[0] as usize..ends[1] as usize];
            str::from_utf8(record).map_or(-1.0, |text| text.chars().count() as f64)
        })))
    })
}
