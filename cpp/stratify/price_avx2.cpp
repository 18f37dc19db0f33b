// Compiled with -mavx2 where the compiler and the processor family have it.
#include "price.hpp"

namespace trueval {
namespace avx2 {
#include "price_loop.inc"
}  // namespace avx2

PriceFunctions price_functions_avx2() { return avx2::choose(); }

}  // namespace trueval
