//! The findings of clang's checks of undefined behaviour (`-fsanitize=undefined -fsanitize-trap=all`), by the
//! instruction with which a check ends the program: `ud1`, whose operand is the number of the check.

/// The first bytes of the instruction's two forms: the check's number follows the long one, and is 0 in the short one.
const LONG: [u8; 4] = [0x67, 0x0f, 0xb9, 0x40];
const SHORT: [u8; 4] = [0x67, 0x0f, 0xb9, 0x00];

/// Returns what the check at an instruction has found, if there is one.
pub(crate) fn found_at(instruction: usize) -> Option<&'static str> {
    words(check_at(instruction)?)
}

/// Returns the number of the check at an instruction, if there is one.
pub(crate) fn check_at(instruction: usize) -> Option<u8> {
    // SAFETY: the processor has just read the instruction there, which has at least four bytes if it is this one; the
    // bytes of any other end with a page of code at the latest, and code is readable.
    let begin = unsafe { (instruction as *const [u8; 4]).read_unaligned() };
    match begin {
        SHORT => Some(0),
        // SAFETY: this instruction has five bytes.
        LONG => Some(unsafe { ((instruction + LONG.len()) as *const u8).read() }),
        _ => None,
    }
}

/// Returns what the check with this number has found, in the numbering of clang 19.
const fn words(number: u8) -> Option<&'static str> {
    Some(match number {
        0 => "an addition overflows",
        1 => "code that is not meant to be reached",
        3 => "a division overflows or is by zero",
        5 => "a floating-point number is outside of the type that it is converted to",
        6 => "a function is called by a pointer of another type",
        7 => "a conversion changes the value",
        8 => "the argument of a builtin function is 0",
        10 => "a value is none of its type",
        11 => "a function ends without a result",
        12 => "a multiplication overflows",
        13 => "a negation overflows",
        14..=17 => "a pointer is null that must not be",
        18 => "an index is out of bounds",
        19 => "the sum of a pointer and a number overflows",
        20 => "a shift is by too much, or of a negative number",
        21 => "a subtraction overflows",
        22 => "a pointer is null, misaligned, or to too few bytes",
        23 => "a pointer is not aligned as is said",
        24 => "the length of an array is not positive",
        _ => return None,
    })
}
