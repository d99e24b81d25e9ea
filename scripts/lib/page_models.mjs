/** Whether a folder holds one of the recurrent models of "Ten years". */
export const isRecurrent = (name) => /^en-fr-(bahdanau|luong)/.test(name);

const others = ['en-fr-bottleneck', 'en-fr-float32', 'en-fill', 'en-continue'];

/**
 * Whether a folder holds a model that only the page and the tests have: those, the one without attention, the weights
 * that en-fr was rounded from, and the encoder and the decoder alone. Neither the npm package nor the page that is a
 * single file has them.
 */
export const isOnlyForThePage = (name) => isRecurrent(name) || others.includes(name);

/** Whether the npm package lacks it: those, and the one that adds, which the single file has. */
export const isNotInPackage = (name) => isOnlyForThePage(name) || name === 'adder';
