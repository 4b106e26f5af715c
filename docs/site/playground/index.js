import { el, svg } from "../../../src/sudare/web/js/dom.js";
import { sure } from "../../../src/sudare/web/js/belief.js";
import { estimates, sharesOf } from "./crowd.js";
import { MECHANISMS, number, numbers, variance } from "./law.js";

/** A normal variable stays within so many standard deviations with 95 %. */
const Z = 1.959963984540054;

const CROWDS = [100, 200, 500, 1000, 2000, 5000, 10000, 20000];

const place = /** @type {HTMLElement} */ (document.getElementById("try"));

/**
 * A slider with its label and its value beside it.
 *
 * @param {string} id
 * @param {string} label
 * @param {{min: number, max: number, value: number}} range
 */
function slider(id, label, range) {
  const input = el("input", { type: "range", id, step: 1, ...range });
  const shown = el("output", { for: id, id: `${id}-shown` });
  place.append(el("p", {}, el("label", { for: id }, label), input, shown));
  return { input, shown };
}

place.replaceChildren();
const k = slider("k", "Answers to choose from (k)", { min: 2, max: 20, value: 5 });
const tenths = slider("epsilon", "Privacy loss (ε)", { min: 1, max: 60, value: 10 });
const crowd = slider("n", "People who answer (n)", { min: 0, max: CROWDS.length - 1, value: 4 });
const which = el(
  "select",
  { id: "mechanism" },
  el("option", { value: "" }, "the one with the smaller error"),
  ...MECHANISMS.map((name) => el("option", { value: name }, name)),
);
const again = el("button", { type: "button", class: "md-button" }, "Draw another crowd");
const facts = el("dl", {});
const picture = el("div", {});
const table = el("tbody", {});
const said = el("p", { role: "status" });
place.append(
  el("p", {}, el("label", { for: "mechanism" }, "Mechanism"), which),
  facts,
  el("p", {}, again),
  said,
  picture,
  el(
    "details",
    {},
    el("summary", {}, "The same as a table"),
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...["Answer", "True", "Estimated", "± 95 %"].map((one) => el("th", { scope: "col" }, one)))),
      table,
    ),
  ),
);

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/**
 * A number as it is read, and as it is.
 *
 * @param {string} name
 * @param {number} value
 * @param {string} text
 */
const data = (name, value, text) => el("data", { id: name, value }, text);

/**
 * @param {string} term
 * @param {...(Node | string)} said
 */
const fact = (term, ...said) => el("div", {}, el("dt", {}, term), el("dd", {}, ...said));

/** @returns {{name: string, n: number, shares: number[], own: import("./law.js").Numbers, errors: number[]}} */
function state() {
  const [size, n] = [Number(k.input.value), CROWDS[Number(crowd.input.value)]];
  const shares = sharesOf(size);
  const all = MECHANISMS.map((name) => {
    const own = numbers(name, size, Number(tenths.input.value));
    return { name, n, shares, own, errors: shares.map((share) => Math.sqrt(variance(own, share, n))) };
  });
  const error = (/** @type {{errors: number[]}} */ { errors }) => errors.reduce((a, b) => a + b * b, 0);
  return all.find(({ name }) => name === which.value) ?? all.reduce((a, b) => (error(b) < error(a) ? b : a));
}

/** Shows what is exact; the crowd stays until it is drawn again. */
function show() {
  const { name, n, own, shares, errors } = state();
  const size = shares.length;
  k.shown.textContent = String(size);
  tenths.shown.textContent = (Number(tenths.input.value) / 10).toFixed(1);
  crowd.shown.textContent = n.toLocaleString("en");
  const half = Z * errors[0];
  facts.replaceChildren(
    fact("Error bar", "of the most common answer: ± ", data("half-width", half, (100 * half).toFixed(1)), " points in 95 of 100 surveys"),
    fact(
      "What an attacker believes",
      `of one answer in ${size} held for equally likely (${percent(1 / size)}): after the sharpest report at most `,
      data("listed", number(own.listed), `${sure(own.listed)} %`),
      "; of one held for 50:50 at most ",
      data("even", number(own.even), `${sure(own.even)} %`),
      ". The best guess from a report is right ",
      data("guess", own.guess, percent(own.guess)),
      " of the time.",
    ),
    fact(
      "Cost",
      "ε = ",
      data("spent", own.epsilon, own.epsilon.toFixed(6)),
      ` of each person, ${own.bytes} ${own.bytes === 1 ? "byte" : "bytes"} a report. Half the error bar takes four times the people: ${(4 * n).toLocaleString("en")}.`,
    ),
    fact("Mechanism", data("p", own.p, name), `: a report supports the true answer with ${own.p.toPrecision(3)}, any other with `, data("q", own.q, own.q.toPrecision(3)), "."),
  );
}

/** Draws a crowd, and shows it beside the truth. */
function meet() {
  const { name, n, own, shares, errors } = state();
  const found = estimates(own, n);
  const held = found.filter((one, i) => Math.abs(one - shares[i]) <= Z * errors[i]).length;
  said.textContent = `A crowd of ${n.toLocaleString("en")} by ${name}: ${held} of ${shares.length} estimates within their error bar.`;
  const [width, height] = [24 * shares.length + 30, 200];
  const top = Math.max(...shares.map((share, i) => Math.max(share + Z * errors[i], found[i])));
  const low = Math.min(0, ...shares.map((share, i) => Math.min(share - Z * errors[i], found[i])));
  const y = (/** @type {number} */ share) => 8 + ((height - 24) * (top - share)) / (top - low);
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said.textContent });
  drawn.append(svg("line", { x1: 0, x2: width, y1: y(0), y2: y(0), class: "axis" }));
  shares.forEach((share, i) => {
    const x = 24 * i + 20;
    const [up, down] = [share + Z * errors[i], share - Z * errors[i]].map(y);
    drawn.append(
      svg("rect", { x: x - 8, width: 16, y: y(share), height: y(0) - y(share), class: "true" }),
      svg("line", { x1: x, x2: x, y1: up, y2: down, class: "bar" }),
      svg("circle", { cx: x, cy: y(found[i]), r: 4, class: "found" }),
      svg("text", { x, y: height - 2, "text-anchor": "middle" }, String.fromCharCode(65 + i)),
    );
  });
  picture.replaceChildren(drawn);
  table.replaceChildren(
    ...shares.map((share, i) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, String.fromCharCode(65 + i)),
        el("td", {}, percent(share)),
        el("td", {}, el("data", { value: found[i], class: "found" }, percent(found[i]))),
        el("td", {}, el("data", { value: errors[i] ** 2, class: "variance" }, percent(Z * errors[i]))),
      ),
    ),
  );
}

for (const one of [k.input, tenths.input, crowd.input, which]) {
  one.addEventListener("input", show);
  one.addEventListener("change", meet);
}
again.addEventListener("click", meet);
show();
meet();
