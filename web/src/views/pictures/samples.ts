/** A stroke or two for each digit, for visitors without a pointer and for the first sight. */

const turn = (x: number, y: number, [rx, ry]: [number, number], [from, to]: [number, number]): string =>
  Array.from({ length: 13 }, (_, i) => {
    const angle = ((from + ((to - from) * i) / 12) * Math.PI) / 180;
    return `${Math.round(x + rx * Math.cos(angle))}-${Math.round(y + ry * Math.sin(angle))}`;
  }).join('.');

/** In the format of the address; angles in degrees, clockwise from the right. */
export const samples: readonly string[] = [
  turn(50, 50, [22, 34], [-90, 270]),
  '36-30.52-16.52-84',
  `${turn(50, 36, [20, 20], [-170, 40])}.32-84.70-84`,
  `${turn(46, 33, [20, 18], [-150, 90])}.${turn(46, 67, [22, 18], [-90, 150])}`,
  '56-16.28-60.74-60_58-40.58-86',
  `70-16.38-16.34-46.${turn(48, 62, [22, 22], [-110, 150])}`,
  `62-14.40-40.${turn(50, 64, [20, 20], [-170, 190])}`,
  '30-18.70-18.44-86',
  `${turn(50, 32, [17, 17], [90, 450])}.${turn(50, 68, [20, 18], [-90, 270])}`,
  `${turn(50, 36, [19, 19], [0, 360])}.68-40.58-86`,
];
