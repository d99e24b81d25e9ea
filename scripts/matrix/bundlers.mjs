export const bundlers = {};
