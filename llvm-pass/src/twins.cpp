// Functions as the program has them, beside those with hooks, for a program that no tool controls.
//
// Of each function f there are two, where the command asks for it: one with hooks, and its twin,
// which is a copy that was made before anything was changed. f itself looks at `__fh_controlled`,
// and goes on to one of them; within a file, functions with hooks call each other, and twins call
// each other. What must be one, variables with static storage and the addresses of functions, is
// shared. So such a program runs as fast as without hooks, and is the same program where it is
// controlled.
//
// No twin has: a function whose labels are values (what they are is known of one function alone),
// one that is an atomic block as a whole, and one with an atomic access that the compiler's library
// would perform. These run with hooks, which then do what the program would.

#include "twins.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

extern "C" {
// Whether only the runtime has a function of this name.
bool fencehound_is_own(const char *name, size_t length);
// Whether inline assembly is for another machine, where it is only understood.
bool fencehound_is_foreign(const char *text, size_t length);
}

namespace {

constexpr const char *MAIN = "__fh_main";

// Beginnings of names.
constexpr const char *TWIN = "__fh_twin_";
constexpr const char *CHECKED = "__fh_checked_";
constexpr const char *ATOMIC_BLOCK = "__VERIFIER_atomic_";

// The name that a function has once the module is instrumented.
StringRef finalName(StringRef name) { return name == "main" ? MAIN : name; }

// Whether the processor performs an atomic access of this type by an instruction.
bool isSmall(Type *type, const DataLayout &layout) { return layout.getTypeStoreSize(type) <= 8; }

bool needsLibrary(const Instruction &instruction, const DataLayout &layout) {
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
        return load->isAtomic() && !isSmall(load->getType(), layout);
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
        return store->isAtomic() && !isSmall(store->getValueOperand()->getType(), layout);
    if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
        return !isSmall(rmw->getType(), layout);
    if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
        return !isSmall(exchange->getCompareOperand()->getType(), layout);
    const auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName().starts_with("__atomic_");
}

bool isForeign(const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    if (!assembly)
        return false;
    StringRef text = assembly->getAsmString();
    return fencehound_is_foreign(text.data(), text.size());
}

// Whether a copy of the function does what the function does.
bool canBeCopied(const Function &function) {
    if (function.hasFnAttribute(Attribute::Naked) || function.hasAvailableExternallyLinkage() ||
        function.getName().starts_with(ATOMIC_BLOCK))
        return false;
    for (const BasicBlock &block : function)
        if (block.hasAddressTaken())
            return false;
    const DataLayout &layout = function.getParent()->getDataLayout();
    return none_of(instructions(function), [&](const Instruction &instruction) {
        return needsLibrary(instruction, layout) || isForeign(instruction);
    });
}

// Makes a definition a declaration, of what the instrumented module defines.
void declare(GlobalVariable &variable) {
    variable.setInitializer(nullptr);
    variable.clearMetadata();
    variable.setComdat(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
}

void declare(Function &function) {
    function.deleteBody();
    function.setComdat(nullptr);
    function.setLinkage(GlobalValue::ExternalLinkage);
}

bool isCalledBy(const Use &use) {
    const auto *call = dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) && !isa<CallBrInst>(call);
}

// Makes a function of the copy a twin: others of the copy call it, and all other uses are of the
// function that both modules share.
void makeTwin(Function &function) {
    Module &module = *function.getParent();
    std::string name = finalName(function.getName()).str();
    bool isReplaceable = function.isInterposable();
    function.setName(TWIN + name);
    auto *shared = Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                                    function.getAddressSpace(), name, &module);
    shared->copyAttributesFrom(&function);
    shared->setPersonalityFn(nullptr);
    function.replaceAllUsesWith(shared);
    for (Use &use : make_early_inc_range(shared->uses()))
        if (!isReplaceable && isCalledBy(use))
            use.set(&function);
    function.setLinkage(GlobalValue::ExternalLinkage);
    function.setVisibility(GlobalValue::HiddenVisibility);
    function.setComdat(nullptr);
}

// Makes other names of functions and variables declarations.
void declareAliases(Module &module) {
    SmallVector<GlobalValue *> others;
    for (GlobalAlias &alias : module.aliases())
        others.push_back(&alias);
    for (GlobalIFunc &ifunc : module.ifuncs())
        others.push_back(&ifunc);
    for (GlobalValue *other : others) {
        std::string name = other->getName().str();
        other->setName("");
        GlobalValue *shared;
        if (auto *type = dyn_cast<FunctionType>(other->getValueType()))
            shared = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
        else
            shared = new GlobalVariable(module, other->getValueType(), false,
                                        GlobalValue::ExternalLinkage, nullptr, name);
        other->replaceAllUsesWith(shared);
        other->eraseFromParent();
    }
}

// Leaves twins and what they need in the copy, and the names that the instrumented module has.
void strip(Module &plain, const Module &module) {
    StripDebugInfo(plain);
    plain.setModuleInlineAsm("");
    if (NamedMDNode *identities = plain.getNamedMetadata("llvm.ident"))
        plain.eraseNamedMetadata(identities);
    for (GlobalVariable &variable : make_early_inc_range(plain.globals())) {
        const GlobalVariable *shared = module.getGlobalVariable(variable.getName(), true);
        bool isText = variable.hasPrivateLinkage() && variable.hasGlobalUnnamedAddr();
        if (variable.getName().starts_with("llvm."))
            variable.eraseFromParent();
        else if (!variable.isDeclaration() && shared && !isText)
            declare(variable);
    }
    declareAliases(plain);
    SmallVector<Function *> functions;
    for (Function &function : plain)
        functions.push_back(&function);
    for (Function *function : functions) {
        StringRef name = function->getName();
        const Function *shared = module.getFunction(finalName(name));
        // The body of an inline function is this file's own: the file that has another one may not
        // be there.
        if (function->hasAvailableExternallyLinkage() && !(shared && shared->isDeclaration()))
            function->setLinkage(GlobalValue::InternalLinkage);
        if (function->isDeclaration()) {
            if (fencehound_is_own(name.data(), name.size()))
                function->setName("__fh_" + name.str());
        } else if (!canBeCopied(*function)) {
            declare(*function);
            function->setName(finalName(function->getName()).str());
        } else if (shared && !shared->isDeclaration()) {
            makeTwin(*function);
        }
    }
}

// Gives a function its body: it goes on to one of two others, and leaves arguments and return
// address as they are, whatever they are.
void goOn(Function &chooser, Function &twin, Function &checked) {
    LLVMContext &context = chooser.getContext();
    // `movq __fh_controlled@GOTPCREL(%rip), %r11` and `cmpb $0, (%r11)`, in a form that -masm=intel
    // does not change.
    const char *text = ".byte 0x4c, 0x8b, 0x1d\n"
                       ".long __fh_controlled@GOTPCREL - 4\n"
                       ".byte 0x41, 0x80, 0x3b, 0\n"
                       "je ${0:P}\n"
                       "jmp ${1:P}";
    Type *pointer = PointerType::getUnqual(context);
    auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false);
    IRBuilder<> builder(BasicBlock::Create(context, "", &chooser));
    builder.CreateCall(InlineAsm::get(type, text, "i,i", true), {&twin, &checked});
    builder.CreateUnreachable();
}

// Puts the function that chooses in the place of one with hooks.
void choose(Module &module, Function &checked, Function &twin) {
    bool isReplaceable = checked.isInterposable();
    auto *chooser = Function::Create(checked.getFunctionType(), checked.getLinkage(),
                                     checked.getAddressSpace(), "", &module);
    chooser->setVisibility(checked.getVisibility());
    chooser->setUnnamedAddr(checked.getUnnamedAddr());
    chooser->setDSOLocal(checked.isDSOLocal());
    chooser->setCallingConv(checked.getCallingConv());
    chooser->setComdat(checked.getComdat());
    for (Attribute::AttrKind kind : {Attribute::Naked, Attribute::NoInline, Attribute::NoUnwind})
        chooser->addFnAttr(kind);
    std::string name = checked.getName().str();
    chooser->takeName(&checked);
    checked.setName(CHECKED + name);
    checked.replaceAllUsesWith(chooser);
    for (Use &use : make_early_inc_range(chooser->uses()))
        if (!isReplaceable && isCalledBy(use))
            use.set(&checked);
    if (chooser->hasLocalLinkage() && chooser->use_empty()) {
        chooser->eraseFromParent();
        checked.setName(name);
        return;
    }
    checked.setComdat(nullptr);
    checked.setLinkage(GlobalValue::InternalLinkage);
    checked.setVisibility(GlobalValue::DefaultVisibility);
    goOn(*chooser, twin, checked);
}

} // namespace

std::unique_ptr<Module> fencehound::copyOf(Module &module) {
    unsigned number = 0;
    for (GlobalObject &global : module.global_objects())
        if (!global.hasName())
            global.setName("__fh_unnamed_" + std::to_string(number++));
    return CloneModule(module);
}

bool fencehound::addTwins(Module &module, std::unique_ptr<Module> plain) {
    strip(*plain, module);
    SmallVector<std::string> names;
    for (const Function &function : *plain)
        if (!function.isDeclaration() && function.getName().starts_with(TWIN))
            names.push_back(function.getName().drop_front(StringRef(TWIN).size()).str());
    // The linker joins by name only what other modules can name.
    SmallVector<std::pair<GlobalValue *, GlobalValue::LinkageTypes>> local;
    for (const GlobalValue &wanted : plain->global_values()) {
        GlobalValue *shared =
            wanted.hasLocalLinkage() ? nullptr : module.getNamedValue(wanted.getName());
        if (shared && shared->hasLocalLinkage()) {
            local.emplace_back(shared, shared->getLinkage());
            shared->setLinkage(GlobalValue::ExternalLinkage);
        }
    }
    if (Linker::linkModules(module, std::move(plain)))
        return false;
    for (auto [shared, linkage] : local)
        shared->setLinkage(linkage);
    for (const std::string &name : names) {
        Function *twin = module.getFunction(TWIN + name), *checked = module.getFunction(name);
        if (!twin || !checked)
            return false;
        twin->setVisibility(GlobalValue::DefaultVisibility);
        twin->setLinkage(GlobalValue::InternalLinkage);
        choose(module, *checked, *twin);
    }
    return !verifyModule(module, &errs());
}
