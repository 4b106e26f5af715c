import { svg } from "../dom.js";

/**
 * Codes for cameras: the server works them out, the page draws them.
 *
 * @typedef {{size: number, path: string}} Code
 */

/** Light around a code, in its units. */
const MARGIN = 4;

/** The most that are asked for at once. */
export const MOST = 500;

/**
 * @param {import("./api.js").Api} api
 * @param {string[]} texts
 * @returns {Promise<Code[]>} one for each text
 */
export async function codes(api, texts) {
  const found = [];
  for (let i = 0; i < texts.length; i += MOST) {
    found.push(...(await api.post("/qr", { texts: texts.slice(i, i + MOST) })).codes);
  }
  return found;
}

/**
 * @param {Code} code
 * @param {string} label
 * @returns {SVGSVGElement}
 */
export function drawn({ size, path }, label) {
  const whole = size + 2 * MARGIN;
  return svg(
    "svg",
    {
      class: "qr-code",
      viewBox: `${-MARGIN} ${-MARGIN} ${whole} ${whole}`,
      role: "img",
      "aria-label": label,
      "shape-rendering": "crispEdges",
    },
    svg("rect", { class: "qr-light", x: -MARGIN, y: -MARGIN, width: whole, height: whole }),
    svg("path", { class: "qr-dark", d: path }),
  );
}

/**
 * @param {Code} code
 * @returns {string} the address of it as a file that can be printed
 */
export function fileOf({ size, path }) {
  const [start, whole] = [-MARGIN, size + 2 * MARGIN];
  const light = `<path fill="#fff" d="M${start} ${start}h${whole}v${whole}h-${whole}z"/>`;
  const box = `${start} ${start} ${whole} ${whole}`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" shape-rendering="crispEdges">${light}<path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(text)}`;
}
