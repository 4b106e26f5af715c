import { el, pageHead } from "../dom.js";
import { loadCollection } from "../load.js";
import { lookUp } from "../lookup.js";
import { resultsOf } from "../questions/conditional.js";
import { slot } from "../questions/registered-types.js";
import { LocalisedQuestion } from "../questions/wording.js";
import { switches } from "../views/results-head.js";
import { placeOf } from "./api.js";
import { crossView } from "./cross.js";
import { flowViews } from "./flows.js";
import { complaint, doing } from "./parts.js";

/**
 * The results of all that is stored, before the public sees them, with the signs of reports that were
 * made up.
 *
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("../types.js").Results} Results
 */

/**
 * @param {import("./api.js").Api} api
 * @param {import("./route.js").Route} route
 */
export async function loadResults(api, { name }) {
  const item = await api.get(placeOf(name));
  const there = item.stage !== "draft";
  return {
    ...item,
    collection: there ? await loadCollection(name) : undefined,
    figures: there ? await ask(api, name, "population") : undefined,
    target: "population",
    look: { order: "defined", shares: "unbiased" },
    kept: {},
  };
}

/**
 * @param {import("./api.js").Api} api
 * @param {string} name
 * @param {string} target
 * @returns {Promise<Results>}
 */
function ask(api, name, target) {
  return api.get(placeOf(name, `/results?target=${target}&confidence=0.95`));
}

/**
 * @param {Desk} desk
 * @returns {[string, ...import("../dom.js").Child[]]}
 */
export function resultsView(desk) {
  const { words, data, api, page } = desk;
  const { collection } = data;
  const title = words.pick(data.title, data.languages, data.name);
  if (collection === undefined) {
    return [title.text, pageHead(title, words.say("operator.draft.body"))];
  }
  /** @type {Results} */
  const figures = data.figures;
  const problem = complaint(words);
  const renew = async (/** @type {string} */ target) => {
    data.figures = await ask(api, data.name, target);
    data.target = target;
    page.draw();
    page.announce(words.say("results.n", { count: data.figures.n }));
  };
  const again = doing(words.say("operator.results.again"), () => renew(data.target), problem, {
    class: "plain",
    id: "again",
  });
  const views = figures.n > 0 ? viewsOf(desk, collection) : [];
  const rounds = figures.n > 0 ? roundsOf(desk, collection) : [];
  const aim = (/** @type {string} */ target) => renew(target).then(() => refocus(target), problem.say);
  const look = (/** @type {Partial<import("../types.js").Look>} */ wanted) => {
    Object.assign(data.look, wanted);
    update();
  };
  queueMicrotask(update);
  return [
    `${title.text} · ${words.say("operator.part.results")}`,
    pageHead(
      title,
      figures.repeats && el("p", { class: "round" }, slot.results?.whichRound(figures, words)),
      el("p", { class: "n" }, words.say("results.n", { count: figures.n })),
      el("p", { class: "caution" }, words.say("operator.results.body", { count: data.public ?? 0 })),
      el("p", {}, signs(desk, figures, collection)),
      el("p", { class: "actions" }, again),
      problem.element,
    ),
    figures.n > 0 && switches(words, collection.definition.questions, data, aim, look).element,
    ...views.flatMap(({ element }, i) => [element, rounds[i]?.element]),
    figures.n > 1 && crossView(desk, collection),
    ...(figures.n > 1 ? flowViews(desk, collection) : []),
    figures.n === 0 && el("p", { class: "card" }, words.say("results.empty")),
  ];

  function update() {
    if (figures.n > 0) views.forEach((one, i) => one.update(figures.questions[i], data.look));
    rounds.forEach((one, i) => one.update(figures.questions[i]));
  }
}

/** @param {string} target */
function refocus(target) {
  const chosen = document.querySelector(`input[name="target"][value="${target}"]`);
  if (chosen instanceof HTMLElement) chosen.focus();
}

/**
 * @param {Desk} desk
 * @param {import("../types.js").Collection} collection
 */
function viewsOf({ words, data: { kept } }, { definition, texts }) {
  return definition.questions.map((question) => {
    const own = lookUp(kept, question.id) ?? (kept[question.id] = {});
    const asked = new LocalisedQuestion(question, texts, words, definition.questions);
    return resultsOf(asked, own);
  });
}

/**
 * What the rounds tell together, question by question; nothing of what is asked once.
 *
 * @param {Desk} desk
 * @param {import("../types.js").Collection} collection
 */
function roundsOf({ words }, { definition, texts }) {
  const { results } = slot;
  if (!definition.repeats || !results) return [];
  return definition.questions.map(
    (question) => new results.Rounds(new LocalisedQuestion(question, texts, words, definition.questions)),
  );
}

/**
 * Which questions have alarms, in a sentence; each one's own stand below its figures.
 *
 * @param {Desk} desk
 * @param {Results} figures
 * @param {import("../types.js").Collection} collection
 */
function signs({ words }, { questions }, { definition, texts }) {
  const raised = questions.flatMap(({ alarms }, i) =>
    isRaised(alarms) ? [new LocalisedQuestion(definition.questions[i], texts, words).text.text] : [],
  );
  if (raised.length === 0) return words.say("operator.alarms.none");
  return words.say("operator.alarms", { questions: raised.join(words.say("results.comma")) });
}

/** @param {any} alarms */
function isRaised(alarms) {
  const { raised, items = [], changes } = alarms ?? {};
  const moved = changes && changes.more.length + changes.fewer.length > 0;
  return Boolean(raised || moved || items.some((/** @type {any} */ one) => one.raised));
}
