import { el } from "../../dom.js";
import { nearly } from "../../belief.js";
import { fieldName, frame } from "../field.js";
import { CellMap } from "./cellmap.js";
import { cellAt, sheetOf } from "./map.js";
import { shownWith } from "./map-content.js";
import { length, typicalOf } from "./odds.js";

/** How long a position may take, in milliseconds. */
const PATIENCE = 15000;

/** What the browser's codes of a missing position mean. */
const REASONS = ["", "denied", "unavailable", "timeout"];

/**
 * A map of cells, and a button that finds the cell of this device's position. The position is asked
 * for on that click alone, turned into a cell at once, and not kept.
 *
 * @type {import("../../types.js").QuestionType["widget"]}
 */
export function placeWidget(asked, place) {
  const { question, text, words } = asked;
  const name = fieldName(place);
  const sheet = sheetOf(question);
  const title = words.say("place.map", { question: text.text });
  const map = new CellMap({ ...shownWith(asked), name: title, lang: text.lang, pick }, words);
  const found = el("p", { class: "place-found quiet", role: "status" });
  const told = el("p", { class: "place-told", role: "status" }, words.say("place.none"));
  const distance = el("p", { class: "place-distance quiet" });
  const button = el(
    "button",
    { type: "button", class: "plain", id: `${name}-position`, onclick: locate },
    words.say("place.position"),
  );
  const hint = el("p", { class: "hint quiet", id: `${name}-hint` }, words.say("place.hint"));
  const { chosen, level } = place;
  /** @type {number | undefined} */
  let shown;
  if (typeof chosen === "number" && sheet.land[chosen]) show(chosen);
  if (level) level.changed = () => shown !== undefined && show(shown);
  const position = el("div", { class: "place-position" }, button, found);
  return frame(asked, place, { hint, controls: [position, map.element, told, distance] });

  /** @param {number} cell */
  function pick(cell) {
    if (!sheet.land[cell]) {
      found.textContent = words.say(`place.is-${sheet.off}`);
      return;
    }
    found.textContent = "";
    show(cell);
    place.choose(cell);
  }

  /** @param {number} cell */
  function show(cell) {
    shown = cell;
    map.pickOut(cell);
    told.textContent = words.say("place.chosen", { cell: map.label(cell) });
    const own = level ? level.question : question; // none before a level is picked
    if (own === undefined) return;
    const { metres, kept, moved } = typicalOf(own)(cell);
    distance.textContent = words.say("place.distance", {
      metres: length(metres, words),
      kept: nearly(kept, moved),
    });
  }

  function locate() {
    const { geolocation } = navigator;
    if (!geolocation) {
      found.textContent = words.say("place.unavailable");
      return;
    }
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    found.textContent = words.say("place.looking");
    geolocation.getCurrentPosition(
      ({ coords }) => {
        button.removeAttribute("aria-disabled");
        take(cellAt(question, coords.latitude, coords.longitude), coords.accuracy);
      },
      ({ code }) => {
        button.removeAttribute("aria-disabled");
        found.textContent = words.say(`place.${REASONS[code] || "unavailable"}`);
      },
      { enableHighAccuracy: true, timeout: PATIENCE, maximumAge: 0 },
    );
  }

  /**
   * @param {number | undefined} cell of the position
   * @param {number} accuracy in metres
   */
  function take(cell, accuracy) {
    if (cell === undefined) found.textContent = words.say("place.outside");
    else if (!sheet.land[cell]) found.textContent = words.say(`place.at-${sheet.off}`);
    else {
      pick(cell);
      const rough = accuracy > Math.min(sheet.height, sheet.width) / 2;
      const key = rough ? "place.found.rough" : "place.found";
      found.textContent = words.say(key, { metres: length(accuracy, words, "up") });
    }
  }
}
