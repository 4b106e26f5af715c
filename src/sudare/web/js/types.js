/**
 * The shapes that travel between the parts, as JSDoc types alone.
 *
 * @typedef {{bytes: (n: number) => Uint8Array}} Entropy
 *
 * @typedef {{kind: "keep", k: number, width: number, keep: string, step: string}} KeepProgram
 * @typedef {{kind: "bits", k: number, width: number, own: string, other: string}} BitsProgram
 * @typedef {{kind: "table", width: number, rows: string[][]}} TableProgram
 * @typedef {{kind: "product", parts: Program[]}} ProductProgram
 * @typedef {KeepProgram | BitsProgram | TableProgram | ProductProgram} Program
 *
 * A report of `keep` and `table` is a number, of `bits` a list of 0 and 1, of `product` a list of
 * reports. A value of `product` is a list of values, of every other kind an index.
 * @typedef {any} Report
 *
 * @typedef {Object} Sampler
 * @property {string} kind
 * @property {(program: any) => void} check refuses a malformed program
 * @property {(program: any) => number} inputs number of values, 0 where the value is a list
 * @property {(program: any, value: any) => void} checkValue refuses a value outside the domain
 * @property {(program: any, value: any, entropy: Entropy) => Report} draw one report
 * @property {(program: any) => number} wireLength bytes of one report
 * @property {(program: any, report: Report) => Uint8Array} encode
 * @property {(program: any, wire: Uint8Array) => Report} decode refuses what is not in the alphabet
 * @property {(program: any) => number} epsilon the largest log-ratio of two values' odds
 *
 * @typedef {Record<string, string>} Text one string for each language
 *
 * @typedef {Object} Question
 * @property {string} id
 * @property {string} type
 * @property {string[]} choices
 * @property {boolean} [prefer_not_to_say]
 * @property {string} epsilon
 * @property {{name: string, k?: number, epsilon?: string}} mechanism
 * @property {Program} program
 *
 * @typedef {Object} Definition
 * @property {string} format
 * @property {string} name
 * @property {string} epsilon
 * @property {string} epsilon_cap
 * @property {string | null} [opens]
 * @property {string | null} [closes]
 * @property {Question[]} questions
 *
 * @typedef {Object} Texts
 * @property {string[]} languages
 * @property {Text} [title]
 * @property {Text} [intro]
 * @property {Record<string, {text?: Text, labels?: Record<string, Text>}>} [questions]
 *
 * @typedef {{fingerprint: string, definition: Definition, texts: Texts}} Collection
 *
 * @typedef {Object} Submission what this device has decided to send, and under which id
 * @property {number} sequence 0 for the first of this collection
 * @property {string} answers the values that it was drawn for; they never leave the device
 * @property {string} id
 * @property {string} payload hexadecimal
 * @property {"pending" | "accepted" | "refused"} state
 *
 * @typedef {Object} Charge one event of the append-only ledger
 * @property {1} version
 * @property {"charge"} event
 * @property {string} collection
 * @property {string} fingerprint
 * @property {string} question
 * @property {string} epsilon
 *
 * @typedef {(string | number)[]} Key keys start with the fingerprint of a collection
 * @typedef {"memo" | "ledger" | "submissions"} StoreName
 *
 * @typedef {Object} Transaction
 * @property {(store: StoreName, key: Key) => Promise<any>} get undefined where there is none
 * @property {(store: StoreName, fingerprint: string) => Promise<any[]>} list in the order of keys
 * @property {(store: StoreName, key: Key, value: any) => Promise<void>} add refuses a key in use
 * @property {(store: StoreName, key: Key, value: any) => Promise<void>} put
 *
 * @typedef {Object} Storage
 * @property {<T>(work: (tx: Transaction) => Promise<T>) => Promise<T>} transaction all of `work` or
 *   nothing; settled only when it is on disk
 *
 * @typedef {Object} Cell
 * @property {string} choice
 * @property {number | null} share
 * @property {number | null} stderr
 * @property {number | null} low
 * @property {number | null} high
 *
 * @typedef {Object} QuestionResult
 * @property {string} id
 * @property {string} type
 * @property {number} epsilon
 * @property {{name: string, epsilon: string}} mechanism
 * @property {string} method
 * @property {number} n
 * @property {Cell[]} cells
 * @property {{code: string, choices: string[]}[]} [warnings] what a reader should know
 *
 * @typedef {Object} Results
 * @property {string} name
 * @property {string} fingerprint
 * @property {number} n
 * @property {string} epsilon
 * @property {string} target
 * @property {number} confidence
 * @property {QuestionResult[]} questions
 */

export {};
