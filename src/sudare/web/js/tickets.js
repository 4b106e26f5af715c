import { CollectionError } from "./errors.js";

/**
 * What an invite fixes: the index of each question that picks one of several parts, by its id.
 *
 * @param {import("./types.js").Definition} definition
 * @param {any} tickets as the collector gave them
 * @returns {Record<string, number>}
 */
export function checkTickets({ questions }, tickets) {
  const found = Object.entries(tickets && typeof tickets === "object" ? tickets : {});
  const given = new Map(found);
  const picks = questions.filter(({ program }) => program.kind === "pick");
  const fits = picks.every(({ id, program }) => {
    const index = given.get(id);
    const parts = program.kind === "pick" ? program.parts.length : 0;
    return Number.isSafeInteger(index) && Number(index) >= 0 && Number(index) < parts;
  });
  if (!fits || found.length !== picks.length) {
    throw new CollectionError(
      "tickets",
      "must give an index to each question that picks one",
      "reload the page or tell who runs this collection",
    );
  }
  return Object.fromEntries(found);
}
