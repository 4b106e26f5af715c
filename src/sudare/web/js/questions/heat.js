import { el, renew } from "../dom.js";

/** What a heat map and a map of cells share: the scale of colours, and the way of the arrow keys. */

/**
 * Where the arrow keys, Home and End lead in a grid of cells.
 *
 * @param {KeyboardEvent} event
 * @param {number} at
 * @param {number} width
 * @param {number} count of all cells
 * @returns {number | undefined}
 */
export function moved(event, at, width, count) {
  const first = at - (at % width);
  const last = first + width - 1;
  const target = {
    ArrowLeft: Math.max(first, at - 1),
    ArrowRight: Math.min(last, at + 1),
    ArrowUp: at >= width ? at - width : at,
    ArrowDown: at + width < count ? at + width : at,
    Home: event.ctrlKey ? 0 : first,
    End: event.ctrlKey ? count - 1 : last,
  }[event.key];
  if (target !== undefined) event.preventDefault();
  return target;
}

/** Steps of the colour scale after the one for nothing. */
const STEPS = 8;

/**
 * @param {number} share
 * @param {number} most
 * @returns {string} the class of its colour
 */
export function heat(share, most) {
  return `heat-${Math.round((Math.max(0, share) / most) * STEPS)}`;
}

/**
 * Draws the colour scale from nothing to the most.
 *
 * @param {HTMLElement} scale
 * @param {number} most
 * @param {import("../i18n.js").Words} words
 */
export function drawHeat(scale, most, words) {
  const swatches = Array.from({ length: STEPS + 1 }, (_, step) =>
    el("span", { class: `swatch heat-${step}` }),
  );
  const [low, high] = [0, most].map((share) => `${words.percent(share)} %`);
  renew(scale, `${low} `, ...swatches, ` ${high}`);
}
