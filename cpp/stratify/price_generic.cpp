#include "price.hpp"

namespace trueval {
namespace generic {
#include "price_loop.inc"
}  // namespace generic

PriceFunctions price_functions_generic() { return generic::choose(); }

PriceFunctions price_functions() {
#if defined(TRUEVAL_AVX2)
    if (__builtin_cpu_supports("avx2")) return price_functions_avx2();
#endif
    return price_functions_generic();
}

}  // namespace trueval
