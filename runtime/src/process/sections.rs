//! The sections of the executable into which the pass puts the program's variables and what it knows of the program.

use std::ops::Range;

use crate::process::layout;

macro_rules! section {
    ($own:ident, $name:literal, $start:literal, $stop:literal, $range:ident) => {
        /// One byte of the runtime's own, so that the section exists in every program.
        #[used]
        #[unsafe(link_section = $name)]
        static mut $own: u8 = 0;

        pub(crate) fn $range() -> Range<usize> {
            unsafe extern "C" {
                #[link_name = $start]
                static START: u8;
                #[link_name = $stop]
                static STOP: u8;
            }
            &raw const START as usize..&raw const STOP as usize
        }
    };
}

section!(OWN_DATA, "fh_data", "__start_fh_data", "__stop_fh_data", data);
section!(OWN_BSS, "fh_bss", "__start_fh_bss", "__stop_fh_bss", bss);
section!(OWN_TDATA, "fh_tdata", "__start_fh_tdata", "__stop_fh_tdata", tdata);
section!(OWN_CANCELS, "fh_cancels", "__start_fh_cancels", "__stop_fh_cancels", cancels);
section!(OWN_EXITS, "fh_exits", "__start_fh_exits", "__stop_fh_exits", exits);
section!(OWN_ASKS, "fh_asks", "__start_fh_asks", "__stop_fh_asks", asks);
section!(OWN_UNFENCED, "fh_unfenced", "__start_fh_unfenced", "__stop_fh_unfenced", unfenced);
section!(OWN_UNWRITTEN, "fh_unwritten", "__start_fh_unwritten", "__stop_fh_unwritten", unwritten);
section!(OWN_SHARES, "fh_shares", "__start_fh_shares", "__stop_fh_shares", shares);
section!(OWN_LOOKS, "fh_looks", "__start_fh_looks", "__stop_fh_looks", looks);
section!(OWN_CLOCKS, "fh_clocks", "__start_fh_clocks", "__stop_fh_clocks", clocks);
section!(OWN_UNLABELLED, "fh_unlabelled", "__start_fh_unlabelled", "__stop_fh_unlabelled", unlabelled);
section!(OWN_TBSS, "fh_tbss", "__start_fh_tbss", "__stop_fh_tbss", tbss);

/// Returns the addresses from the first to the last variable.
pub(crate) fn image() -> Range<usize> {
    let (data, bss) = (data(), bss());
    data.start.min(bss.start)..data.end.max(bss.end)
}

/// Whether the program calls `pthread_cancel` anywhere: the pass puts a byte into this section for each file that does.
pub(crate) fn calls_cancel() -> bool {
    cancels().len() > 1
}

/// Whether the program calls `exit` or one of its sisters anywhere: the pass puts a byte into this section for each file
/// that does.
pub(crate) fn calls_exit() -> bool {
    exits().len() > 1
}

/// Whether the program asks anywhere whether a thread has ended, and does not wait for it however long it takes: the pass
/// puts a byte into this section for each file that does.
pub(crate) fn asks_for_ends() -> bool {
    asks().len() > 1
}

/// Whether the program uses what the C library keeps for all threads anywhere but in `main`: the pass puts a byte into
/// this section for each file that does.
pub(crate) fn shares_library() -> bool {
    shares().len() > 1
}

/// Whether the program reads a clock, and does that or sleeps anywhere but in `main`: the pass puts a byte into one
/// section for each file that reads one, and into another one for each file that does either outside `main`.
pub(crate) fn shares_clock() -> bool {
    looks().len() > 1 && clocks().len() > 1
}

/// Whether each transaction of the program, and each store outside of them, is known to be followed by a full fence:
/// the pass puts a byte into this section for each file of which that is not known.
pub(crate) fn is_fenced() -> bool {
    unfenced().len() == 1
}

/// Whether the program was compiled with `--uninitialised`: the pass puts a byte into this section for each file that was.
pub(crate) fn tracks_unwritten() -> bool {
    unwritten().len() > 1
}

/// Whether all instrumented files of the program have labels of dependencies: the pass puts a byte into this section
/// for each file that has none.
pub(crate) fn has_labels() -> bool {
    unlabelled().len() == 1
}

/// Whether the address is in a variable of the program.
pub(crate) fn is_variable(address: usize) -> bool {
    data().contains(&address) || bss().contains(&address)
}

/// Returns the bytes that a thread's copies of the thread-local variables take, a multiple of 64.
pub(crate) fn tls_length() -> usize {
    let length = |range: Range<usize>| (range.len() + 63) & !63;
    // A thread's copies keep the alignment of their images to 64 bytes.
    length(tdata()) + length(tbss()) + 128
}

/// Returns the address at which a thread's copies begin, at the top of its stack.
fn tls_block(thread: engine::event::Thread) -> usize {
    layout::stack(thread) + layout::STACK - tls_length()
}

/// Returns the memory of a thread's copies of the thread-local variables.
pub(crate) fn tls_of(thread: engine::event::Thread) -> Range<usize> {
    tls_block(thread)..layout::stack(thread) + layout::STACK
}

/// Returns the images of the thread-local variables, each with the address of the thread's copy.
pub(crate) fn tls_places(thread: engine::event::Thread) -> [(Range<usize>, usize); 2] {
    let aligned_after = |at: usize, like: usize| at + ((like.wrapping_sub(at)) & 63);
    let data_at = aligned_after(tls_block(thread), tdata().start);
    let bss_at = aligned_after(data_at + tdata().len(), tbss().start);
    [(tdata(), data_at), (tbss(), bss_at)]
}

/// Returns the address of the thread's copy of the variable whose image is at `image`.
pub(crate) fn tls_address(thread: engine::event::Thread, image: usize) -> usize {
    tls_places(thread)
        .into_iter()
        .find(|(range, _)| range.contains(&image))
        .map_or(image, |(range, copy)| copy + (image - range.start))
}
