//! LLVM's functions, as the library of rustc has them.
//!
//! `llvm-sys` declares them, and no library is linked that defines them: rustc's is found when a
//! build runs. So each of them is defined here, as a jump to the address that [`find`] has put into
//! a table. It passes arguments and results on as they are, so it needs no signature. A build of
//! kernels makes millions of these calls.
//!
//! If code begins to use another function, the linker says that its symbol is undefined: add its
//! name.

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

macro_rules! functions {
    ($($name:ident)*) => {
        /// The addresses of the functions in the library; null before [`find`].
        #[repr(C)]
        #[expect(non_snake_case, reason = "the names of LLVM's functions")]
        struct Table {
            $($name: AtomicPtr<c_void>,)*
        }

        static TABLE: Table = Table {
            $($name: AtomicPtr::new(std::ptr::null_mut()),)*
        };

        /// Finds all functions in the library. It comes before any of their calls. The error names
        /// the first that is missing.
        pub(super) fn find(library: &Library) -> Result<(), String> {
            let all = [$((stringify!($name), &TABLE.$name)),*];
            for (name, place) in all {
                // SAFETY: nothing is called or read here, and the address of a symbol is a pointer.
                let found = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
                let found = found.map_err(|error| error.to_string())?;
                place.store(*found, Ordering::Release);
            }
            Ok(())
        }

        // A linker that reads libraries once needs a reason to take the jumps from this one.
        #[used]
        static JUMPS: [unsafe extern "C" fn(); COUNT] = [$($name),*];
        const COUNT: usize = [$(stringify!($name)),*].len();

        $(
            // SAFETY: the name is LLVM's, and no other crate of a program defines it.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            #[allow(non_snake_case, reason = "the names of LLVM's functions")]
            unsafe extern "C" fn $name() {
                jump!(offset_of!(Table, $name))
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($offset:expr) => {
        std::arch::naked_asm!(
            "jmp qword ptr [rip + {table} + {offset}]",
            table = sym TABLE,
            offset = const $offset,
        )
    };
}

#[cfg(all(target_arch = "aarch64", not(target_vendor = "apple")))]
macro_rules! jump {
    ($offset:expr) => {
        std::arch::naked_asm!(
            "adrp x16, {table}",
            "add x16, x16, :lo12:{table}",
            "ldr x16, [x16, {offset}]",
            "br x16",
            table = sym TABLE,
            offset = const $offset,
        )
    };
}

#[cfg(all(target_arch = "aarch64", target_vendor = "apple"))]
macro_rules! jump {
    ($offset:expr) => {
        std::arch::naked_asm!(
            "adrp x16, {table}@PAGE",
            "add x16, x16, {table}@PAGEOFF",
            "ldr x16, [x16, {offset}]",
            "br x16",
            table = sym TABLE,
            offset = const $offset,
        )
    };
}

functions! {
    LLVMABIAlignmentOfType LLVMABISizeOfType LLVMAddAttributeAtIndex LLVMAddCallSiteAttribute
    LLVMAddFunction LLVMAddGlobal LLVMAddGlobalInAddressSpace LLVMAddIncoming
    LLVMAddNamedMetadataOperand LLVMAppendBasicBlockInContext LLVMArrayType LLVMBasicBlockAsValue
    LLVMBuildAShr LLVMBuildAdd LLVMBuildAddrSpaceCast LLVMBuildAnd LLVMBuildBinOp LLVMBuildBitCast
    LLVMBuildBr LLVMBuildCall2 LLVMBuildCondBr LLVMBuildExtractElement LLVMBuildExtractValue
    LLVMBuildFreeze LLVMBuildGEP2 LLVMBuildICmp LLVMBuildInBoundsGEP2 LLVMBuildInsertValue
    LLVMBuildIntCast2 LLVMBuildLShr LLVMBuildLoad2 LLVMBuildMul LLVMBuildNUWAdd LLVMBuildNot
    LLVMBuildOr LLVMBuildPhi LLVMBuildSExt LLVMBuildSelect LLVMBuildShl LLVMBuildStore LLVMBuildSub
    LLVMBuildTrunc LLVMBuildUDiv LLVMBuildURem LLVMBuildUnreachable LLVMBuildXor LLVMBuildZExt
    LLVMCanValueUseFastMathFlags LLVMConstAddrSpaceCast LLVMConstAllOnes LLVMConstInt
    LLVMConstIntGetSExtValue LLVMConstIntGetZExtValue LLVMConstNull LLVMConstPointerNull
    LLVMConstStringInContext2 LLVMContextCreate LLVMContextDispose LLVMContextSetDiagnosticHandler
    LLVMCopyStringRepOfTargetData LLVMCountBasicBlocks LLVMCountIncoming LLVMCountParams
    LLVMCountStructElementTypes LLVMCreateBuilderInContext LLVMCreateEnumAttribute
    LLVMCreateMemoryBufferWithContentsOfFile LLVMCreateMemoryBufferWithMemoryRangeCopy
    LLVMCreateMessage LLVMCreatePassBuilderOptions LLVMCreateStringAttribute LLVMCreateTargetData
    LLVMCreateTargetDataLayout LLVMCreateTargetMachine LLVMCreateTypeAttribute
    LLVMDIFileGetDirectory LLVMDIFileGetFilename LLVMDILocationGetColumn LLVMDILocationGetInlinedAt
    LLVMDILocationGetLine LLVMDILocationGetScope LLVMDIScopeGetFile LLVMDISubprogramGetLine
    LLVMDeleteFunction LLVMDeleteGlobal LLVMDisposeBuilder LLVMDisposeErrorMessage
    LLVMDisposeExecutionEngine LLVMDisposeMemoryBuffer LLVMDisposeMessage LLVMDisposeModule
    LLVMDisposePassBuilderOptions LLVMDisposeTargetData LLVMDisposeTargetMachine
    LLVMFloatTypeInContext LLVMFunctionType LLVMGetAlignment LLVMGetArrayLength LLVMGetAsString
    LLVMGetAtomicRMWBinOp LLVMGetAtomicSyncScopeID LLVMGetBasicBlockName LLVMGetBasicBlockParent
    LLVMGetBasicBlockTerminator LLVMGetBasicBlocks LLVMGetBitcodeModuleInContext2 LLVMGetBufferSize
    LLVMGetBufferStart LLVMGetBuilderContext LLVMGetCallSiteEnumAttribute LLVMGetCalledValue
    LLVMGetCondition LLVMGetDataLayoutStr LLVMGetDiagInfoDescription LLVMGetDiagInfoSeverity
    LLVMGetElementType LLVMGetEnumAttributeAtIndex LLVMGetEnumAttributeKindForName
    LLVMGetEnumAttributeValue LLVMGetErrorMessage LLVMGetFastMathFlags LLVMGetFirstBasicBlock
    LLVMGetFirstFunction LLVMGetFirstGlobal LLVMGetFirstInstruction LLVMGetFirstParam
    LLVMGetFirstUse LLVMGetFunctionCallConv LLVMGetGEPSourceElementType LLVMGetICmpPredicate
    LLVMGetIncomingBlock LLVMGetIncomingValue LLVMGetInitializer LLVMGetInlineAsm
    LLVMGetInlineAsmAsmString LLVMGetInsertBlock LLVMGetInstructionOpcode LLVMGetInstructionParent
    LLVMGetIntTypeWidth LLVMGetIntrinsicDeclaration LLVMGetIntrinsicID LLVMGetIsDisjoint
    LLVMGetLinkage LLVMGetMDKindIDInContext LLVMGetMetadata LLVMGetModuleContext LLVMGetNSW
    LLVMGetNUW LLVMGetNamedFunction LLVMGetNamedGlobal LLVMGetNextBasicBlock LLVMGetNextFunction
    LLVMGetNextGlobal LLVMGetNextInstruction LLVMGetNextParam LLVMGetNextUse LLVMGetNumOperands
    LLVMGetNumSuccessors LLVMGetOperand LLVMGetOrdering LLVMGetParam LLVMGetParams
    LLVMGetPointerAddressSpace LLVMGetPoison LLVMGetReturnType LLVMGetSection
    LLVMGetStructElementTypes LLVMGetSubprogram LLVMGetSuccessor LLVMGetSyncScopeID LLVMGetTarget
    LLVMGetTargetFromTriple LLVMGetTypeContext LLVMGetTypeKind LLVMGetUndef LLVMGetUser
    LLVMGetValueKind LLVMGetValueName2 LLVMGetVolatile LLVMGlobalClearMetadata
    LLVMGlobalGetValueType LLVMInitializeNVPTXAsmPrinter LLVMInitializeNVPTXTarget
    LLVMInitializeNVPTXTargetInfo LLVMInitializeNVPTXTargetMC LLVMInsertIntoBuilder
    LLVMInsertIntoBuilderWithName LLVMInstallFatalErrorHandler LLVMInstructionClone
    LLVMInstructionEraseFromParent LLVMInstructionGetDebugLoc LLVMInstructionRemoveFromParent
    LLVMInstructionSetDebugLoc LLVMInt16TypeInContext LLVMInt1TypeInContext LLVMInt32TypeInContext
    LLVMInt64TypeInContext LLVMInt8TypeInContext LLVMIntTypeInContext LLVMIntrinsicGetType
    LLVMIsAArgument LLVMIsABasicBlock LLVMIsABinaryOperator LLVMIsACallInst LLVMIsAConstantArray
    LLVMIsAConstantDataArray LLVMIsAConstantDataSequential LLVMIsAConstantExpr LLVMIsAConstantInt
    LLVMIsAConstantStruct LLVMIsAFunction LLVMIsAGlobalVariable LLVMIsAICmpInst LLVMIsAInlineAsm
    LLVMIsAInstruction LLVMIsAMDNode LLVMIsAMDString LLVMIsAPHINode LLVMIsAUser LLVMIsAtomic
    LLVMIsConditional LLVMIsConstant LLVMIsDeclaration LLVMIsEnumAttribute LLVMIsFunctionVarArg
    LLVMIsGlobalConstant LLVMIsInBounds LLVMIsNull LLVMIsPoison LLVMIsUndef LLVMLinkModules2
    LLVMLookupIntrinsicID LLVMMDNodeInContext2 LLVMMDStringInContext2 LLVMMetadataAsValue
    LLVMMetadataReplaceAllUsesWith LLVMModuleCreateWithNameInContext LLVMMoveBasicBlockAfter
    LLVMParseBitcodeInContext LLVMParseCommandLineOptions LLVMParseIRInContext2
    LLVMPointerTypeInContext LLVMPositionBuilderAtEnd LLVMPositionBuilderBefore
    LLVMPrintModuleToString LLVMPrintTypeToString LLVMPrintValueToString
    LLVMRemoveCallSiteEnumAttribute LLVMRemoveEnumAttributeAtIndex LLVMReplaceAllUsesWith
    LLVMRunPasses LLVMRunPassesOnFunction LLVMSetAlignment LLVMSetAtomicSyncScopeID LLVMSetCondition
    LLVMSetCurrentDebugLocation2 LLVMSetDataLayout LLVMSetExternallyInitialized LLVMSetFastMathFlags
    LLVMSetGlobalConstant LLVMSetInitializer LLVMSetLinkage LLVMSetMetadata LLVMSetNSW
    LLVMSetOperand LLVMSetSuccessor LLVMSetTarget LLVMSetValueName2 LLVMSetVolatile
    LLVMTargetMachineEmitToMemoryBuffer LLVMTemporaryMDNode LLVMTypeOf LLVMValueAsBasicBlock
    LLVMValueAsMetadata LLVMValueIsBasicBlock LLVMVectorType LLVMVerifyModule LLVMVoidTypeInContext
    LLVMWriteBitcodeToMemoryBuffer
}
