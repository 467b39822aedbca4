//! The instructions, by subject. The row of the instruction table selects the function that
//! decodes an instruction.

mod addresses;
mod asynchronous;
mod atomic;
mod calls;
mod compare;
mod control;
mod convert;
mod matrix;
mod memory;
mod moves;
mod multimem;
mod registers;
mod sync;
mod tensor;
mod texture;
mod video;
mod warpgroup;

pub(crate) use control::functions;

use super::bounds;
use super::builder::Builder;
use super::problem::{Result, because, invalid, unsupported};
use crate::isa::{Decoder as By, pattern};
use crate::ptx::ast::Instruction;

/// Adds the operations of an instruction to the function that is being built. The checker must have
/// found the instruction's row.
pub(super) fn instruction<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let Some(row) = pattern::found(i).map(|pattern| pattern.row) else {
        return invalid("no row of the instruction table was found for it");
    };
    let Some(decoder) = row.decoder else {
        return row.refused.map_or_else(unsupported, because);
    };
    bounds::check(decoder, i, b.body.operands(i))?;
    match decoder {
        By::Registers => registers::registers(b, i),
        By::CompareToPredicate => compare::setp(b, i),
        By::CompareToNumber => compare::set(b, i),
        By::TestNumber => compare::testp(b, i),
        By::LogicOfPredicates => moves::predicates(b, i),
        By::LogicWithTest => compare::lop3(b, i),
        By::SelectByPredicate => moves::selp(b, i),
        By::SelectBySign => moves::slct(b, i),
        By::Convert => convert::convert(b, i),
        By::ConvertFour => convert::four_randomly(b, i),
        By::Move => moves::mov(b, i),
        By::Hint => moves::nothing(b, i),
        By::GridDependency => sync::grid_dependency(b, i),
        By::Transfer => memory::transfer(b, i),
        By::Atomic => atomic::atomic(b, i),
        By::Multimem => multimem::multimem(b, i),
        By::AddressConversion => addresses::cvta(b, i),
        By::AddressTest => addresses::isspacep(b, i),
        By::AddressInCluster => addresses::mapa(b, i),
        By::RankOfAddress => addresses::getctarank(b, i),
        By::Stack => addresses::stack(b, i),
        By::CachePolicy => addresses::createpolicy(b, i),
        By::TextureFetch => texture::fetch(b, i),
        By::ImageQuery => texture::query(b, i),
        By::ImageType => texture::is_type(b, i),
        By::SurfaceLoad => texture::load(b, i),
        By::SurfaceStore => texture::store(b, i),
        By::SurfaceReduce => texture::reduce(b, i),
        By::Branch => control::branch(b, i),
        By::IndexedBranch => control::branch_indexed(b, i),
        By::Call => control::call(b, i),
        By::Return => control::ret(b, i),
        By::Exit => control::exit(b, i),
        By::Trap => control::trap(b, i),
        By::Breakpoint => control::breakpoint(b, i),
        By::Sleep => sync::nanosleep(b, i),
        By::Barrier => sync::barrier(b, i),
        By::WarpBarrier => sync::warp_barrier(b, i),
        By::ClusterBarrier => sync::cluster_barrier(b, i),
        By::Fence => sync::fence(b, i),
        By::Shuffle => sync::shuffle(b, i),
        By::Vote => sync::vote(b, i),
        By::Match => sync::matches(b, i),
        By::Redux => sync::redux(b, i),
        By::ActiveLanes => sync::activemask(b, i),
        By::Elect => sync::elect(b, i),
        By::MatrixMultiply => matrix::multiply(b, i),
        By::MatrixTile => matrix::move_tile(b, i),
        By::MatrixRows => matrix::move_rows(b, i),
        By::MatrixTranspose => matrix::movmatrix(b, i),
        By::WarpgroupMultiply => warpgroup::multiply(b, i),
        By::WarpgroupOrder => warpgroup::order(b, i),
        By::CopyOfThread => asynchronous::copy(b, i),
        By::CopyCommit => asynchronous::commit(b, i),
        By::CopyWait => asynchronous::wait_for(b, i),
        By::CopyArrive => asynchronous::arrive(b, i),
        By::BulkCopy => asynchronous::bulk(b, i),
        By::BulkFill => asynchronous::fill(b, i),
        By::StoreToCluster => asynchronous::from_registers(b, i),
        By::Mbarrier => asynchronous::mbarrier(b, i),
        By::MbarrierWait => asynchronous::mbarrier_wait(b, i),
        By::MbarrierCount => asynchronous::mbarrier_count(b, i),
        By::TensorCopy => tensor::copy(b, i),
        By::TensorMapReplace => tensor::replace(b, i),
        By::TensorMapPublish => tensor::publish(b, i),
        By::Video => video::video(b, i),
    }
}
