//! Random numbers: each generator of glibc begins anew in every execution, and returns the numbers that glibc returns.
//! The functions that ask the machine for chance return one fixed sequence.

use std::ffi::{c_int, c_long, c_uint};

use crate::hooks::library::cursor::{self, Cursor, Limit};
use crate::process::scratch::ScratchText;
use crate::process::sites::call_site;
use crate::run::with;
use crate::state::library::{Common, Library};
use crate::world::library::change;

/// Returns the state of `random` after `srandom` with this seed: the upper half stands for the seed, which is 1 at
/// first, the lower half counts the numbers drawn since.
pub(crate) const fn seeded(seed: u32) -> u64 {
    ((seed ^ 1) as u64) << 32
}

#[unsafe(no_mangle)]
extern "C" fn __fh_random() -> c_long {
    change(Common::Additive, Library::draw).into()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_srandom(seed: c_uint) {
    change(Common::Additive, |_, _| (seeded(seed), ()));
}

#[unsafe(no_mangle)]
extern "C" fn __fh_rand() -> c_int {
    change(Common::Additive, Library::draw).cast_signed()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_srand(seed: c_uint) {
    __fh_srandom(seed);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_rand_r(state: usize) -> c_int {
    let site = call_site();
    let mut cursor = Cursor::new(state, Limit::Bytes(4), site);
    let mut next = u32::from_le_bytes(std::array::from_fn(|_| cursor.next().unwrap_or(0)));
    let mut step = || {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12345);
        next >> 16
    };
    let high = step() % 2048;
    let middle = step() % 1024;
    let low = step() % 1024;
    cursor::write(state, &next.to_le_bytes(), site);
    ((high << 10 ^ middle) << 10 ^ low).cast_signed()
}

/// Returns the next state of the generator of `drand48`, as POSIX defines it.
const fn next_linear(state: u64) -> u64 {
    state.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & 0xffff_ffff_ffff
}

/// Advances the generator that all threads share, and returns its next state.
fn linear() -> u64 {
    change(Common::Linear, |_, state| {
        let next = next_linear(state);
        (next, next)
    })
}

/// Advances a generator whose state the program keeps, and returns the next state.
fn linear_at(state: usize) -> u64 {
    let site = call_site();
    let mut cursor = Cursor::new(state, Limit::Bytes(6), site);
    let before = (0..6).fold(0, |sum, byte| sum | u64::from(cursor.next().unwrap_or(0)) << (8 * byte));
    let next = next_linear(before);
    cursor::write(state, &next.to_le_bytes()[..6], site);
    next
}

/// Returns the result of `drand48` in a state: at least 0, and less than 1.
fn fraction(state: u64) -> f64 {
    state as f64 / (1_u64 << 48) as f64
}

/// Returns the result of `lrand48` in a state: 31 bits.
const fn positive(state: u64) -> c_long {
    (state >> 17).cast_signed()
}

/// Returns the result of `mrand48` in a state: 32 bits with a sign.
const fn signed(state: u64) -> c_long {
    ((state >> 16) as u32).cast_signed() as c_long
}

#[unsafe(no_mangle)]
extern "C" fn __fh_srand48(seed: c_long) {
    change(Common::Linear, |_, _| ((seed.cast_unsigned() & 0xffff_ffff) << 16 | 0x330e, ()));
}

#[unsafe(no_mangle)]
extern "C" fn __fh_drand48() -> f64 {
    fraction(linear())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_lrand48() -> c_long {
    positive(linear())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mrand48() -> c_long {
    signed(linear())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_erand48(state: usize) -> f64 {
    fraction(linear_at(state))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_nrand48(state: usize) -> c_long {
    positive(linear_at(state))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_jrand48(state: usize) -> c_long {
    signed(linear_at(state))
}

/// Returns the next 64 bits of the sequence that stands for the machine's own chance (`SplitMix64`).
fn chance() -> u64 {
    with(|runtime| {
        runtime
            .remarks
            .assumptions
            .insert("the machine's random bytes (getrandom, arc4random) are one fixed sequence".into());
    });
    change(Common::Chance, |_, state| {
        let next = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (next ^ next >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (next, mixed ^ mixed >> 31)
    })
}

/// Fills the program's memory with bytes of that sequence.
fn fill(memory: usize, count: usize) {
    let site = call_site();
    let text = ScratchText::new();
    (0..count).for_each(|_| text.push(chance() as u8));
    cursor::write(memory, text.bytes(), site);
    text.release();
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __fh_getrandom(memory: usize, count: usize, _flags: c_uint) -> isize {
    fill(memory, count);
    count.cast_signed()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_getentropy(memory: usize, count: usize) -> c_int {
    if count > 256 {
        crate::process::fiber::set_errno(libc::EIO);
        return -1;
    }
    fill(memory, count);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_arc4random() -> u32 {
    chance() as u32
}

#[unsafe(no_mangle)]
extern "C" fn __fh_arc4random_uniform(bound: u32) -> u32 {
    if bound < 2 { 0 } else { (chance() % u64::from(bound)) as u32 }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_arc4random_buf(memory: usize, count: usize) {
    fill(memory, count);
}
