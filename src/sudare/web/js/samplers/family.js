/** The linear hash functions over the field of g elements: numbers of t digits, as values are. */

/**
 * @param {{k: number, g: number}} family
 * @returns {number} of functions: g^t, with the least t that has a list of digits for each value
 */
export function powerFrom({ k, g }) {
  let out = g;
  while (out < k) out *= g;
  return out;
}

/**
 * @param {number} g
 * @param {number} a
 * @param {number} v
 * @returns {number} the hash of v under the function a
 */
export function hash(g, a, v) {
  let out = 0;
  let [x, y] = [a, v];
  while (x > 0 && y > 0) {
    out = (out + (x % g) * (y % g)) % g;
    [x, y] = [Math.floor(x / g), Math.floor(y / g)];
  }
  return out;
}

/** @param {number} g */
export function isPrime(g) {
  for (let d = 2; d * d <= g; d += 1) if (g % d === 0) return false;
  return true;
}
