// What debug information says of the types of variables: the members with their offsets, as text.
//
//   type   = "n" bytes                                  a number, or bytes of which no more is
//   known
//          | "p"                                        a pointer
//          | "[" count "*" bytes " " type "]"           an array (0 if its length is not known),
//          and the distance of
//                                                       its elements
//          | "{" offset " " name " " type "," ... "}"   a struct, class or union; a member without
//          a name is "-"
//
// `runtime/abi/src/members.rs` reads it. Bit fields are left out: they share bytes.

#include <string>

#include "llvm-c/Core.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// The text of a type with more members is not kept.
constexpr size_t LONGEST = 8192;

// The type behind its other names.
const DIType *plain(const DIType *type) {
    while (const auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
        switch (derived->getTag()) {
        case dwarf::DW_TAG_typedef:
        case dwarf::DW_TAG_const_type:
        case dwarf::DW_TAG_volatile_type:
        case dwarf::DW_TAG_restrict_type:
        case dwarf::DW_TAG_atomic_type:
            type = derived->getBaseType();
            break;
        default:
            return type;
        }
    }
    return type;
}

uint64_t bytesOf(const DIType *type) {
    type = plain(type);
    return type ? type->getSizeInBits() / 8 : 0;
}

bool describe(const DIType *type, std::string &text);

bool describeArray(const DICompositeType *array, std::string &text) {
    const DIType *element = array->getBaseType();
    uint64_t stride = bytesOf(element);
    std::string end;
    DINodeArray dimensions = array->getElements();
    SmallVector<uint64_t, 4> counts;
    for (const DINode *dimension : dimensions) {
        const auto *range = dyn_cast<DISubrange>(dimension);
        auto *count = range ? dyn_cast_if_present<ConstantInt *>(range->getCount()) : nullptr;
        counts.push_back(count && count->getSExtValue() > 0 ? count->getZExtValue() : 0);
    }
    for (size_t at = 0; at < counts.size(); ++at) {
        uint64_t distance = stride;
        for (size_t inner = at + 1; inner < counts.size(); ++inner)
            distance *= counts[inner];
        text += "[" + std::to_string(counts[at]) + "*" + std::to_string(distance) + " ";
        end += "]";
    }
    bool known = describe(element, text);
    text += end;
    return known;
}

bool describeMembers(const DICompositeType *composite, std::string &text) {
    text += "{";
    for (const DINode *node : composite->getElements()) {
        const auto *member = dyn_cast<DIDerivedType>(node);
        if (!member || member->getTag() != dwarf::DW_TAG_member || member->isStaticMember() ||
            member->isBitField())
            continue;
        StringRef name = member->getName().empty() ? "-" : member->getName();
        text += std::to_string(member->getOffsetInBits() / 8) + " " + name.str() + " ";
        if (!describe(member->getBaseType(), text))
            return false;
        text += ",";
    }
    text += "}";
    return true;
}

// Appends the type's text; false if it is not known or too long.
bool describe(const DIType *type, std::string &text) {
    type = plain(type);
    if (!type || text.size() > LONGEST)
        return false;
    if (const auto *composite = dyn_cast<DICompositeType>(type)) {
        if (composite->isForwardDecl())
            return false;
        switch (composite->getTag()) {
        case dwarf::DW_TAG_array_type:
            if (!composite->isVector())
                return describeArray(composite, text);
            break;
        case dwarf::DW_TAG_structure_type:
        case dwarf::DW_TAG_class_type:
        case dwarf::DW_TAG_union_type:
            return describeMembers(composite, text);
        default:
            break;
        }
    }
    if (type->getTag() == dwarf::DW_TAG_pointer_type)
        text += "p";
    else
        text += "n" + std::to_string(type->getSizeInBits() / 8);
    return true;
}

// The text of a type; "" if it has none.
std::string textOf(const DIType *type) {
    std::string text;
    return describe(type, text) && text.size() <= LONGEST ? text : std::string();
}

struct Types {
    // Structs, classes and unions by the names that LLVM's types have.
    StringMap<const DICompositeType *> named;
    // The text that was asked for last.
    std::string answer;

    explicit Types(const Module &module) {
        DebugInfoFinder finder;
        finder.processModule(module);
        for (const DIType *type : finder.types()) {
            const auto *composite = dyn_cast_or_null<DICompositeType>(plain(type));
            if (!composite || composite->isForwardDecl() || type->getName().empty())
                continue;
            bool isUnion = composite->getTag() == dwarf::DW_TAG_union_type;
            if (composite->getTag() == dwarf::DW_TAG_structure_type || isUnion)
                named.try_emplace(((isUnion ? "union." : "struct.") + type->getName()).str(),
                                  composite);
        }
    }

    const char *give(std::string text, size_t *length) {
        answer = std::move(text);
        *length = answer.size();
        return answer.data();
    }
};

} // namespace

extern "C" {

// Reads the types of a module; to be freed.
void *fencehound_types(LLVMModuleRef module) { return new Types(*unwrap(module)); }

void fencehound_free_types(void *types) { delete static_cast<Types *>(types); }

// The text of the struct or union that LLVM calls so; it lives until the next one is asked for.
const char *fencehound_struct_members(void *of, const char *name, size_t length, size_t *found) {
    auto *types = static_cast<Types *>(of);
    auto at = types->named.find(StringRef(name, length));
    return types->give(at == types->named.end() ? std::string() : textOf(at->second), found);
}

// The text of the type of a global variable; it lives until the next one is asked for.
const char *fencehound_variable_members(void *of, LLVMValueRef variable, size_t *found) {
    SmallVector<DIGlobalVariableExpression *, 1> expressions;
    unwrap<GlobalVariable>(variable)->getDebugInfo(expressions);
    const DIType *type =
        expressions.empty() ? nullptr : expressions.front()->getVariable()->getType();
    return static_cast<Types *>(of)->give(textOf(type), found);
}

// The declaration of a local variable for which there is room here; null if there is none.
static const DILocalVariable *declared(LLVMValueRef room) {
    Value *value = unwrap(room);
    for (const DbgVariableRecord *record : findDVRDeclares(value))
        return record->getVariable();
    // From -O1 on, clang follows assignments instead.
    if (const auto *instruction = dyn_cast<Instruction>(value))
        for (const DbgVariableRecord *record : at::getDVRAssignmentMarkers(instruction))
            return record->getVariable();
    return nullptr;
}

// The name of a pointer of the source that has this value; it lives until the next one is asked
// for.
const char *fencehound_pointer_name(void *of, LLVMValueRef pointer, size_t *found) {
    SmallVector<DbgVariableIntrinsic *, 2> uses;
    SmallVector<DbgVariableRecord *, 2> records;
    findDbgUsers(uses, unwrap(pointer), &records);
    std::string name;
    for (const DbgVariableRecord *record : records)
        if (name.empty() && !record->isAddressOfVariable() &&
            record->getExpression()->getNumElements() == 0)
            name = record->getVariable()->getName().str();
    return static_cast<Types *>(of)->give(name, found);
}

// The name of a local variable for which there is room here; it lives until the next one is asked
// for.
const char *fencehound_local_name(void *of, LLVMValueRef room, size_t *found) {
    const DILocalVariable *variable = declared(room);
    return static_cast<Types *>(of)->give(variable ? variable->getName().str() : std::string(),
                                          found);
}

// The text of the type of a local variable for which there is room here; it lives until the next
// one is asked for.
const char *fencehound_local_members(void *of, LLVMValueRef room, size_t *found) {
    const DILocalVariable *variable = declared(room);
    return static_cast<Types *>(of)->give(variable ? textOf(variable->getType()) : std::string(),
                                          found);
}
}
