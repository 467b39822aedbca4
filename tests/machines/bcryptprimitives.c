// Rust's standard library takes random numbers from this library of Windows 10, which wine has from version 9 on and Debian's has not.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T size) { return RtlGenRandom(to, (ULONG)size); }
