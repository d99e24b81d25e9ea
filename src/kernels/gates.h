// The gates of a recurrent cell for one sequence at one step, elementwise.
#pragma once

namespace transformer {

// A gated recurrent unit (Cho et al. 2014), with the reset gate applied after the product as in cuDNN and PyTorch:
//   r = sigma(x_r + u_r), z = sigma(x_z + u_z), n = tanh(x_n + r u_n), h <- (1 - z) n + z h
// x, u [3 * size]: r, z, n of W x + b and of U h + b. h [size]
void gru_gates(const float* x, const float* u, float* h, int size);

// A long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000):
//   i, f, o = sigma(x + u), g = tanh(x + u), c <- f c + i g, h <- o tanh(c)
// x, u [4 * size]: i, f, g, o of W x + b and of U h + b. c, h [size]
void lstm_gates(const float* x, const float* u, float* c, float* h, int size);

}  // namespace transformer
