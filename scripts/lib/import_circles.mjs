// Circles of files that import each other.

/**
 * Every import that closes a circle, found by walking down from each file: the circle itself, beginning and ending with
 * the same file.
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
