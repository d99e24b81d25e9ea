/** Scripts that put no space between words. */
const spaceless = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Whether a text has letters of a script that puts no space between words. */
export const isSpaceless = (text: string): boolean => spaceless.test(text);
