/** The names of the page's models that this tab has loaded, or is loading: apart from the code that loads them. */
export const loadedModels = new Set(['en-fr']);
