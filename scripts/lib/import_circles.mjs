// Finds files that import each other in a circle.

/**
 * Walks down from each file and returns a circle for every import that closes one, as a path that begins and ends with the
 * same file.
 *
 * @param graph Map of a file to the files that it imports
 */
export function findCircles(graph) {
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
