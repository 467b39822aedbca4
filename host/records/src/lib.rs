//! Measured times as data.
//!
//! A [`Record`] is a file of what programs measured on one kind of GPU: sessions, each with its
//! [`Provenance`], and for each name and size the newest [`Row`]. The programs that measure add to
//! it ([`Keep`]: `patterns bench --record FILE`, `algorithms --record FILE`). The book's tables are
//! made from it ([`table`]), and a new session is compared with it ([`compare`]).

mod changes;
mod commit;
mod keep;
mod provenance;
mod record;
mod table;

pub use changes::{Change, Verdict, compare};
pub use commit::checked_out;
pub use keep::Keep;
pub use provenance::Provenance;
pub use record::{Beside, Record, Row, Session, Unit, median};
pub use table::{columns, duration, table};
