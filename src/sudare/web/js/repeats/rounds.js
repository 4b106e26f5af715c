/**
 * Rounds as a definition states them: round i holds from its start until the next one's, the last until
 * the end.
 *
 * @typedef {import("../types.js").Repeats} Repeats
 * @typedef {{round: number, start: string, until: string}} Round numbered from 1
 */

/**
 * @param {Repeats} repeats
 * @returns {Round[]}
 */
export function roundsOf({ starts, ends }) {
  return starts.map((start, i) => ({ round: i + 1, start, until: starts[i + 1] ?? ends }));
}

/**
 * @param {Repeats} repeats
 * @param {number} now milliseconds
 * @returns {Round | undefined} none before the first and after the last
 */
export function roundAt(repeats, now) {
  return roundsOf(repeats).find(({ start, until }) => Date.parse(start) <= now && now < Date.parse(until));
}

/**
 * @param {Repeats} repeats
 * @param {number} now milliseconds
 * @returns {number | undefined} when the next round starts, or the last one ends
 */
export function turnAfter({ starts, ends }, now) {
  return [...starts, ends].map((one) => Date.parse(one)).find((moment) => moment > now);
}
