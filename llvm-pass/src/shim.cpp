// The C++ that LLVM asks of a plugin, and what its C interface does not offer. All decisions are in
// the Rust files; this one only connects them with clang's pass manager.

#include <array>
#include <cstdlib>

#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Instrumentation/MemorySanitizer.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "twins.h"

using namespace llvm;

extern "C" {
// Readies the module for one more run of SROA; false when there is nothing more to ready.
bool fencehound_prepare(LLVMModuleRef module, unsigned round);
// Puts the bodies of wrappers in the place of their calls; false when there are none left.
bool fencehound_unwrap(LLVMModuleRef module);
// Instruments the module.
void fencehound_instrument(LLVMModuleRef module);
// Gives what MemorySanitizer has emitted the runtime's names, and its places.
void fencehound_finish_unwritten(LLVMModuleRef module);
void fencehound_fatal(const char *message);
}

namespace {

// What `fencehound cc --asm-templates FILE` becomes. clang reads it only if the plugin was loaded
// with -load.
cl::opt<std::string> templateFile("fencehound-asm-templates",
                                  cl::desc("Meanings of inline assembly"));

// What `fencehound check --model power` asks for.
cl::opt<bool> wantsLabels("fencehound-labels",
                          cl::desc("Labels of the loads that values depend on"));

// What `fencehound check --uninitialised` asks for.
cl::opt<bool> wantsUnwritten("fencehound-uninitialised",
                             cl::desc("Uses of values that were never written"));

// What `fencehound cc` puts into the environment: the program is to be run without a tool as well,
// and then as the program would. An option of LLVM's would be passed to the assembler, too, which
// does not load plugins.
constexpr const char *TWINS = "FENCEHOUND_TWINS";

// The attribute of functions that were instrumented: a module may come back, as the output of
// -emit-llvm does.
constexpr const char *MARK = "fencehound-instrumented";

// The lists of the functions whose bodies were put in the place of calls: wrappers, and those that
// hand results to local variables of their callers.
constexpr std::array<const char *, 2> MOVED = {"fencehound.wrappers", "fencehound.results"};

enum class Instrumented { No, Yes, InPart };

Instrumented isInstrumented(const Module &module) {
    bool some = false, all = true;
    for (const Function &function : module)
        if (!function.isDeclaration()) {
            some |= function.hasFnAttribute(MARK);
            all &= function.hasFnAttribute(MARK);
        }
    return !some ? Instrumented::No : all ? Instrumented::Yes : Instrumented::InPart;
}

// Runs MemorySanitizer: in its form for kernels, whose runtime says where shadows are; with the
// origins of values; and with arguments and results as uses.
void followUnwritten(Module &module, ModuleAnalysisManager &analyses) {
    for (Function &function : module)
        if (!function.isDeclaration())
            function.addFnAttr(Attribute::SanitizeMemory);
    analyses.invalidate(module, PreservedAnalyses::none());
    MemorySanitizerOptions options(/*TrackOrigins=*/2, /*Recover=*/true, /*Kernel=*/true,
                                   /*EagerChecks=*/true);
    analyses.invalidate(module, MemorySanitizerPass(options).run(module, analyses));
    for (Function &function : module)
        function.removeFnAttr(Attribute::SanitizeMemory);
    fencehound_finish_unwritten(wrap(&module));
}

struct Fencehound : PassInfoMixin<Fencehound> {
    static PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
        switch (isInstrumented(module)) {
        case Instrumented::No:
            break;
        case Instrumented::Yes:
            return PreservedAnalyses::all();
        case Instrumented::InPart:
            fencehound_fatal("fencehound pass: a part of the module is instrumented already, "
                             "another is not: link "
                             "modules after `fencehound cc` has compiled each of them");
        }
        std::unique_ptr<Module> plain = std::getenv(TWINS) ? fencehound::copyOf(module) : nullptr;
        unsigned round = 0;
        do {
            for (; fencehound_prepare(wrap(&module), round); ++round) {
                auto sroa = createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::PreserveCFG));
                analyses.invalidate(module, PreservedAnalyses::none());
                analyses.invalidate(module, sroa.run(module, analyses));
            }
            // What cannot be reached differs between levels.
            for (Function &function : module)
                if (!function.isDeclaration())
                    EliminateUnreachableBlocks(function);
        } while (fencehound_unwrap(wrap(&module)));
        fencehound_instrument(wrap(&module));
        if (wantsUnwritten)
            followUnwritten(module, analyses);
        for (const char *list : MOVED)
            if (NamedMDNode *moved = module.getNamedMetadata(list))
                module.eraseNamedMetadata(moved);
        if (plain && !fencehound::addTwins(module, std::move(plain)))
            fencehound_fatal("fencehound pass: internal error: no copies of functions");
        for (Function &function : module)
            if (!function.isDeclaration())
                function.addFnAttr(MARK);
        return PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
};

void registerCallbacks(PassBuilder &builder) {
    builder.registerPipelineStartEPCallback(
        [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(Fencehound()); });
    // For opt -passes=fencehound, which shows the module as the pass leaves it.
    builder.registerPipelineParsingCallback(
        [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
            if (name != "fencehound")
                return false;
            passes.addPass(Fencehound());
            return true;
        });
}

} // namespace

extern "C" {

PassPluginLibraryInfo fencehound_plugin_info() {
    return {LLVM_PLUGIN_API_VERSION, "fencehound", LLVM_VERSION_STRING, registerCallbacks};
}

// Ends the compilation with a message. (report_fatal_error would ask for a bug report to LLVM.)
void fencehound_fatal(const char *message) {
    errs() << "error: " << message << '\n';
    sys::RunInterruptHandlers(); // removes unfinished output files
    std::_Exit(1);
}

const char *fencehound_template_file() { return templateFile.c_str(); }

bool fencehound_wants_labels() { return wantsLabels; }

bool fencehound_wants_unwritten() { return wantsUnwritten; }

// Turns a definition into a declaration.
void fencehound_delete_body(LLVMValueRef function) { unwrap<Function>(function)->deleteBody(); }

// Makes an `if (condition) { … }` before an instruction; gives back the end of the empty block.
LLVMValueRef fencehound_split(LLVMValueRef condition, LLVMValueRef before) {
    auto *instruction = unwrap<Instruction>(before);
    return wrap(SplitBlockAndInsertIfThen(unwrap(condition), instruction->getIterator(), false));
}

// Whether the body of a function may stand in the place of its calls.
bool fencehound_can_inline(LLVMValueRef function) {
    return isInlineViable(*unwrap<Function>(function)).isSuccess();
}

// Puts the body of the function called in the call's place; false if that cannot be done.
bool fencehound_inline(LLVMValueRef call) {
    InlineFunctionInfo info;
    const bool mergeAttributes = false, insertLifetime = false;
    return InlineFunction(*unwrap<CallBase>(call), info, mergeAttributes, nullptr, insertLifetime)
        .isSuccess();
}

// Puts a function on one of the lists of those whose bodies stand elsewhere.
void fencehound_mark_moved(LLVMValueRef value, unsigned list) {
    auto *function = unwrap<Function>(value);
    if (DISubprogram *subprogram = function->getSubprogram())
        function->getParent()->getOrInsertNamedMetadata(MOVED.at(list))->addOperand(subprogram);
}

// The name in the source of the function that a place is in.
const char *fencehound_function_name(LLVMMetadataRef location, size_t *length) {
    StringRef name = unwrap<DILocation>(location)->getScope()->getSubprogram()->getName();
    *length = name.size();
    return name.data();
}

// The function with this number on such a list; null behind the last one.
LLVMMetadataRef fencehound_moved(LLVMModuleRef module, unsigned list, unsigned number) {
    const NamedMDNode *moved = unwrap(module)->getNamedMetadata(MOVED.at(list));
    return moved && number < moved->getNumOperands() ? wrap(moved->getOperand(number)) : nullptr;
}

// The function that a place is in.
LLVMMetadataRef fencehound_subprogram(LLVMMetadataRef location) {
    return wrap(unwrap<DILocation>(location)->getScope()->getSubprogram());
}

// Turns the constant expressions over a global variable that functions use into instructions.
void fencehound_expand_constants(LLVMValueRef global) {
    convertUsersOfConstantsToInstructions({unwrap<Constant>(global)});
}

// Keeps globals that nothing names. Each call copies the list of all that are kept.
void fencehound_keep(LLVMModuleRef module, const LLVMValueRef *globals, size_t count) {
    SmallVector<GlobalValue *> kept;
    for (LLVMValueRef global : ArrayRef(globals, count))
        kept.push_back(unwrap<GlobalValue>(global));
    appendToUsed(*unwrap(module), kept);
}

// Puts so many bytes that belong to nothing behind a variable; gives back what stands for it now.
LLVMValueRef fencehound_pad(LLVMValueRef variable, unsigned bytes) {
    auto *old = unwrap<GlobalVariable>(variable);
    auto *gap = ArrayType::get(Type::getInt8Ty(old->getContext()), bytes);
    auto *type = StructType::get(old->getValueType(), gap);
    auto *value = ConstantStruct::get(type, old->getInitializer(), Constant::getNullValue(gap));
    auto *padded = new GlobalVariable(*old->getParent(), type, false, old->getLinkage(), value);
    padded->copyAttributesFrom(old);
    padded->copyMetadata(old, 0);
    padded->setComdat(old->getComdat());
    padded->takeName(old);
    old->replaceAllUsesWith(padded);
    old->eraseFromParent();
    return wrap(padded);
}
}
