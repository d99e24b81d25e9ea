/**
 * Whether a folder holds one of the recurrent models of "Ten years". Only the page has them, neither the npm package nor the
 * page that is a single file.
 */
export const isRecurrent = (name) => /^en-fr-(bahdanau|luong)/.test(name);
