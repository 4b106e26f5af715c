import assert from "node:assert/strict";
import { test } from "node:test";

import { Words } from "../../src/sudare/web/js/i18n.js";
import { EPSILONS, nearest, peopleAt } from "../../src/sudare/web/js/operator/accuracy.js";
import { Api, ApiError } from "../../src/sudare/web/js/operator/api.js";
import { amount, curveOf, unitOf } from "../../src/sudare/web/js/operator/budgets.js";
import { LoadError } from "../../src/sudare/web/js/fetching.js";
import { Manuscript, clearManuscripts, lossOf, watch } from "../../src/sudare/web/js/operator/draft-text.js";
import { ShownOnce } from "../../src/sudare/web/js/operator/shown-once.js";
import { insist } from "../../src/sudare/web/js/operator/retry.js";
import { warned } from "../../src/sudare/web/js/operator/editor.js";
import { detailOf } from "../../src/sudare/web/js/operator/log.js";
import { momentOf, textOf } from "../../src/sudare/web/js/operator/parts.js";
import { MOST, codes } from "../../src/sudare/web/js/operator/qr.js";
import { pageOf, routeOf } from "../../src/sudare/web/js/operator/route.js";
import { template } from "../../src/sudare/web/js/operator/template.js";
import { addCatalogue } from "../../src/sudare/web/js/i18n.js";
import { CATALOGUES, FOLDERS, cataloguesOf } from "./support/words.js";

const SESSION = { name: "ann", scopes: ["read"], collections: null, expires: "", csrf: "secret" };

/** @param {(path: string, init: RequestInit) => Response} answer */
function apiOf(answer) {
  /** @type {{path: string, init: RequestInit}[]} */
  const asked = [];
  const api = new Api(async (path, init) => {
    asked.push({ path, init });
    return answer(path, init);
  });
  return { api, asked };
}

test("what changes something carries the header of the session, and nothing before it", async () => {
  const { api, asked } = apiOf(() => Response.json(SESSION));
  assert.deepEqual(await api.signIn("sudare_op_x"), SESSION);
  await api.put("/collections/tea/visibility", { visibility: "private" });
  await api.delete("/session");
  await api.get("/collections");
  const sent = asked.map(({ init }) => /** @type {any} */ (init.headers)["X-Sudare-CSRF"]);
  assert.deepEqual(sent, [undefined, "secret", "secret", undefined]);
  const types = asked.map(({ init }) => /** @type {any} */ (init.headers)["Content-Type"]);
  assert.deepEqual(types, ["application/json", "application/json", undefined, undefined]);
  assert.equal(asked[1].path, "/api/v1/operator/collections/tea/visibility");
  for (const { init } of asked) {
    assert.deepEqual([init.credentials, init.cache, init.redirect], ["same-origin", "no-store", "error"]);
  }
});

test("who is not signed in is told from what fails otherwise", async () => {
  const refuse = (/** @type {number} */ status) => () =>
    Response.json({ error: { argument: "a", message: "said so" } }, { status, headers: { "Retry-After": "7" } });
  assert.equal(await apiOf(refuse(401)).api.session(), undefined);
  await assert.rejects(apiOf(refuse(503)).api.session(), { status: 503, detail: "said so", wait: 7 });
  await assert.rejects(apiOf(refuse(404)).api.get("/x"), { reason: "operator.missing" });
  const offline = new Api(async () => Promise.reject(new TypeError("offline")));
  await assert.rejects(offline.get("/x"), { reason: "unreachable" });
});

test("a session that could not be ended is not said to be", async () => {
  await apiOf(() => new Response("", { status: 401 })).api.leave();
  await assert.rejects(apiOf(() => new Response("<html>", { status: 502 })).api.leave(), { status: 502 });
  const offline = new Api(async () => Promise.reject(new TypeError("offline")));
  await assert.rejects(offline.leave(), { reason: "unreachable" });
});

test("an answer that was cut short is no answer", async () => {
  const { api } = apiOf(() => new Response('{"collections": ['));
  await assert.rejects(api.get("/collections"), { reason: "operator.garbled" });
});

/** What each answer of the service, or of something before it, is said to be. */
const ANSWERS = /** @type {[number, any, string, string?][]} */ ([
  [400, { argument: "a", message: "the rule" }, "refused"],
  [400, undefined, "between"],
  [401, { argument: "session" }, "over"],
  [401, { argument: "token" }, "token"],
  [401, undefined, "over"],
  [403, { argument: "scope", message: "the rule" }, "forbidden"],
  [403, { argument: "origin" }, "origin"],
  [403, { argument: "X-Sudare-CSRF" }, "replaced"],
  [403, undefined, "between"],
  [404, { argument: "collection" }, "missing"],
  [404, undefined, "between"],
  [405, { argument: "method", message: "the rule" }, "refused"],
  [407, undefined, "between"],
  [408, { argument: "body" }, "slow"],
  [409, { argument: "collection", message: "the rule" }, "refused"],
  [409, {}, "refused"],
  [410, { argument: "collection" }, "deleted"],
  [404, { argument: "collection", rule: "was deleted by its owner" }, "deleted"],
  [413, { argument: "body", message: "the rule" }, "large"],
  [413, undefined, "large"],
  [415, { argument: "body", message: "the rule" }, "refused"],
  [418, undefined, "between"],
  [429, { argument: "token" }, "wait", "9"],
  [429, { argument: "token" }, "wait", new Date(Date.now() + 60_000).toUTCString()],
  [429, undefined, "later"],
  [429, undefined, "later", "soon"],
  [500, { argument: "request" }, "fault"],
  [500, undefined, "fault"],
  [501, { argument: "extra", message: "the rule" }, "lacks"],
  [502, undefined, "down"],
  [503, { argument: "store" }, "busy", "7"],
  [503, undefined, "down"],
  [504, undefined, "down"],
  [511, undefined, "between"],
]);

/** Every way to ask. */
const ASKING = /** @type {Record<string, (api: Api) => Promise<any>>} */ ({
  get: (api) => api.get("/collections"),
  post: (api) => api.post("/tokens", {}),
  pure: (api) => api.post("/check", {}, { quiet: true, pure: true }),
  put: (api) => api.put("/collections/tea/definition", {}),
  delete: (api) => api.delete("/tokens/a"),
  signIn: (api) => api.signIn("sudare_op_x"),
});

test("each answer to each request has a sentence of its own, which is true of it", async () => {
  for (const [language, catalogue] of Object.entries(CATALOGUES)) {
    addCatalogue(language, { ...catalogue, ...cataloguesOf(FOLDERS[1])[language] });
  }
  const rest = async () => {};
  for (const [status, error, kind, after] of ANSWERS) {
    for (const [way, ask] of Object.entries(ASKING)) {
      /** @type {HeadersInit} */
      const headers = after ? { "Retry-After": after } : {};
      const body = error === undefined ? "<html>" : JSON.stringify({ error });
      const api = new Api(async () => new Response(body, { status, headers }), rest);
      const found = await ask(api).then(() => undefined, (one) => one);
      const where = `${status} ${way}`;
      assert.equal(found.reason, `operator.${kind}`, where);
      for (const language of Object.keys(CATALOGUES)) {
        const said = textOf(found, new Words(language));
        assert.doesNotMatch(said, /operator\.|error\.|undefined|NaN|\{|^$/, where);
        if (status === 429 && kind === "wait") assert.match(said, /9|5\d|60/, where);
      }
      const said = textOf(found, new Words("en"));
      assert.equal(/session is over|Another session/.test(said), kind === "over" || kind === "replaced", where);
      assert.doesNotMatch(said, /[Rr]eload/, where);
      const may = ["down", "fault", "between"].includes(kind) && ["post", "signIn"].includes(way);
      assert.equal(/Look whether it was done/.test(said), may, where);
      if (error?.message && !["wait", "over"].includes(kind)) assert.match(said, /the rule/, where);
    }
  }
});

test("what passes is asked again where that changes nothing, and only there", async () => {
  for (const [way, ask] of Object.entries(ASKING)) {
    for (const fault of ["network", 502, 503, 504]) {
      let left = 2;
      const api = new Api(
        async () => {
          if ((left -= 1) < 0) return Response.json(SESSION);
          if (fault === "network") throw new TypeError("offline");
          return new Response("", { status: Number(fault) });
        },
        async () => {},
      );
      const done = await ask(api).then(() => true, () => false);
      assert.equal(done, !["post", "signIn"].includes(way), `${way} ${fault}`);
    }
  }
});

test("whoever signs in again over the page goes on with what was begun, once", async () => {
  for (const lost of [{ status: 401, argument: "session" }, { status: 403, argument: "X-Sudare-CSRF" }]) {
    for (const [way, ask] of Object.entries(ASKING).filter(([name]) => name !== "signIn")) {
      let [isIn, renewed] = [true, 0];
      const api = new Api(async (path) => {
        if (path.endsWith("/session")) return Response.json(SESSION);
        if (isIn) return Response.json({ done: way });
        return Response.json({ error: { argument: lost.argument } }, { status: lost.status });
      });
      await api.session();
      isIn = false;
      await assert.rejects(ask(api), { status: lost.status });
      api.renew = async () => {
        renewed += 1;
        isIn = true;
      };
      if (way === "pure") {
        const error = await ask(api).catch((one) => one); // nobody waits for it: no dialog in the way
        assert.equal(renewed, 0);
        await error.signIn();
      }
      assert.deepEqual(await ask(api), { done: way });
      assert.equal(renewed, 1);
      api.renew = async () => {};
      isIn = false;
      await assert.rejects(ask(api), { status: lost.status });
    }
  }
});

test("what is saved is tried until the collector is there, and not after somebody has left", async () => {
  /** @type {number[]} */
  const rests = [];
  const rest = async (/** @type {number} */ milliseconds) => void rests.push(milliseconds);
  const busy = new ApiError(503, { argument: "store" }, 7);
  let left = 8;
  const work = async () => {
    if ((left -= 1) > 0) throw left === 3 ? busy : new LoadError("unreachable");
    return "saved";
  };
  /** @type {unknown[]} */
  const said = [];
  assert.equal(await insist(work, (error) => said.push(error), () => false, rest), "saved");
  assert.equal(said.length, 7);
  assert.deepEqual(rests, [1000, 2000, 5000, 10_000, 30_000, 30_000, 30_000]);
  left = 8;
  await assert.rejects(insist(work, () => {}, () => left < 6, rest), { reason: "unreachable" });
  for (const status of [400, 401, 403, 404, 410, 413, 429, 500]) {
    let asked = 0;
    const refuse = async () => {
      asked += 1;
      throw new ApiError(status, { argument: "a" });
    };
    await assert.rejects(insist(refuse, () => {}, () => false, rest), { status });
    assert.equal(asked, 1);
  }
});

/** @returns {any} a drawer such as a window's */
function drawerOf() {
  const kept = new Map();
  return {
    get length() {
      return kept.size;
    },
    key: (/** @type {number} */ i) => [...kept.keys()][i],
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ text) => kept.set(key, text),
    removeItem: (/** @type {string} */ key) => kept.delete(key),
  };
}

test("what is written is kept until it is saved, for its writer alone", () => {
  const box = drawerOf();
  const drawer = () => box;
  const parts = { who: "ann", name: "tea", saved: "old", drawer };
  const first = new Manuscript(parts);
  assert.deepEqual([first.text, first.isBack, first.isUnsaved], ["old", false, false]);
  first.write("new");
  assert.equal(first.isUnsaved, true);
  const again = new Manuscript(parts);
  assert.deepEqual([again.text, again.isBack, again.isBehind, again.isUnsaved], ["new", true, false, true]);
  assert.equal(new Manuscript({ ...parts, saved: "other" }).isBehind, true);
  assert.equal(new Manuscript({ ...parts, who: "bob" }).isBack, false);
  assert.equal(new Manuscript({ ...parts, name: "" }).isBack, false);
  again.write("newer");
  again.settle("new"); // more was written while it was saved
  assert.equal(again.isUnsaved, true);
  assert.equal(new Manuscript({ ...parts, saved: "new" }).text, "newer");
  again.settle("newer");
  assert.deepEqual([again.isUnsaved, box.length], [false, 0]);
  again.write("last");
  new Manuscript({ ...parts, name: "other" }).write("more");
  clearManuscripts(drawer);
  assert.equal(box.length, 0);
  const full = { ...parts, drawer: () => { throw new Error("blocked"); } };
  const bare = new Manuscript(full);
  bare.write("new");
  assert.deepEqual([bare.text, bare.isUnsaved, bare.isKept], ["new", true, false]);
});

test("what is shown once is asked for before the page is left, until it is kept", () => {
  const asked = new EventTarget();
  Object.assign(globalThis, { addEventListener: asked.addEventListener.bind(asked) });
  const leaves = () => asked.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  const once = new ShownOnce("a token");
  assert.deepEqual([leaves(), lossOf()], [false, "operator.leave.once"]);
  const manuscript = new Manuscript({ who: "ann", name: "tea", saved: "old" });
  once.drop();
  assert.deepEqual([leaves(), lossOf()], [true, undefined]);
  watch(manuscript);
  manuscript.write("new");
  assert.deepEqual([leaves(), lossOf()], [false, "operator.leave.unsaved"]);
  clearManuscripts();
  assert.equal(leaves(), true);
});

test("what the service refuses is said in the language of the page", () => {
  const said = (/** @type {string} */ language, /** @type {string[]} */ [argument, rule, remedy]) => {
    addCatalogue(language, { ...CATALOGUES[language], ...cataloguesOf(FOLDERS[1])[language] });
    const error = { argument, rule, remedy, message: "in English" };
    return textOf(new ApiError(400, error), new Words(language));
  };
  const epsilon = ["collection.epsilon", "must lie between 0.001 and 20", "give a number between 0.001 and 20"];
  assert.equal(said("en", epsilon), `${epsilon[0]} ${epsilon[1]}; ${epsilon[2]}`);
  assert.equal(
    said("ja", epsilon),
    "collection.epsilon は 0.001 から 20 まででなければなりません。0.001 から 20 までの数を書いてください。",
  );
  assert.match(said("de", epsilon), /zwischen 0,001 und 20 liegen; eine Zahl/);
  const type = ["question[0].type", "must be one of ['choice', 'number']", "did you mean 'choice'? the fields are a, b"];
  assert.match(said("ja", type), /次のどれか.*：'choice', 'number'。'choice' のことですか？（使える項目：a, b）。$/);
  assert.equal(said("ja", ["text", "must be odd", ""]), "text must be odd。");
  const inner = ["question[0].high", "must be a whole number from 1 to 3", ""];
  assert.equal(said("ja", inner), "question[0].high は 1 から 3 までの整数でなければなりません。");
});

test("warnings are said in the language of the page", () => {
  addCatalogue("de", { ...CATALOGUES.de, ...cataloguesOf(FOLDERS[1]).de });
  const words = new Words("de");
  const sure = { code: "high-epsilon", parameters: { epsilon: "4.5", sure: "98.91" } };
  assert.match(warned(words, sure), /^ε = 4,5 ist hoch: .* zu 98,91 % sicher/);
  const asked = { earlier: "smokes", question: "much", answers: ["yes", "once", "no"] };
  const some = warned(words, { code: "asked-of-some", parameters: asked });
  assert.match(some, /^much wird nur gefragt, wer auf smokes eines davon antwortet: yes, once und no\./);
});

test("what was done is said in the language of the page", () => {
  addCatalogue("de", { ...CATALOGUES.de, ...cataloguesOf(FOLDERS[1]).de });
  const words = new Words("de");
  assert.equal(detailOf(words, { visibility: "private" }), "Sichtbarkeit: Privat");
  const made = { name: "bob", scopes: ["read", "run"], collections: null, newer: { a: 1 } };
  assert.equal(detailOf(words, made), 'Name: bob; darf: read, run; Erhebungen: alle; newer: {"a":1}');
});

test("addresses say what a page is about", () => {
  assert.deepEqual(routeOf("/operator"), { kind: "list", name: "" });
  assert.deepEqual(routeOf("/operator/tokens"), { kind: "tokens", name: "" });
  assert.deepEqual(routeOf("/operator/budgets"), { kind: "budgets", name: "" });
  assert.deepEqual(routeOf(pageOf("tea")), { kind: "overview", name: "tea" });
  assert.deepEqual(routeOf(pageOf("a b", "edit")), { kind: "edit", name: "a b" });
  for (const path of ["/operator/x", "/operator/c", "/operator/c/tea/x", "/operator/c/tea/edit/x", "/operator/new/x"]) {
    assert.equal(routeOf(path), undefined, path);
  }
});

test("the sliders' places stand for what they are nearest to", () => {
  assert.deepEqual([10, 13, 20, 40].map(peopleAt), [10, 20, 100, 10000]);
  assert.equal(EPSILONS[nearest(EPSILONS, 2.1)], 2);
  assert.equal(EPSILONS[nearest(EPSILONS, 0.001)], 0.1);
  assert.equal(EPSILONS[nearest(EPSILONS, 20)], 10);
  assert.deepEqual(EPSILONS, [...EPSILONS].sort((a, b) => a - b));
});

test("codes are asked for in portions, and come in order", async () => {
  const { api, asked } = apiOf((_, init) =>
    Response.json({ codes: JSON.parse(String(init.body)).texts.map((/** @type {string} */ path) => ({ size: 1, path })) }),
  );
  const texts = Array.from({ length: MOST + 3 }, (_, i) => String(i));
  const found = await codes(api, texts);
  assert.deepEqual(found.map(({ path }) => path), texts);
  assert.equal(asked.length, 2);
});

test("moments have a time zone", () => {
  assert.match(momentOf("2027-01-31T18:00"), /^2027-0[12]-[0-9]{2}T[0-9]{2}:[0-9]{2}:00Z$/);
});

test("a survey to begin with is in the language of the page", () => {
  addCatalogue("ja", { ...CATALOGUES.ja, ...cataloguesOf(FOLDERS[1]).ja });
  const text = template(new Words("ja"));
  assert.match(text, /languages = \["ja"\]\ntitle = "アンケート"\n/);
  assert.doesNotMatch(text, /operator\./);
});

test("budgets: the curve rises from the oldest payment to the newest, and ends at the budget's edge", () => {
  const paid = [1.2, 0.5, 0.25].map((used) => ({ event: 1, at: "", dataset: "", question: "", charged: "", spent: "", used }));
  assert.equal(curveOf(paid), "0.0,120.0 333.3,120.0 333.3,80.0 666.7,80.0 666.7,0.0 1000.0,0.0");
  assert.equal(curveOf([]), "");
});

test("budgets: amounts and what is counted are said in the page's language", () => {
  for (const [language, own] of Object.entries(cataloguesOf(FOLDERS[1]))) {
    addCatalogue(language, { ...CATALOGUES[language], ...own });
  }
  const [en, de] = [new Words("en"), new Words("de")];
  assert.equal(amount(en, "1/3"), "0.333333");
  assert.equal(amount(de, "0.25"), "0,25");
  assert.equal(amount(en, "1/0"), "1/0");
  assert.deepEqual(unitOf(en, "rho"), { unit: "ρ", promise: "" });
  assert.deepEqual(unitOf(en, "plan for (1.0, 0.1)"), { unit: "questions", promise: "(1.0, 0.1)" });
  assert.deepEqual(unitOf(de, "rho for (1.0, 0.1)"), { unit: "ρ", promise: "(1.0, 0.1)" });
});
