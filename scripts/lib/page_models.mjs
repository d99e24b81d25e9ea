/** Whether a folder holds one of the recurrent models of "Ten years". */
export const isRecurrent = (name) => /^en-fr-(bahdanau|luong)/.test(name);

/**
 * Whether a folder holds a model that only the page and the tests compare: those, the one without attention, and the
 * weights that en-fr was rounded from. Neither the npm package nor the page that is a single file has them.
 */
export const isOnlyForThePage = (name) =>
  isRecurrent(name) || name === 'en-fr-bottleneck' || name === 'en-fr-float32';
