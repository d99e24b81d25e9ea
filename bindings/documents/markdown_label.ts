/** A label of a link as CommonMark compares it. */
export const labelOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
