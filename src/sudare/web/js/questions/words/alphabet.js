import { DomainError } from "../../errors.js";

/**
 * Words as rows of symbols, as `mechanisms/text/alphabet.py` has them; 0 stands behind the last one.
 *
 * @typedef {import("../../types.js").Question} Question
 */

const KANA = Array.from({ length: 0x3097 - 0x3041 }, (_, i) => String.fromCharCode(0x3041 + i)).join("") + "ー";
const AROUND = /^[\s\x1c-\x1f\x85\ufeff]+|[\s\x1c-\x1f\x85\ufeff]+$/g;
const HALF_A_PAIR = /\p{Cs}/u;

/**
 * @param {Question} question
 * @returns {string[] | undefined} the characters; nothing where symbols are bytes of UTF-8
 */
export function charactersOf({ mechanism: { alphabet } }) {
  if (alphabet === "bytes") return undefined;
  return [...(alphabet === "kana" ? KANA : String(alphabet))];
}

/**
 * @param {Question} question
 * @param {string} written
 * @returns {string} the word as all that are the same are written
 */
export function normalised({ fold, mechanism }, written) {
  const wide = written.normalize("NFKC");
  const word = (fold ? wide.toLowerCase() : wide).replace(AROUND, "").normalize("NFC");
  if (mechanism.alphabet !== "kana") return word;
  return word.replace(/[\u30a1-\u30f6]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0x60));
}

/**
 * @param {Question} question
 * @param {string} written
 * @returns {{symbols: number[], foreign: string[]}} the word's symbols, and what is not of the alphabet
 */
export function symbolsOf(question, written) {
  const word = normalised(question, written);
  const own = charactersOf(question);
  if (own === undefined) {
    const foreign = [...word].filter((one) => one === "\0" || HALF_A_PAIR.test(one));
    return { symbols: [...new TextEncoder().encode(word)], foreign };
  }
  const symbols = [...word].map((one) => own.indexOf(one) + 1);
  return { symbols, foreign: [...word].filter((_, i) => symbols[i] === 0) };
}

/**
 * @param {Question} question
 * @param {string} written
 * @returns {number[]} as the program takes it; refused where it is no word of the question, and never named
 */
export function encode(question, written) {
  const { longest = 0 } = question.mechanism;
  const { symbols, foreign } = symbolsOf(question, written);
  if (symbols.length === 0) throw refused("must have a character that is no white space");
  if (foreign.length > 0) throw refused("must be of the alphabet alone");
  if (symbols.length > longest) throw refused(`must have at most ${longest} symbols`);
  return [...symbols, ...Array(longest - symbols.length).fill(0)];
}

/** @param {string} rule */
function refused(rule) {
  return new DomainError("answer", rule, "write another word");
}
