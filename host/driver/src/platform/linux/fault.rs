//! The SIGSEGV handler: it takes faults at addresses that are claimed, and passes all others on to
//! the handler that was there before.
//!
//! The handler runs on the thread's alternate signal stack, if there is one, so that a stack
//! overflow still reaches the handler that prints Rust's message. That stack is small. A fault at a
//! claimed address is therefore handled on the thread's own stack, below the frame of the
//! interrupted code. There, locks and the allocator may be used: the fault is synchronous, at an
//! access of the program to memory shared with a device, where neither the allocator nor the
//! unwinder keeps any data. The interrupted code may hold other locks (that of standard output,
//! say), so the handler prints nothing.

use super::super::Claim;
use super::switch;
use libc::{c_int, c_void, siginfo_t};
use std::sync::OnceLock;

/// The handler that was there before this one; `None` if this one could not be set.
static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();
static CLAIM: OnceLock<Claim> = OnceLock::new();

type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// Bytes below the stack pointer that a function may use, by the x86-64 System V ABI.
const RED_ZONE: usize = 128;

/// Whether the system's pages have this many bytes.
pub(super) fn pages_are_of(bytes: u64) -> bool {
    // SAFETY: the call only reads a system value.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 == bytes }
}

/// Whether faults reach this handler. The first call sets it, for that call's claim. A program may
/// set another handler later.
pub(super) fn is_listening(claim: Claim) -> bool {
    CLAIM.get_or_init(|| claim);
    if BEFORE.get_or_init(listen).is_none() {
        return false;
    }
    // SAFETY: reads what is set into a place for it.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGSEGV, std::ptr::null(), &mut now) == 0
            && now.sa_sigaction == on_fault as Handler as usize
    }
}

fn listen() -> Option<libc::sigaction> {
    // SAFETY: all-zero is a valid `sigaction`, and the handler has the signature that
    // `SA_SIGINFO` asks for.
    unsafe {
        let mut handler: libc::sigaction = std::mem::zeroed();
        handler.sa_sigaction = on_fault as Handler as usize;
        handler.sa_flags = libc::SA_SIGINFO;
        if switch::IS_KNOWN {
            handler.sa_flags |= libc::SA_ONSTACK;
        }
        // The handler leaves the signal stack for the thread's own: a nested signal would take the
        // signal stack for unused.
        libc::sigfillset(&mut handler.sa_mask);
        let mut before: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(libc::SIGSEGV, &handler, &mut before) == 0).then_some(before)
    }
}

/// An access of the calling thread.
struct Access {
    claim: Claim,
    address: u64,
    writes: Option<bool>,
    has_room: bool,
}

extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel gives the handler of a fault its address; `errno` is the thread's own.
    let (address, code, errno) = unsafe {
        let info = &*info;
        (
            info.si_addr().addr() as u64,
            info.si_code,
            *libc::__errno_location(),
        )
    };
    // A signal that a program has sent has no address.
    let is_fault = code > 0;
    match CLAIM
        .get()
        .filter(|claim| is_fault && (claim.is_ours)(address))
    {
        Some(&claim) => {
            let mut access = Access {
                claim,
                address,
                writes: switch::is_write(context),
                has_room: true,
            };
            on_own_stack(&mut access, context);
        }
        None => pass_on(is_fault, signal, info, context),
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

extern "C" fn on_access(access: *mut c_void) {
    // SAFETY: `on_own_stack` passes a pointer to a live `Access`.
    let access = unsafe { &*access.cast::<Access>() };
    (access.claim.on_access)(access.address, access.writes, access.has_room);
}

/// Handles an access on the stack of the code that made it.
fn on_own_stack(access: &mut Access, context: *mut c_void) {
    // SAFETY: the call only reads which signal stack is set.
    let signals = unsafe {
        let mut signals: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &mut signals);
        signals
    };
    let is_on_it = signals.ss_flags & libc::SS_ONSTACK != 0;
    let pointer = switch::stack_pointer(context);
    let from = signals.ss_sp.addr();
    let data: *mut c_void = std::ptr::from_mut(access).cast();
    match pointer {
        // The interrupted code is itself a signal handler, on this stack.
        Some(at) if is_on_it && (from..from + signals.ss_size).contains(&at) => {
            access.has_room = false;
            on_access(std::ptr::from_mut(access).cast());
        }
        Some(at) if is_on_it => {
            let top: *mut c_void = std::ptr::with_exposed_provenance_mut((at - RED_ZONE) & !15);
            // SAFETY: below the red zone the interrupted code, which is this thread's, keeps
            // nothing; all signals are blocked meanwhile.
            unsafe { switch::call_on(top, on_access, data) };
        }
        _ => on_access(data),
    }
}

/// Does what would have happened without this handler.
fn pass_on(is_fault: bool, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let before = BEFORE.get().and_then(Option::as_ref);
    let before = before.map(|before| (before.sa_sigaction, before.sa_flags));
    // SAFETY: a handler is called with the arguments that its flags ask for. Without one, the
    // default is set: the access is repeated and ends the process, or the signal is sent again.
    unsafe {
        match before {
            Some((libc::SIG_IGN, _)) if !is_fault => {}
            None | Some((libc::SIG_DFL | libc::SIG_IGN, _)) => {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &default, std::ptr::null_mut());
                if !is_fault {
                    libc::raise(signal);
                }
            }
            Some((handler, flags)) if flags & libc::SA_SIGINFO != 0 => {
                std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
            }
            Some((handler, _)) => {
                std::mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal);
            }
        }
    }
}
