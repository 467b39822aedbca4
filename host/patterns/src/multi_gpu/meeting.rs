//! How the ranks of several processes get the same id: through a file that all can read, or
//! through a socket.
//!
//! Rank 0 makes the id and [distributes](Rendezvous::tell) it, and every other rank
//! [requests](Rendezvous::ask) it. The first ranks wait for the others. With a socket, a rank
//! sends its number (four bytes, the lowest first) and receives the id. Any machine that can
//! connect to the socket can request the id, so use it on a trusted network only. The same holds
//! for NCCL's own sockets.
//! Source: NCCL's user guide, "Creating a Communicator": the id is sent "using
//! any CPU-based method".

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::nccl::Id;

/// The pause between two checks for ranks that are missing.
const PAUSE: Duration = Duration::from_millis(20);
/// The time limit for a connected peer to send its few bytes.
const PEER: Duration = Duration::from_secs(2);

/// How the ranks of a group find each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendezvous {
    /// A file, which should not be there before.
    File(PathBuf),
    /// `host:port` of rank 0.
    Address(String),
}

impl Rendezvous {
    /// Sends the id to the ranks 1 to `of - 1`; rank 0 calls this. With a file it returns at once,
    /// and with a socket when all ranks have requested the id.
    ///
    /// # Errors
    /// An error if the file can't be written, if the address is not this machine's or is in use, or
    /// if ranks are missing after `patience`.
    pub fn tell(&self, id: Id, of: usize, patience: Duration) -> Result<()> {
        match self {
            Self::File(file) => publish(file, id.bytes()),
            Self::Address(address) => {
                let listener = TcpListener::bind(address)
                    .with_context(|| format!("cannot listen at `{address}`"))?;
                serve(&listener, id, of, patience)
            }
        }
    }

    /// Waits for the id from rank 0 and returns it. Every other rank calls this.
    ///
    /// # Errors
    /// An error if there is no id after `patience`, or if the data is not an id.
    pub fn ask(&self, rank: usize, patience: Duration) -> Result<Id> {
        let start = Instant::now();
        loop {
            let heard = match self {
                Self::File(file) => std::fs::read(file).ok(),
                Self::Address(address) => ask_once(address, rank).ok(),
            };
            if let Some(bytes) = heard {
                return Id::from_bytes(&bytes);
            }
            if start.elapsed() >= patience {
                let seconds = patience.as_secs();
                match self {
                    Self::File(file) => bail!(
                        "no id in `{}` after {seconds} s: is rank 0 running?",
                        file.display()
                    ),
                    Self::Address(address) => bail!(
                        "nobody at `{address}` told the id in {seconds} s: is rank 0 running?"
                    ),
                }
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Writes the id so that a reader that finds the file finds all of it.
fn publish(file: &Path, id: &[u8]) -> Result<()> {
    let unfinished = file.with_extension("unfinished");
    std::fs::write(&unfinished, id)
        .and_then(|()| std::fs::rename(&unfinished, file))
        .with_context(|| format!("cannot write `{}`", file.display()))
}

/// Answers requests until every rank except rank 0 has the id. A peer that does not send the number
/// of a rank gets no answer, and this does not wait for it.
fn serve(listener: &TcpListener, id: Id, of: usize, patience: Duration) -> Result<()> {
    listener
        .set_nonblocking(true)
        .context("cannot listen with a time limit")?;
    let mut missing: BTreeSet<usize> = (1..of).collect();
    let start = Instant::now();
    while !missing.is_empty() {
        match listener.accept() {
            Ok((peer, _)) => {
                if let Ok(rank) = answer(peer, id, of) {
                    missing.remove(&rank);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if start.elapsed() >= patience {
                    bail!(
                        "after {} s these ranks have not asked for the id: {missing:?}",
                        patience.as_secs()
                    )
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(error).context("cannot accept a rank's connection"),
        }
    }
    Ok(())
}

/// Sends the id to one rank, and returns its number.
fn answer(mut peer: TcpStream, id: Id, of: usize) -> std::io::Result<usize> {
    peer.set_nonblocking(false)?;
    peer.set_read_timeout(Some(PEER))?;
    peer.set_write_timeout(Some(PEER))?;
    let mut number = [0; 4];
    peer.read_exact(&mut number)?;
    let rank = u32::from_le_bytes(number) as usize;
    if !(1..of).contains(&rank) {
        return Err(ErrorKind::InvalidData.into());
    }
    peer.write_all(id.bytes())?;
    Ok(rank)
}

fn ask_once(address: &str, rank: usize) -> std::io::Result<Vec<u8>> {
    let mut last = ErrorKind::AddrNotAvailable.into();
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PEER) {
            Ok(mut peer) => {
                peer.set_read_timeout(Some(PEER))?;
                let number = u32::try_from(rank).map_err(|_| ErrorKind::InvalidInput)?;
                peer.write_all(&number.to_le_bytes())?;
                let mut id = vec![0; Id::LENGTH];
                peer.read_exact(&mut id)?;
                return Ok(id);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn id() -> Id {
        let bytes: Vec<u8> = (0..Id::LENGTH as u8).collect();
        Id::from_bytes(&bytes).expect("as many as an id has")
    }

    /// Checks that two ranks get the id, which request it before and while rank 0 distributes it.
    fn all_hear(meeting: &Rendezvous) {
        std::thread::scope(|scope| {
            let asking = [1, 2].map(|rank| scope.spawn(move || meeting.ask(rank, PATIENCE)));
            std::thread::sleep(2 * PAUSE);
            meeting.tell(id(), 3, PATIENCE).expect("all ask");
            for rank in asking {
                let heard = rank.join().expect("no panic").expect("an id");
                assert_eq!(heard.bytes(), id().bytes());
            }
        });
    }

    #[test]
    fn ranks_hear_the_id_by_a_file_and_give_up_without() {
        let folder = tempfile::tempdir().expect("a folder");
        all_hear(&Rendezvous::File(folder.path().join("id")));
        let nothing = Rendezvous::File(folder.path().join("none"));
        let error = nothing.ask(1, Duration::ZERO).expect_err("no file");
        assert!(error.to_string().contains("is rank 0 running?"), "{error}");
        std::fs::write(folder.path().join("short"), [1, 2]).expect("a file");
        let short = Rendezvous::File(folder.path().join("short"));
        let error = short.ask(1, PATIENCE).expect_err("no id");
        assert!(error.to_string().contains("128 bytes"), "{error}");
    }

    #[test]
    fn ranks_hear_the_id_by_a_socket_and_strangers_do_not() {
        // This port was free a moment ago.
        let free = TcpListener::bind("localhost:0").expect("a port");
        let address = format!("localhost:{}", free.local_addr().expect("bound").port());
        drop(free);
        let stranger = {
            let address = address.clone();
            std::thread::spawn(move || {
                let mut heard = Vec::new();
                while heard.is_empty() {
                    if let Ok(mut peer) = TcpStream::connect(&address) {
                        let _ = peer.write_all(b"GET / HTTP/1.1");
                        let _ = peer.read_to_end(&mut heard);
                        return heard;
                    }
                    std::thread::sleep(PAUSE);
                }
                heard
            })
        };
        all_hear(&Rendezvous::Address(address.clone()));
        let nobody = Rendezvous::Address(address);
        // The stranger got no id, whether it connected in time or not. The last request is to a
        // port on which no process listens.
        let error = nobody.ask(1, Duration::ZERO).expect_err("it is over");
        assert!(error.to_string().contains("is rank 0 running?"), "{error}");
        let missing = nobody.tell(id(), 2, 2 * PAUSE).expect_err("nobody asks");
        assert!(missing.to_string().contains("{1}"), "{missing}");
        assert_eq!(stranger.join().expect("no panic"), b"");
    }
}
