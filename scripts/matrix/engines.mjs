export const engines = {};
