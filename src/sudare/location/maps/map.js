// The map page: one layer at a time, a cell's values by pointer and keyboard, cells as a table.
"use strict";
(() => {
  /**
   * @typedef {{title: string, unit: string, values: (number | null)[]}} Layer
   * @typedef {{north: number, west: number, height: number, width: number}} Borders
   * @typedef {{cell: string, row: string, column: string, kinds: string[]}} Words
   * @typedef {{rows: number, columns: number, height: number, width: number, kinds: string,
   *   borders: Borders | null, names: Record<string, string>, words: Words, layers: Layer[]}} Data
   */
  const PAGE = 20;
  const KEYS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]);

  /**
   * @template {Element} T
   * @param {string} selector
   * @param {new () => T} kind
   * @param {ParentNode} [within]
   * @returns {T}
   */
  const one = (selector, kind, within = document) => {
    const found = within.querySelector(selector);
    if (!(found instanceof kind)) throw new Error(`the page lacks ${selector}`);
    return found;
  };

  /** @type {Data} */
  const data = JSON.parse(one("#data", HTMLScriptElement).text);
  const { rows, columns, layers, words, kinds, borders, names } = data;
  const figures = [...document.querySelectorAll("figure[data-layer]")];
  const chooser = one("#layer", HTMLSelectElement);
  const reading = one("#reading", HTMLElement);
  const body = one("#cells-body", HTMLElement);
  const earlier = one("#earlier", HTMLButtonElement);
  const later = one("#later", HTMLButtonElement);
  const round = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 4 });
  let shown = 0;
  let cell = -1;
  let first = 0;
  /** @type {number[]} cells with a value, the highest first */
  let order = [];

  /** @param {number | null} value */
  const show = (value) => (value === null ? "–" : String(value));

  /** @param {Layer} layer @param {number} at */
  const told = (layer, at) => {
    const value = layer.values[at] ?? null;
    const unit = value === null || !layer.unit ? "" : ` ${layer.unit}`;
    return `${layer.title}: ${show(value)}${unit}`;
  };

  /** @param {number} at */
  const place = (at) => {
    const row = Math.floor(at / columns), column = at % columns;
    const parts = [`${words.cell} ${at} (${words.row} ${row}, ${words.column} ${column})`];
    const name = names[at];
    if (name) parts.push(name);
    if (borders) {
      const north = borders.north - (row + 0.5) * borders.height;
      const east = borders.west + (column + 0.5) * borders.width;
      parts.push(`${round.format(north)}°, ${round.format(east)}°`);
    }
    parts.push(words.kinds[Number(kinds[at])] ?? "");
    return parts.join(" · ");
  };

  /** @param {number} at @param {boolean} [aloud] */
  const point = (at, aloud = false) => {
    cell = at;
    for (const box of document.querySelectorAll(".cursor")) {
      box.setAttribute("x", String((at % columns) * data.width));
      box.setAttribute("y", String(Math.floor(at / columns) * data.height));
      box.classList.remove("off");
    }
    reading.setAttribute("aria-live", aloud ? "polite" : "off");
    const strong = document.createElement("strong");
    const rest = layers.filter((_, i) => i !== shown).map((layer) => told(layer, at));
    strong.textContent = told(/** @type {Layer} */ (layers[shown]), at);
    reading.replaceChildren(strong, ` · ${[...rest, place(at)].join(" · ")}`);
  };

  const table = () => {
    const layer = /** @type {Layer} */ (layers[shown]);
    one("#cells-value", HTMLElement).textContent =
      layer.unit ? `${layer.title} (${layer.unit})` : layer.title;
    body.replaceChildren(...order.slice(first, first + PAGE).map((at) => {
      const line = document.createElement("tr");
      const value = document.createElement("td"), name = document.createElement("th");
      value.textContent = show(layer.values[at] ?? null);
      name.textContent = place(at);
      name.setAttribute("scope", "row");
      line.append(value, name);
      return line;
    }));
    const last = Math.min(first + PAGE, order.length);
    one("#cells-where", HTMLElement).textContent =
      order.length ? `${first + 1}–${last} / ${order.length}` : "0";
    earlier.disabled = first === 0;
    later.disabled = last >= order.length;
  };

  /** @param {number} i */
  const choose = (i) => {
    shown = i;
    figures.forEach((figure, j) => figure.classList.toggle("hidden", j !== i));
    const { values } = /** @type {Layer} */ (layers[i]);
    order = [...values.keys()].filter((at) => values[at] !== null);
    order.sort((a, b) => Number(values[b]) - Number(values[a]) || a - b);
    first = 0;
    table();
    if (cell >= 0) point(cell);
  };

  /** @param {string} key */
  const moved = (key) => {
    if (key === "Home" || cell < 0) return order[0] ?? 0;
    if (key === "End") return order[order.length - 1] ?? 0;
    const row = Math.floor(cell / columns), column = cell % columns;
    if (key === "ArrowUp") return row ? cell - columns : cell;
    if (key === "ArrowDown") return row < rows - 1 ? cell + columns : cell;
    if (key === "ArrowLeft") return column ? cell - 1 : cell;
    return column < columns - 1 ? cell + 1 : cell;
  };

  for (const figure of figures) {
    const map = one(".map", SVGSVGElement, figure);
    /** @param {PointerEvent} event */
    const follow = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(map.getScreenCTM()?.inverse());
      const row = Math.floor(at.y / data.height), column = Math.floor(at.x / data.width);
      if (row >= 0 && row < rows && column >= 0 && column < columns) point(row * columns + column);
    };
    map.addEventListener("pointermove", follow);
    map.addEventListener("pointerdown", follow);
    map.addEventListener("keydown", (event) => {
      if (!KEYS.has(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      point(moved(event.key), true);
    });
  }
  chooser.addEventListener("change", () => choose(chooser.selectedIndex));
  earlier.addEventListener("click", () => { first = Math.max(0, first - PAGE); table(); });
  later.addEventListener("click", () => { first += PAGE; table(); });
  for (const part of document.querySelectorAll(".script")) part.classList.remove("hidden");
  choose(0);
})();
