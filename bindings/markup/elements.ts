/** Which elements stand in a line, and which keep their content. Custom elements are blocks, as unknown ones are. */

const names = (list: string) => new Set(list.split(' '));

const inline = names(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd mark math nobr output picture q rp rt ' +
    'ruby s samp small span strike strong sub sup svg time tt u var wbr',
);

const voids = names(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** Their content is no text for readers, or is to stay as it is; it is never looked into. */
const opaque = names(
  'script style textarea iframe noembed noscript noframes xmp plaintext template object applet canvas audio video ' +
    'select datalist code kbd samp var dir acronym math svg picture',
);

const preformatted = names('pre listing');

export const isInlineName = (name: string): boolean => inline.has(name);
export const isVoidName = (name: string): boolean => voids.has(name);
export const isOpaqueName = (name: string): boolean => opaque.has(name);
export const isPreformattedName = (name: string): boolean => preformatted.has(name);
/** Elements that a reader acts on: they must not lose all of their words. */
export const isActiveName = (name: string): boolean => name === 'a' || name === 'button' || name === 'label';
