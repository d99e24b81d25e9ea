/** From the vectors of a text's tokens to one vector, which the engine computes. */

export const poolings = ['cls', 'max', 'mean', 'mean_sqrt_len', 'lasttoken'] as const;
export type Pooling = (typeof poolings)[number];
