// Functions as the program has them, beside those with hooks (twins.cpp).

#ifndef FENCEHOUND_TWINS_H
#define FENCEHOUND_TWINS_H

#include <memory>

#include "llvm/IR/Module.h"

namespace fencehound {

// A copy of a module that is not instrumented yet. What has no name gets one there, by which it is
// found.
std::unique_ptr<llvm::Module> copyOf(llvm::Module &module);

// Puts the functions of the copy into the module, which was instrumented since, and lets its
// functions choose. False if that cannot be done.
bool addTwins(llvm::Module &module, std::unique_ptr<llvm::Module> plain);

} // namespace fencehound

#endif
