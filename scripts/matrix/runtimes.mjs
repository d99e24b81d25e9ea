export const runtimes = {};
