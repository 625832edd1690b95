//! Building code that computes with labels: calls of the runtime, and accesses of the record in which labels go from
//! function to function.

use inkwell::IntPredicate;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};

use crate::abi::{label_word, label_words};
use crate::failure::{Failure, Result};
use crate::hooks::{Hooks, handle};
use crate::ir::{Layout, Type, Value};

/// `struct fh_labels` of the hook ABI, in words: the labels of the address and the value of the access at hand and of what it
/// expects, whether nothing uses what it reads, the label of what it loads, and then arguments and results.
pub(super) const ADDRESS: u32 = label_word("address");
pub(super) const STORED: u32 = label_word("stored");
pub(super) const EXPECTED: u32 = label_word("expected");
pub(super) const UNUSED: u32 = label_word("unused");
pub(super) const LOADED: u32 = label_word("loaded");
pub(super) const ARGUMENTS: u32 = label_word("arguments");
pub(super) const MOST_ARGUMENTS: u32 = label_words("arguments");
pub(super) const RESULTS: u32 = label_word("results");
pub(super) const MOST_RESULTS: u32 = label_words("results");

/// The builder of code in the function at hand.
pub(super) struct Code<'a, 'ctx> {
    pub(super) hooks: &'a Hooks<'ctx>,
    pub(super) layout: Layout,
}

impl<'ctx> Code<'_, 'ctx> {
    /// Returns the label of a value that depends on no load.
    pub(super) fn none(&self) -> IntValue<'ctx> {
        self.hooks.number(0)
    }

    /// Returns the label of a value that depends on all that these labels stand for.
    pub(super) fn union(&self, labels: &[IntValue<'ctx>]) -> Result<IntValue<'ctx>> {
        let mut all: Vec<IntValue<'ctx>> = Vec::new();
        for &label in labels {
            if !is_none(label) && !all.contains(&label) {
                all.push(label);
            }
        }
        let Some((&first, rest)) = all.split_first() else { return Ok(self.none()) };
        rest.iter().try_fold(first, |sum, &label| self.hooks.call("__fh_label_union", &[sum.into(), label.into()]))
    }

    /// Returns the label of one of two values, picked by what chooses between them.
    pub(super) fn select(
        &self,
        by: IntValue<'ctx>,
        chooses: IntValue<'ctx>,
        labels: [IntValue<'ctx>; 2],
    ) -> Result<IntValue<'ctx>> {
        let [one, two] = labels;
        if [by, one, two].into_iter().all(is_none) {
            return Ok(self.none());
        }
        let either = |one: IntValue<'ctx>, two: IntValue<'ctx>| -> Result<IntValue<'ctx>> {
            Ok(self.hooks.builder.build_select(chooses, one, two, "")?.into_int_value())
        };
        let [chosen, other] = [either(one, two)?, either(two, one)?];
        self.hooks.call("__fh_label_select", &[by.into(), chosen.into(), other.into()])
    }

    /// Returns a pointer to a word of the record.
    fn word(&self, index: u32) -> Result<PointerValue<'ctx>> {
        const NAME: &str = "__fh_labels";
        let module = &self.hooks.module;
        let words = self.hooks.context.i32_type().array_type(RESULTS + MOST_RESULTS);
        let record = module.get_global(NAME).unwrap_or_else(|| module.add_global(words, None, NAME));
        let indices = [self.hooks.number(0), self.hooks.number(index)];
        // SAFETY: the index is within the array.
        Ok(unsafe { self.hooks.builder.build_gep(words, record.as_pointer_value(), &indices, "") }?)
    }

    /// Writes a word of the record.
    pub(super) fn put(&self, index: u32, label: IntValue<'ctx>) -> Result<()> {
        let place = self.word(index)?;
        self.hooks.builder.build_store(place, label)?;
        Ok(())
    }

    /// Reads a word of the record.
    pub(super) fn get(&self, index: u32) -> Result<IntValue<'ctx>> {
        let place = self.word(index)?;
        Ok(self.hooks.builder.build_load(self.hooks.context.i32_type(), place, "")?.into_int_value())
    }

    /// Returns the address under which the labels of an argument passed by value are kept during the call; no memory is there.
    fn passing(&self, index: u32) -> PointerValue<'ctx> {
        const NOWHERE: u64 = 1 << 60;
        self.hooks.long(NOWHERE + (u64::from(index) << 32)).const_to_pointer(self.hooks.pointer_type())
    }

    /// Copies the labels of an argument that is passed by value to where the function called will look for them.
    pub(super) fn pass_copy(&self, index: u32, argument: Value, kind: Type) -> Result<()> {
        let (to, size) = (self.passing(index).into(), self.hooks.long(self.layout.allocated_size(kind)).into());
        self.hooks.call("__fh_label_copy", &[to, argument.basic(), size]).map(drop)
    }

    /// Gives a function's own copy of an argument the labels that came with it, and leaves none for a caller that knows nothing
    /// of labels.
    pub(super) fn take_copy(&self, index: u32, copy: Value, kind: Type) -> Result<()> {
        let (from, size) = (self.passing(index).into(), self.hooks.long(self.layout.allocated_size(kind)).into());
        self.hooks.call("__fh_label_copy", &[copy.basic(), from, size])?;
        self.hooks.call("__fh_label_put", &[from, size, self.none().into()]).map(drop)
    }

    /// Tells the runtime that private memory is accessed at an address.
    pub(super) fn address(&self, label: IntValue<'ctx>) -> Result<()> {
        if !is_none(label) {
            self.hooks.call("__fh_label_address", &[label.into()])?;
        }
        Ok(())
    }

    /// Makes a division, given the label of its result, divide by 1 as long as that is not known: no machine waits for the divisor
    /// before it goes on, but x86 would trap at 0. Vectors are waited for.
    pub(super) fn divide(&self, division: Value, label: IntValue<'ctx>) -> Result<()> {
        if is_none(label) {
            return Ok(());
        }
        let divisor = division.operand(1);
        if divisor.kind().kind() != LLVMTypeKind::LLVMIntegerTypeKind {
            return self.branch(label);
        }
        let known: IntValue = self.hooks.call("__fh_label_is_known", &[label.into()])?;
        let is_known =
            self.hooks.builder.build_int_compare(IntPredicate::NE, known, known.get_type().const_zero(), "")?;
        let divisor = divisor.integer();
        let one = divisor.get_type().const_int(1, false);
        let safe = self.hooks.builder.build_select(is_known, divisor, one, "")?;
        division.set_operand(1, handle(&safe)?);
        Ok(())
    }

    /// Tells the runtime what the arguments of the modelled function that is called next depend on, though it be nothing.
    pub(super) fn operands(&self, label: IntValue<'ctx>) -> Result<()> {
        self.hooks.call("__fh_label_operands", &[label.into()]).map(drop)
    }

    /// Tells the runtime that the program branches on a value.
    pub(super) fn branch(&self, label: IntValue<'ctx>) -> Result<()> {
        if !is_none(label) {
            self.hooks.call("__fh_label_branch", &[label.into()])?;
        }
        Ok(())
    }

    /// Makes what is built from now on stand behind an instruction.
    pub(super) fn behind(&self, instruction: Value) -> Result<()> {
        let next = instruction.next().ok_or_else(|| Failure::new("a value that ends a block"))?;
        self.hooks.before(next);
        Ok(())
    }

    /// Returns the number of bytes of a value, as hooks take it.
    pub(super) fn length(&self, kind: Type) -> BasicValueEnum<'ctx> {
        self.hooks.long(self.layout.store_size(kind)).into()
    }

    /// Returns the offsets in bytes of the elements of a type, each with its size.
    pub(super) fn parts(&self, kind: Type) -> Vec<(u64, u64)> {
        match kind.kind() {
            LLVMTypeKind::LLVMStructTypeKind if kind.struct_element_count() > 0 => (0..kind.struct_element_count())
                .map(|index| {
                    (self.layout.element_offset(kind, index), self.layout.store_size(kind.struct_element(index)))
                })
                .collect(),
            _ => vec![(0, self.layout.store_size(kind))],
        }
    }

    /// Returns a pointer `offset` bytes behind another.
    pub(super) fn displaced(&self, pointer: PointerValue<'ctx>, offset: u64) -> Result<PointerValue<'ctx>> {
        if offset == 0 {
            return Ok(pointer);
        }
        // SAFETY: the offset is within what the pointer points to.
        Ok(unsafe {
            self.hooks.builder.build_gep(self.hooks.context.i8_type(), pointer, &[self.hooks.long(offset)], "")
        }?)
    }

    /// Refuses what comes next, where labels matter.
    pub(super) fn refuse(&self, what: &str) -> Result<()> {
        let text = self.hooks.builder.build_global_string_ptr(what, ".fh.text")?;
        self.hooks.call("__fh_label_refuse", &[text.as_pointer_value().into()]).map(drop)
    }
}

/// Whether it is known at compile time that a label is that of no load.
pub(super) fn is_none(label: IntValue) -> bool {
    label.is_const() && label.is_null()
}
