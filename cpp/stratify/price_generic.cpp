#include "price.hpp"

#if defined(TRUEVAL_AVX2)
#include <cpuid.h>
#endif

namespace trueval {
namespace generic {
#include "price_loop.inc"
}  // namespace generic

PriceFunctions price_functions_generic() { return generic::choose(); }

#if defined(TRUEVAL_AVX2)
// Not __builtin_cpu_supports, which needs a library that not every compiler brings.
static bool has_avx2() {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
    unsigned low, high;  // the states that the system keeps: 2 is XMM, 4 is YMM
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6u) != 6u) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}
#endif

PriceFunctions price_functions() {
#if defined(TRUEVAL_AVX2)
    static const bool avx2 = has_avx2();
    if (avx2) return price_functions_avx2();
#endif
    return price_functions_generic();
}

}  // namespace trueval
