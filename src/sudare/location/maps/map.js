// The map page: one layer at a time, a cell's values by pointer and keyboard, cells as a table.
"use strict";
(() => {
  const PAGE = 20;
  const by = (id) => document.getElementById(id);
  const data = JSON.parse(by("data").textContent);
  const { rows, columns, layers, words, kinds, borders } = data;
  const figures = [...document.querySelectorAll("figure[data-layer]")];
  const chooser = by("layer");
  const reading = by("reading");
  const round = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 4 });
  const show = (value) => (value === null ? "–" : String(value));
  const withUnit = (layer, value) =>
    value === null || !layer.unit ? show(value) : `${show(value)} ${layer.unit}`;
  let shown = 0;
  let cell = -1;
  let first = 0;
  let order = [];

  const place = (at) => {
    const row = Math.floor(at / columns), column = at % columns;
    const parts = [`${words.cell} ${at} (${words.row} ${row}, ${words.column} ${column})`];
    if (borders) {
      const north = borders.north - (row + 0.5) * borders.height;
      const east = borders.west + (column + 0.5) * borders.width;
      parts.push(`${round.format(north)}°, ${round.format(east)}°`);
    }
    parts.push(words.kinds[kinds[at]]);
    return parts.join(" · ");
  };

  const point = (at, keyboard = false) => {
    cell = at;
    const row = Math.floor(at / columns), column = at % columns;
    for (const box of document.querySelectorAll(".cursor")) {
      box.setAttribute("x", String(column * data.width));
      box.setAttribute("y", String(row * data.height));
      box.classList.remove("off");
    }
    reading.setAttribute("aria-live", keyboard ? "polite" : "off");
    const chosen = layers[shown];
    const rest = layers.filter((one) => one !== chosen);
    const values = [chosen, ...rest].map((one) => `${one.title}: ${withUnit(one, one.values[at])}`);
    reading.textContent = "";
    const strong = document.createElement("strong");
    strong.textContent = values[0];
    reading.append(strong, ` · ${[...values.slice(1), place(at)].join(" · ")}`);
  };

  const table = () => {
    const layer = layers[shown];
    by("cells-value").textContent = layer.unit ? `${layer.title} (${layer.unit})` : layer.title;
    const body = by("cells-body");
    body.textContent = "";
    for (const at of order.slice(first, first + PAGE)) {
      const line = document.createElement("tr");
      const value = document.createElement("td"), name = document.createElement("th");
      value.textContent = show(layer.values[at]);
      name.textContent = place(at);
      name.setAttribute("scope", "row");
      line.append(value, name);
      body.append(line);
    }
    const last = Math.min(first + PAGE, order.length);
    by("cells-where").textContent = order.length ? `${first + 1}–${last} / ${order.length}` : "0";
    by("earlier").disabled = first === 0;
    by("later").disabled = last >= order.length;
  };

  const choose = (i) => {
    shown = i;
    figures.forEach((figure, j) => figure.classList.toggle("hidden", j !== i));
    const { values } = layers[i];
    order = [...values.keys()].filter((at) => values[at] !== null);
    order.sort((a, b) => values[b] - values[a] || a - b);
    first = 0;
    table();
    if (cell >= 0) point(cell);
  };

  const moved = (key) => {
    if (key === "Home" && order.length) return order[0];
    if (key === "End" && order.length) return order[order.length - 1];
    if (cell < 0) return order[0] ?? 0;
    const row = Math.floor(cell / columns), column = cell % columns;
    if (key === "ArrowUp") return row ? cell - columns : cell;
    if (key === "ArrowDown") return row < rows - 1 ? cell + columns : cell;
    if (key === "ArrowLeft") return column ? cell - 1 : cell;
    return column < columns - 1 ? cell + 1 : cell;
  };
  const KEYS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]);

  for (const figure of figures) {
    const map = figure.querySelector(".map");
    const follow = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(map.getScreenCTM().inverse());
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
  by("earlier").addEventListener("click", () => { first = Math.max(0, first - PAGE); table(); });
  by("later").addEventListener("click", () => { first += PAGE; table(); });
  for (const one of document.querySelectorAll(".script")) one.classList.remove("hidden");
  choose(0);
})();
