// Charts as SVG that can be read on a light and on a dark page: they bring their own ground, which follows the reader's system.

const style = `<style>
.ground { fill: #fff; stroke: #d8d6df }
.ink { fill: #1b1a22 }
.soft { fill: #5f5c6b }
.rule { stroke: #d8d6df }
.even { stroke: #5f5c6b; stroke-dasharray: 4 4 }
.c0 { fill: #5a2ca0; stroke: #5a2ca0 }
.c1 { fill: #0a7f5a; stroke: #0a7f5a }
.c2 { fill: #a9762b; stroke: #a9762b }
.c3 { fill: #b13a52; stroke: #b13a52 }
text { stroke: none }
@media (prefers-color-scheme: dark) {
.ground { fill: #17161d; stroke: #3a3846 }
.ink { fill: #f0eef6 }
.soft { fill: #aba7ba }
.rule { stroke: #3a3846 }
.even { stroke: #aba7ba }
.c0 { fill: #b794f6; stroke: #b794f6 }
.c1 { fill: #4fd1a5; stroke: #4fd1a5 }
.c2 { fill: #e5b567; stroke: #e5b567 }
.c3 { fill: #f48ba0; stroke: #f48ba0 }
}
</style>`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const text = (content, x, y, { of = 'ink', anchor = 'start', size = 13, weight = 400 } = {}) =>
  `<text class="${of}" x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}">${escaped(content)}</text>`;

function picture({ title, source, width, height, description, parts }) {
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Inter, system-ui, sans-serif" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    style,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    text(title, 20, 30, { weight: 600, size: 14 }),
    ...parts,
    text(source, 20, height - 14, { of: 'soft', size: 11 }),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

const legend = (names, y) =>
  names.flatMap((name, i) => [
    `<rect class="c${i}" x="${20 + i * 170}" y="${y - 10}" width="12" height="12" rx="2"/>`,
    text(name, 38 + i * 170, y, { size: 12 }),
  ]);

/** Groups of bars; 1 is where both sides are as fast. `values`: a number for each of `series`, or `undefined`. */
export function barsOf({ title, source, series, bars }) {
  const [width, left, right, top, bar] = [760, 330, 60, 78, 14];
  const group = series.length * bar + 14;
  const height = top + bars.length * group + 40;
  const most = Math.max(...bars.flatMap(({ values }) => values.filter((value) => value !== undefined)));
  const x = (value) => left + (value / most) * (width - left - right);
  const parts = bars.flatMap(({ label, values }, i) => {
    const y = top + i * group;
    const present = values.map((value, k) => [value, k]).filter(([value]) => value !== undefined);
    return [
      text(label, left - 10, y + (present.length * bar) / 2 + 4, { anchor: 'end' }),
      ...present.flatMap(([value, k], place) => [
        `<rect class="c${k}" x="${left}" y="${y + place * bar}" width="${(x(value) - left).toFixed(1)}" height="${bar - 2}" rx="2"/>`,
        text(value.toFixed(2), (x(value) + 6).toFixed(1), y + place * bar + 10, { of: 'soft', size: 11 }),
      ]),
    ];
  });
  const even = `<line class="even" x1="${x(1).toFixed(1)}" x2="${x(1).toFixed(1)}" y1="${top - 8}" y2="${height - 44}"/>`;
  const description = bars
    .map(({ label, values }) => {
      const each = series.flatMap((name, k) => (values[k] === undefined ? [] : [`${name} ${values[k]}`]));
      return `${label}: ${each.join(', ')}`;
    })
    .join('; ');
  return picture({
    title,
    source,
    width,
    height,
    description,
    parts: [...legend(series, 54), ...parts, even],
  });
}

/** Curves over places that double or quadruple, whose axis is therefore logarithmic. */
export function curvesOf({ title, source, places, unit, curves }) {
  const [width, height, left, right, top, bottom] = [760, 380, 60, 30, 84, 70];
  const [first, last] = [places[0], places.at(-1)];
  const x = (place) =>
    (left + (Math.log(place / first) / Math.log(last / first)) * (width - left - right)).toFixed(1);
  const highest = Math.max(...curves.flatMap(({ values }) => values));
  const step = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5].find((size) => highest / size <= 7) ?? 10;
  const ticks = Array.from({ length: Math.ceil(highest / step) + 1 }, (_, i) => i * step);
  const y = (value) => (height - bottom - (value / ticks.at(-1)) * (height - top - bottom)).toFixed(1);
  const parts = [
    ...legend(
      curves.map(({ label }) => label),
      54,
    ),
    ...ticks.flatMap((tick) => [
      `<line class="rule" x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}"/>`,
      text(`${Number(tick.toFixed(2))}`, left - 8, Number(y(tick)) + 4, {
        of: 'soft',
        anchor: 'end',
        size: 11,
      }),
    ]),
    ...places.map((place) =>
      text(`${place}`, x(place), height - bottom + 18, { of: 'soft', anchor: 'middle', size: 11 }),
    ),
    text(unit, width - right, height - bottom + 34, { of: 'soft', anchor: 'end', size: 11 }),
    ...curves.flatMap(({ values }, k) => [
      `<polyline class="c${k}" style="fill: none; stroke-width: 2.5" points="${values.map((value, i) => `${x(places[i])},${y(value)}`).join(' ')}"/>`,
      ...values.map((value, i) => `<circle class="c${k}" cx="${x(places[i])}" cy="${y(value)}" r="3.5"/>`),
    ]),
  ];
  const description = curves
    .map(
      ({ label, values }) =>
        `${label}: ${values.map((v, i) => `${v.toFixed(2)} at ${places[i]}`).join(', ')}`,
    )
    .join('; ');
  return picture({ title, source, width, height, description, parts });
}
