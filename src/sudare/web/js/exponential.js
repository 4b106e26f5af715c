/**
 * Whether a ratio of whole numbers is at most e^epsilon: decided exactly, by bounds of e^epsilon in
 * whole numbers. They are narrowed until they tell; e^epsilon itself is never a ratio.
 */

/** Binary digits after the point of the bounds, in turn. */
const DIGITS = [128n, 512n, 2048n, 8192n, 32768n];

/** Units of epsilon in 1. */
const ONE = 10n ** 12n;

/**
 * @param {bigint} above
 * @param {bigint} below not negative; 0 for a ratio without bound
 * @param {bigint} epsilon in units of 1e-12, positive
 * @returns {boolean}
 */
export function withinExp(above, below, epsilon) {
  if (below <= 0n) return false;
  for (const digits of DIGITS) {
    const [low, high] = expBounds(epsilon, digits);
    if (above << digits <= below * low) return true;
    if (above << digits > below * high) return false;
  }
  return false;
}

/**
 * Bounds of `e^epsilon 2^digits` by its series: each term is rounded down for the one and up for the
 * other; from the last term on they fall at least by half each time.
 *
 * @param {bigint} epsilon
 * @param {bigint} digits
 * @returns {[bigint, bigint]}
 */
export function expBounds(epsilon, digits) {
  let [down, up] = [1n << digits, 1n << digits];
  let [low, high] = [down, up];
  for (let n = 1n; ; n += 1n) {
    const divisor = ONE * n;
    down = (down * epsilon) / divisor;
    up = (up * epsilon + divisor - 1n) / divisor;
    low += down;
    high += up;
    if (up <= 1n && n * ONE > 2n * epsilon) return [low, high + 2n];
  }
}
