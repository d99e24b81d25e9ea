// The blocks in which GGUF files store numbers (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): 32 or 256
// consecutive numbers of a row, as integers q of a few bits with scales d and perhaps minimums m in binary16. Blocks of
// 256 ("K") have 8 or 16 parts, each with a factor of 4 to 8 bits for d and m.
#pragma once

#include <cstdint>

#include "matrices/matrix.h"

namespace transformer {

// Each writes the numbers of a block as float32. Products are exact in it, and a sum is rounded once.
void widen_q4_0(const std::uint8_t* block, float* to);  // 18 bytes, 32 numbers: d (q - 8)
void widen_q4_1(const std::uint8_t* block, float* to);  // 20 bytes, 32 numbers: d q + m
void widen_q5_0(const std::uint8_t* block, float* to);  // 22 bytes, 32 numbers: d (q - 16)
void widen_q5_1(const std::uint8_t* block, float* to);  // 24 bytes, 32 numbers: d q + m
void widen_q8_0(const std::uint8_t* block, float* to);  // 34 bytes, 32 numbers: d q
void widen_q2_k(const std::uint8_t* block, float* to);  // 84 bytes, 256 numbers, as all that follow
void widen_q3_k(const std::uint8_t* block, float* to);  // 110 bytes
void widen_q4_k(const std::uint8_t* block, float* to);  // 144 bytes
void widen_q5_k(const std::uint8_t* block, float* to);  // 176 bytes
void widen_q6_k(const std::uint8_t* block, float* to);  // 210 bytes

// A block of Q4_0 with its integers in order.
NibbleRun q4_0_run(const std::uint8_t* block);

}  // namespace transformer
