/**
 * The bucket of a distance in T5's encoder (Raffel et al. 2020, section 2.1): half of the buckets for each direction; of
 * these, half for one distance each, the rest for ranges that grow logarithmically up to `farthest`.
 *
 * @param distance key − query
 */
export function relativeBucket(distance: number, buckets = 32, farthest = 128): number {
  const side = buckets / 2;
  const exact = side / 2;
  const first = distance > 0 ? side : 0;
  const size = Math.abs(distance);
  if (size < exact) return first + size;
  const far = Math.floor((Math.log(size / exact) / Math.log(farthest / exact)) * (side - exact));
  return first + Math.min(side - 1, exact + far);
}
