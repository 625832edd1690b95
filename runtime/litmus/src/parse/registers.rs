//! What the registers of each machine are called.

/// The name that a register of POWER goes by: `r0` to `r31`, or one of herd7's symbolic registers, `%x0`.
pub(super) fn powerpc(name: &str) -> Option<String> {
    let number = name.strip_prefix('r').and_then(|digits| digits.parse::<u8>().ok());
    (number.is_some_and(|number| number < 32) || name.starts_with('%')).then(|| name.to_owned())
}

/// The name that a register of x86 goes by. A register of 64 bits and its lower half are one: values have no width.
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
