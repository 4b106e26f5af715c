import { Client } from "../../../src/sudare/web/js/client.js";
import { SeededEntropy } from "./entropy.js";
import { MemoryStorage } from "./storage.js";

/**
 * A device that answers a collection, whose collector takes every report.
 *
 * @param {import("../../../src/sudare/web/js/types.js").Collection} collection
 */
export function deviceOf(collection) {
  const storage = new MemoryStorage();
  /** @type {any[]} */
  const posts = [];
  const client = new Client(collection, {
    storage,
    cap: "20.0",
    entropy: new SeededEntropy(collection.definition.questions[0].type),
    fetch: async (_, init) => {
      posts.push(JSON.parse(String(init.body)));
      return new Response("{}", { status: 202 });
    },
  });
  return { client, storage, posts };
}
