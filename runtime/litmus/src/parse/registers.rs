//! The names of the registers of each machine.

/// Returns the name that a register of POWER goes by: `r0` to `r31`, or one of herd7's symbolic registers, `%x0`.
pub(super) fn powerpc(name: &str) -> Option<String> {
    let number = name.strip_prefix('r').and_then(|digits| digits.parse::<u8>().ok());
    (number.is_some_and(|number| number < 32) || name.starts_with('%')).then(|| name.to_owned())
}

/// Returns the name that a register of ARM goes by, whatever its width: `X0` to `X30`, and `XZR`, which is always zero.
pub(super) fn aarch64(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let rest = upper.strip_prefix(['W', 'X'])?;
    let is_one = rest == "ZR" || rest.parse::<u8>().is_ok_and(|number| number < 31 && rest == number.to_string());
    is_one.then(|| format!("X{rest}"))
}

/// Returns the name that a register of RISC-V goes by: `x0`, which is always zero, to `x31`; also by its name in calls.
pub(super) fn riscv(name: &str) -> Option<String> {
    const CALLED: [(&str, u8); 6] = [("zero", 0), ("ra", 1), ("sp", 2), ("gp", 3), ("tp", 4), ("fp", 8)];
    let digits = |letter: char| name.strip_prefix(letter).and_then(|digits| digits.parse::<u8>().ok());
    let number = match (digits('x'), digits('a'), digits('t'), digits('s')) {
        (Some(number @ 0..32), ..) => number,
        (_, Some(number @ 0..8), ..) => 10 + number,
        (_, _, Some(number @ 0..3), _) => 5 + number,
        (_, _, Some(number @ 3..7), _) => 25 + number,
        (.., Some(number @ 0..2)) => 8 + number,
        (.., Some(number @ 2..12)) => 16 + number,
        _ => CALLED.into_iter().find(|(known, _)| *known == name)?.1,
    };
    Some(format!("x{number}"))
}

/// Returns the name that a register of x86 goes by. A register of 64 bits and its lower half are one: values have no width.
pub(super) fn x86(name: &str) -> Option<String> {
    const NAMES: [&str; 8] = ["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP"];
    let upper = name.to_ascii_uppercase();
    let letters = upper.strip_prefix('%').unwrap_or(&upper);
    let wide = letters.strip_prefix('E').or_else(|| letters.strip_prefix('R'));
    if wide.is_some_and(|rest| NAMES.contains(&rest)) {
        return Some(format!("E{}", wide?));
    }
    let number: u8 = letters.strip_prefix('R')?.trim_end_matches('D').parse().ok()?;
    (8..16).contains(&number).then(|| format!("R{number}"))
}
