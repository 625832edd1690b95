//! Building blocks for calls of the hooks: declarations, site records, strings, temporaries.

use std::collections::{BTreeMap, HashMap};
use std::mem::ManuallyDrop;

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::llvm_sys::core::LLVMPositionBuilderBeforeInstrAndDbgRecords;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicType, BasicTypeEnum, IntType};
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue, BasicValueEnum, FunctionValue, IntValue, PointerValue, StructValue,
};

use crate::abi::{self, Kind};
use crate::expressions::Object;
use crate::failure::{Failure, Result};
use crate::ir::{Block, Function, Type, Value};
use crate::sites::{Frame, Site};

/// The builder of calls of hooks, and of their arguments, in a module.
pub(crate) struct Hooks<'ctx> {
    /// The module, which is clang's, and so is not dropped.
    pub(crate) module: ManuallyDrop<Module<'ctx>>,
    pub(crate) context: ContextRef<'ctx>,
    pub(crate) builder: Builder<'ctx>,
    strings: BTreeMap<String, PointerValue<'ctx>>,
    sites: BTreeMap<Site, PointerValue<'ctx>>,
    stacks: BTreeMap<Vec<Frame>, PointerValue<'ctx>>,
    objects: BTreeMap<Object, PointerValue<'ctx>>,
    temporaries: HashMap<(Value, Type), PointerValue<'ctx>>,
}

impl Hooks<'_> {
    /// Makes a builder for a module.
    pub(crate) fn new(module: LLVMModuleRef) -> Self {
        // SAFETY: clang hands over a live module, which outlives the pass.
        let module = ManuallyDrop::new(unsafe { Module::new(module) });
        let context = module.get_context();
        let builder = context.create_builder();
        let (strings, sites, temporaries) = (BTreeMap::new(), BTreeMap::new(), HashMap::new());
        let (stacks, objects) = (BTreeMap::new(), BTreeMap::new());
        Self { module, context, builder, strings, sites, stacks, objects, temporaries }
    }
}

impl<'ctx> Hooks<'ctx> {
    /// Returns the type of pointers.
    pub(crate) fn pointer_type(&self) -> inkwell::types::PointerType<'ctx> {
        self.context.ptr_type(AddressSpace::default())
    }

    /// Returns the type of integers of this many bits.
    pub(crate) fn integer_type(&self, bits: u32) -> Result<IntType<'ctx>> {
        let bits = std::num::NonZeroU32::new(bits).ok_or_else(|| Failure::new("an integer of no bits"))?;
        self.context.custom_width_int_type(bits).map_err(Failure::new)
    }

    /// Returns a constant of 32 bits.
    pub(crate) fn number(&self, value: u32) -> IntValue<'ctx> {
        self.context.i32_type().const_int(u64::from(value), false)
    }

    /// Returns a constant of 64 bits.
    pub(crate) fn long(&self, value: u64) -> IntValue<'ctx> {
        self.context.i64_type().const_int(value, false)
    }

    /// Makes what is built from now on stand before an instruction, with its debug location.
    pub(crate) fn before(&self, instruction: Value) {
        // SAFETY: the handle is a live instruction.
        let instruction = unsafe { inkwell::values::InstructionValue::new(instruction.raw()) };
        self.builder.position_before(&instruction);
    }

    /// Makes phis that are built from now on stand before an instruction and the debug information that precedes it.
    pub(crate) fn before_debug_records(&self, instruction: Value) {
        self.before(instruction);
        // SAFETY: the builder and the instruction are live.
        unsafe { LLVMPositionBuilderBeforeInstrAndDbgRecords(self.builder.as_mut_ptr(), instruction.raw()) }
    }

    /// Calls a hook, and returns its result; a hook without a result yields a zero of type i32.
    pub(crate) fn call(&self, name: &str, arguments: &[BasicValueEnum<'ctx>]) -> Result<IntValue<'ctx>> {
        let function = self.declare(name)?;
        let wanted = function.get_type().get_param_types();
        if wanted != arguments.iter().map(|argument| argument.get_type().into()).collect::<Vec<_>>() {
            return Err(Failure::new(format!("a call of {name} with other arguments than it takes: {arguments:?}")));
        }
        self.call_declared(function, arguments)
    }

    /// Returns the declaration of a hook as its header has it; a missing one is made.
    pub(crate) fn declare(&self, name: &str) -> Result<FunctionValue<'ctx>> {
        if let Some(function) = self.module.get_function(name) {
            return Ok(function);
        }
        let hook = abi::hook(name).ok_or_else(|| Failure::new(format!("no hook is called {name}")))?;
        let kinds = hook.parameters.iter().map(|&kind| Ok(self.type_of(kind)?.into())).collect::<Result<Vec<_>>>()?;
        let kind = match hook.result {
            Kind::Void => self.context.void_type().fn_type(&kinds, false),
            result => self.type_of(result)?.fn_type(&kinds, false),
        };
        let function = self.module.add_function(name, kind, Some(Linkage::External));
        function.add_attribute(AttributeLoc::Function, self.attribute("nounwind"));
        for (index, kind) in (0..).zip(hook.parameters) {
            if matches!(kind, Kind::Integer(1 | 2)) {
                function.add_attribute(AttributeLoc::Param(index), self.attribute("zeroext"));
            }
        }
        let private: &[u32] = match name {
            "__fh_read" | "__fh_write" | "__fh_atomic_read" | "__fh_atomic_write" => &[1],
            "__fh_atomic_rmw" | "__fh_atomic_cas" => &[1, 2],
            _ if name.starts_with("__fh_weak_cas") => &[4],
            _ => &[],
        };
        for &position in private {
            function.add_attribute(AttributeLoc::Param(position), self.attribute("nocapture"));
        }
        Ok(function)
    }

    /// Returns the type that a parameter, a result or a field of the hook ABI has.
    fn type_of(&self, kind: Kind) -> Result<BasicTypeEnum<'ctx>> {
        match kind {
            Kind::Integer(bytes) => Ok(self.integer_type(8 * bytes)?.into()),
            Kind::Pointer => Ok(self.pointer_type().into()),
            Kind::Void | Kind::Struct => Err(Failure::new("a hook that the pass does not call")),
        }
    }

    /// Returns a constant struct of the hook ABI, from its fields.
    pub(crate) fn record(&self, of: &str, fields: &[BasicValueEnum<'ctx>]) -> Result<StructValue<'ctx>> {
        let wanted = abi::fields(of).map(|field| self.type_of(field.kind)).collect::<Result<Vec<_>>>()?;
        if wanted != fields.iter().map(BasicValueEnum::get_type).collect::<Vec<_>>() {
            return Err(Failure::new(format!("a struct {of} of other fields than it has: {fields:?}")));
        }
        Ok(self.context.const_struct(fields, false))
    }

    /// Calls a function; narrow integers are extended by zeros, as the C calling convention has it.
    fn call_declared(
        &self,
        function: FunctionValue<'ctx>,
        arguments: &[BasicValueEnum<'ctx>],
    ) -> Result<IntValue<'ctx>> {
        let values: Vec<BasicMetadataValueEnum> = arguments.iter().map(|&argument| argument.into()).collect();
        let call = self.builder.build_call(function, &values, "")?;
        for (index, argument) in (0..).zip(arguments) {
            if is_narrow(*argument) {
                call.add_attribute(AttributeLoc::Param(index), self.attribute("zeroext"));
            }
        }
        Ok(match call.try_as_basic_value().basic() {
            Some(BasicValueEnum::IntValue(value)) => value,
            _ => self.number(0),
        })
    }

    /// Returns an attribute without a value.
    pub(crate) fn attribute(&self, name: &str) -> Attribute {
        self.context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0)
    }

    /// Returns a constant string of the module's.
    pub(crate) fn string(&mut self, text: &str) -> PointerValue<'ctx> {
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let text_end = text.find('\0').unwrap_or(text.len());
        let value = self.context.const_string(&text.as_bytes()[..text_end], true);
        let global = self.module.add_global(value.get_type(), None, ".fh.text");
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_unnamed_address(inkwell::values::UnnamedAddress::Global);
        global.set_alignment(1);
        self.strings.insert(text.to_owned(), global.as_pointer_value());
        global.as_pointer_value()
    }

    /// Returns the record of a site.
    pub(crate) fn site(&mut self, site: &Site) -> Result<BasicValueEnum<'ctx>> {
        if let Some(&known) = self.sites.get(site) {
            return Ok(known.into());
        }
        let texts = [&site.file, &site.function, &site.expression].map(|text| self.string(text).into());
        let frames = u16::try_from(site.stack.len()).unwrap_or(u16::MAX);
        let stack = if site.stack.is_empty() {
            self.pointer_type().const_null().into()
        } else {
            self.stack(&site.stack[..frames.into()])?.into()
        };
        let [column, frames] = [site.column, frames].map(|number| self.short(number));
        let (object, offset) = match &site.object {
            Some((object, offset)) => (self.object(object)?, *offset),
            None => (self.pointer_type().const_null(), 0),
        };
        let (object, offset) = (object.into(), self.long(offset).into());
        let line = self.number(site.line).into();
        let fields = [texts[0], texts[1], texts[2], stack, object, offset, line, column, frames];
        let value = self.record("fh_site", &fields)?;
        let global = self.module.add_global(value.get_type(), None, ".fh.site");
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_section(Some("fh_sites"));
        global.set_alignment(8);
        self.sites.insert(site.clone(), global.as_pointer_value());
        Ok(global.as_pointer_value().into())
    }

    /// Returns the record of an object.
    fn object(&mut self, object: &Object) -> Result<PointerValue<'ctx>> {
        if let Some(&known) = self.objects.get(object) {
            return Ok(known);
        }
        let [name, members] = [&object.name, &object.members].map(|text| self.string(text).into());
        let [size, sort] = [object.size, object.sort.into()].map(|number| self.long(number).into());
        let value = self.record("fh_object", &[name, members, size, sort])?;
        let global = self.module.add_global(value.get_type(), None, ".fh.object");
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_alignment(8);
        self.objects.insert(object.clone(), global.as_pointer_value());
        Ok(global.as_pointer_value())
    }

    /// Returns the frames of a site's stack, as an array.
    fn stack(&mut self, frames: &[Frame]) -> Result<PointerValue<'ctx>> {
        if let Some(&known) = self.stacks.get(frames) {
            return Ok(known);
        }
        let mut fields = Vec::new();
        for frame in frames {
            let texts = [&frame.file, &frame.function].map(|text| BasicValueEnum::from(self.string(text)));
            let [column, unused] = [frame.column, 0].map(|number| self.short(number));
            let frame = [texts[0], texts[1], self.number(frame.line).into(), column, unused];
            fields.push(self.record("fh_frame", &frame)?);
        }
        let value = fields[0].get_type().const_array(&fields);
        let global = self.module.add_global(value.get_type(), None, ".fh.stack");
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global.set_alignment(8);
        self.stacks.insert(frames.to_vec(), global.as_pointer_value());
        Ok(global.as_pointer_value())
    }

    /// Returns a constant of 16 bits.
    fn short(&self, number: u16) -> BasicValueEnum<'ctx> {
        self.context.i16_type().const_int(u64::from(number), false).into()
    }

    /// Returns a new variable in a function's frame.
    pub(crate) fn variable<T: BasicType<'ctx>>(&self, function: Value, kind: T) -> Result<PointerValue<'ctx>> {
        let entry = Function(function).entry().and_then(Block::first);
        let builder = self.context.create_builder();
        let entry = entry.ok_or_else(|| Failure::new("a function without instructions"))?;
        // SAFETY: the handle is a live instruction.
        let entry = unsafe { inkwell::values::InstructionValue::new(entry.raw()) };
        builder.position_before(&entry);
        builder.unset_current_debug_location();
        Ok(builder.build_alloca(kind, "")?)
    }

    /// Returns a variable of a type in a function's frame for the time of one access, shared by all of them.
    pub(crate) fn temporary(&mut self, function: Value, kind: Type) -> Result<PointerValue<'ctx>> {
        if let Some(&known) = self.temporaries.get(&(function, kind)) {
            return Ok(known);
        }
        let made = self.variable(function, kind.typed())?;
        self.temporaries.insert((function, kind), made);
        Ok(made)
    }

    /// Returns a simple value as the integer that a hook takes.
    pub(crate) fn to_bits(&self, value: BasicValueEnum<'ctx>, bytes: u64) -> Result<IntValue<'ctx>> {
        let wanted = self.integer_type(u32::try_from(bytes * 8).map_err(Failure::new)?)?;
        Ok(match value {
            BasicValueEnum::IntValue(value) if value.get_type() == wanted => value,
            BasicValueEnum::IntValue(value) => self.builder.build_int_z_extend(value, wanted, "")?,
            BasicValueEnum::PointerValue(value) => self.builder.build_ptr_to_int(value, wanted, "")?,
            other => self.builder.build_bit_cast(other, wanted, "")?.into_int_value(),
        })
    }

    /// Returns the simple value of a type that an integer from a hook stands for.
    pub(crate) fn value_of(&self, bits: IntValue<'ctx>, kind: BasicTypeEnum<'ctx>) -> Result<BasicValueEnum<'ctx>> {
        Ok(match kind {
            BasicTypeEnum::IntType(kind) if kind == bits.get_type() => bits.into(),
            BasicTypeEnum::IntType(kind) => self.builder.build_int_truncate(bits, kind, "")?.into(),
            BasicTypeEnum::PointerType(kind) => self.builder.build_int_to_ptr(bits, kind, "")?.into(),
            other => self.builder.build_bit_cast(bits, other, "")?,
        })
    }
}

/// Whether a value is an integer that the calling convention extends.
fn is_narrow(value: BasicValueEnum) -> bool {
    matches!(value, BasicValueEnum::IntValue(value) if value.get_type().get_bit_width() < 32)
}

/// Returns a handle of a value that inkwell built.
pub(crate) fn handle<'ctx>(value: &impl BasicValue<'ctx>) -> Result<Value> {
    Value::from_raw(value.as_value_ref()).ok_or_else(|| Failure::new("LLVM built no value"))
}

/// Returns the width in bits of this many bytes (1, 2, 4 or 8).
pub(crate) fn width(bytes: u64) -> u32 {
    if bytes >= 8 {
        64
    } else if bytes >= 4 {
        32
    } else if bytes >= 2 {
        16
    } else {
        8
    }
}

/// Puts a value in an instruction's place.
pub(crate) fn replace(instruction: Value, value: BasicValueEnum) -> Result<()> {
    instruction.replace_by(handle(&value)?);
    instruction.erase();
    Ok(())
}
