/** The font of an element for a canvas: browsers leave `font` empty where it says more than a canvas takes. */
export const fontOf = ({ fontStyle, fontWeight, fontSize, fontFamily }: CSSStyleDeclaration): string =>
  `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
