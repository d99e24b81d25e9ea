// Finds files, and C++ units of a header and its source, that know each other in a circle.

import { violation } from './files.mjs';

/**
 * Walks down from each file and returns a circle for every import that closes one, as a path that begins and ends with the
 * same file.
 *
 * @param graph Map of a file to the files that it imports
 */
function findCircles(graph) {
  const circles = [];
  const finished = new Set();
  const path = [];
  const walk = (file) => {
    if (finished.has(file)) return;
    const begin = path.indexOf(file);
    if (begin >= 0) {
      circles.push([...path.slice(begin), file]);
      return;
    }
    path.push(file);
    for (const imported of graph.get(file) ?? []) walk(imported);
    path.pop();
    finished.add(file);
  };
  for (const file of graph.keys()) walk(file);
  return circles;
}

/** The circles of files, as files:line of what closes each. */
export function findFileCircles(references, { sourceOf }) {
  const graph = new Map();
  for (const { file, target } of references)
    graph.set(file, [...(graph.get(file) ?? []), sourceOf(file, target)]);
  return findCircles(graph).map((circle) => {
    const [from, to] = circle.slice(-2);
    const closing = references.find(({ file, target }) => file === from && sourceOf(file, target) === to);
    return violation(closing, `files import each other in a circle: ${circle.join(' -> ')}`);
  });
}

/** The circles of C++ units, which are no circles of files: a.cpp includes b.h, and b.cpp includes a.h. */
export function findUnitCircles(references) {
  const unitOf = (file) => file.replace(/\.(h|cpp)$/, '');
  const graph = new Map();
  for (const { file, target } of references) {
    const [from, to] = [unitOf(file), `src/${unitOf(target)}`];
    if (from !== to) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  return findCircles(graph).map((circle) => {
    const [from, to] = circle.slice(-2);
    const closing = references.find(
      ({ file, target }) => unitOf(file) === from && `src/${unitOf(target)}` === to,
    );
    return violation(closing, `units include each other in a circle: ${circle.join(' -> ')}`);
  });
}
