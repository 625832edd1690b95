//! Assembly that only computes in registers, whatever it computes: `bsr` with a jump over what follows, `bswap`, …

/// Whether all statements compute in registers alone: known instructions, without an operand that could be in memory, and without
/// flags other than their own.
pub(crate) fn is_all(statements: &[String], constraints: &str) -> bool {
    let gives_flags = constraints.contains("@cc");
    let names = || statements.iter().map(|statement| split(statement).0);
    let first = |wanted: fn(&str) -> bool| names().position(wanted);
    let looked_at = first(looks_at_flags).or(gives_flags.then_some(statements.len()));
    let are_own = looked_at.is_none_or(|place| first(sets_flags).is_some_and(|set| set < place));
    are_own && !constraints.contains('*') && statements.iter().all(|statement| computes(statement))
}

/// Returns the name of an instruction and its operands, without the label before it.
fn split(statement: &str) -> (&str, &str) {
    let statement = match statement.split_once(':') {
        Some((label, rest)) if is_number(label) => rest.trim_start(),
        _ => statement,
    };
    statement.split_once(' ').unwrap_or((statement, ""))
}

/// Whether an instruction's effect depends on flags.
fn looks_at_flags(name: &str) -> bool {
    ["j", "set", "cmov", "adc", "sbb", "rcl", "rcr"].iter().any(|prefix| name.starts_with(prefix)) && name != "jmp"
}

/// Whether an instruction sets the flags, whatever its operands. (A shift by nothing does not.)
fn sets_flags(name: &str) -> bool {
    const ALL: [&str; 12] = ["bsr", "bsf", "lzcnt", "tzcnt", "popcnt", "add", "sub", "cmp", "test", "and", "or", "xor"];
    const MORE: [&str; 8] = ["neg", "inc", "dec", "imul", "mul", "bt", "bts", "btr"];
    let known = |name: &str| ALL.contains(&name) || MORE.contains(&name);
    known(name) || name.strip_suffix(['b', 'w', 'l', 'q']).is_some_and(known)
}

/// Instructions without an implied operand in memory, given without the suffixes for widths.
const MNEMONICS: [&str; 40] = [
    "mov", "movabs", "bswap", "bsr", "bsf", "lzcnt", "tzcnt", "popcnt", "add", "adc", "sub", "sbb", "and", "andn",
    "or", "xor", "not", "neg", "inc", "dec", "cmp", "test", "shl", "sal", "shr", "sar", "rol", "ror", "rcl", "rcr",
    "shld", "shrd", "imul", "mul", "bt", "bts", "btr", "btc", "xchg", "crc32",
];

fn computes(statement: &str) -> bool {
    let statement = statement
        .split_once(':')
        .map_or(statement, |(label, rest)| if is_number(label) { rest.trim_start() } else { statement });
    let (name, rest) = statement.split_once(' ').unwrap_or((statement, ""));
    let operands: Vec<&str> = rest.split(',').map(str::trim).collect();
    match name {
        "" => true,
        _ if name.starts_with('j') => matches!(operands[..], [target] if is_near(target)),
        _ => is_known(name) && operands.iter().all(|operand| is_register_or_constant(operand)),
    }
}

fn is_known(name: &str) -> bool {
    let widened = || name.strip_suffix(['b', 'w', 'l', 'q']);
    let known = |name: &str| MNEMONICS.contains(&name) || name.starts_with("cmov") || name.starts_with("set");
    known(name)
        || widened().is_some_and(known)
        || ["movz", "movs"].iter().any(|prefix| {
            // Widening moves name two widths; with one they are string instructions.
            name.strip_prefix(prefix).is_some_and(|widths| widths.len() == 2)
        })
}

/// Whether the label is a local one, which is a number.
fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|letter| letter.is_ascii_digit())
}

/// Whether the target of a jump is a local label, before or behind.
fn is_near(target: &str) -> bool {
    target.strip_suffix(['f', 'b']).is_some_and(is_number)
}

fn is_register_or_constant(operand: &str) -> bool {
    let of_the_stack = ["sp", "bp"].iter().any(|name| operand.trim_end_matches('l').ends_with(name));
    operand.starts_with(['$', '%']) && !operand.contains(['(', ':']) && !of_the_stack
        || operand.starts_with("${") && operand.ends_with('}')
}

#[cfg(test)]
mod tests {
    use super::is_all;
    use crate::assembly::notation::statements;

    #[test]
    fn what_stays_in_registers_is_a_computation() {
        for text in [
            "bsrl $1,$0\n\tjnz 1f\n\tmovl $$-1,$0\n\t1:\n\t",
            "bswap $0",
            "bswapq ${0:q}",
            "rolw $$8, ${0:w}",
            "mulq $3; adcq $$0, %rdx",
            "xorl %eax, %eax; setc %al; movzbl %al, $0",
            "1: decl $0; jnz 1b",
        ] {
            assert!(is_all(&statements(text), "=r,rm,~{cc}"), "{text}");
        }
    }

    #[test]
    fn what_may_touch_memory_or_leave_is_none() {
        for text in [
            "movl ($1), $0",
            "movl 4, $0",
            "movl counter, $0",
            "movl %fs:0, $0",
            "movsb",
            "movsq",
            "pushq $0",
            "call f",
            "jmp elsewhere",
            "jmp *$0",
            "lock incl $0",
            "rep stosb",
            "syscall",
            "addq $$8, %rsp",
            "movl %ebp, $0",
            "int $$3",
            "sete ${0:b}",
            "jnz 1f; bswap $0; 1:",
        ] {
            assert!(!is_all(&statements(text), "=r,r"), "{text}");
        }
        assert!(!is_all(&statements("incl $0"), "=*m,*m"));
        assert!(!is_all(&statements("bswap $0"), "=r,={@ccz},0"));
        assert!(is_all(&statements("bsrl $2, $0"), "=r,={@ccz},r"));
    }
}
