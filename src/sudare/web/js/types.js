/**
 * The shapes that travel between the parts, as JSDoc types alone.
 *
 * @typedef {{bytes: (n: number) => Uint8Array}} Entropy
 *
 * @typedef {{kind: "keep", k: number, width: number, keep: string, step: string}} KeepProgram
 * @typedef {{kind: "bits", k: number, width: number, own: string, other: string}} BitsProgram
 * @typedef {{kind: "subset", k: number, width: number, own: string, other: string,
 *   most: number}} SubsetProgram
 * @typedef {{kind: "choose", k: number, width: number, own: string, size: number}} ChooseProgram
 * @typedef {{kind: "hash", k: number, g: number, size: number, width: number,
 *   own: string}} HashProgram
 * @typedef {{kind: "hyperplane", k: number, q: number, t: number, width: number,
 *   own: string}} HyperplaneProgram
 * @typedef {{kind: "prefix", k: number, lengths: number[], part: KeepProgram}} PrefixProgram
 * @typedef {{kind: "table", width: number, rows: string[][]}} TableProgram
 * @typedef {{kind: "product", parts: Program[]}} ProductProgram
 * @typedef {{kind: "pick", parts: Program[]}} PickProgram
 * @typedef {{kind: "levels", parts: Program[]}} LevelsProgram
 * @typedef {{kind: "round", steps: string, cells: number, part: Program}} RoundProgram
 * @typedef {{kind: "offset", rows: number, columns: number, kernel: string[],
 *   weights: string[]}} OffsetProgram
 * @typedef {{kind: "repeat", functions?: {k: number, g: number}, permanent: KeepProgram | BitsProgram,
 *   instant: KeepProgram | SubsetProgram}} RepeatProgram
 * @typedef {KeepProgram | BitsProgram | SubsetProgram | ChooseProgram | HashProgram | HyperplaneProgram | TableProgram | ProductProgram
 *   | PickProgram | LevelsProgram | RoundProgram | OffsetProgram | PrefixProgram | RepeatProgram} Program
 *
 * A report of `keep`, `hash`, `hyperplane` and `table` is a number, of `bits`, `subset` and `choose` a list of 0 and 1, of `prefix` a list of numbers, of `product`
 * a list of reports, of `pick` and `levels` the index of a part and its report, of `round` its part's. A value of
 * `product` and `pick` is a list of values, of `levels` a level and the value there, of `prefix` one of symbols, of `subset` a list of different indices, of every other
 * kind an index.
 * @typedef {any} Report
 *
 * @typedef {Object} Sampler
 * @property {string} kind
 * @property {(program: any) => void} check refuses a malformed program
 * @property {(program: any) => number} inputs number of values, 0 where the value is a list
 * @property {(program: any, value: any) => void} checkValue refuses a value outside the domain
 * @property {(program: any, value: any, entropy: Entropy, index?: number) => Report} draw one
 *   report; `index` is for `pick`
 * @property {(program: any) => number} wireLength bytes of one report
 * @property {(program: any, report: Report) => Uint8Array} encode
 * @property {(program: any, wire: Uint8Array) => Report} decode refuses what is not in the alphabet
 * @property {(program: any) => Program} [single] that makes one report alike, where there is one
 * @property {(program: any) => Ratio} ratio the largest of two values' odds of one report
 *
 * @typedef {[bigint, bigint]} Ratio above and below; 0 below for one without bound
 *
 * @typedef {Record<string, string>} Text one string for each language
 *
 * @typedef {{name: string, mechanisms?: Named[], k?: number, d?: number, most?: number, epsilon?: string, low?: string,
 *   high?: string, sizes?: number[], bins?: number, branching?: number, edges?: any[], epsilons?: string[], oracle?: string, strategy?: string, order?: number, attributes?: Named[], grid?: (number | string)[], weights?: string[], inner?: string, permanent?: string, g?: number,
 *   longest?: number, alphabet?: string, fold?: boolean, lengths?: number[]}} Named a
 *   mechanism
 *
 * @typedef {Object} Question
 * @property {string} id
 * @property {string} type
 * @property {string[]} choices of a crosstab, each attribute has its own
 * @property {boolean} [prefer_not_to_say]
 * @property {Question[]} [attributes] of a crosstab: id, choices, prefer_not_to_say, and epsilon
 *   where each is randomised on its own
 * @property {string} [wanted] of a crosstab: which shares its mechanism was chosen for; of a number
 *   `distribution`, where that is wanted and not the mean
 * @property {number} [most] of a question with several answers
 * @property {{question: string, is: string[]}} [ask_if] where it is asked of those alone who gave one
 *   of some answers to an earlier question
 * @property {boolean} [fold] of words: whether upper and lower case are one
 * @property {Partial<Question>[]} [levels] of epsilon, of which the person picks one: in what they
 *   differ
 * @property {string[]} [scores] of a scale, one for each choice but "prefer not to say"
 * @property {string[]} [items] of ratings
 * @property {number} [scale] of ratings: levels from 1 up
 * @property {string} [low] of a number: the least, a decimal
 * @property {string} [high] the greatest
 * @property {number} [rows] of a map, numbered from the north
 * @property {number} [columns] from the west
 * @property {Corner} [corner]
 * @property {string[] | null} [land] for each row `#` for land and `.` for the sea; null for all land
 * @property {{question: string, place: string}} [at] which of a person's two places is asked about
 * @property {string} [epsilon_per_metre] of a place, in the place of epsilon
 * @property {string} [epsilon_per_metre_cap] of one device over time
 * @property {string} epsilon
 * @property {string[]} [totals] where it is asked in rounds: epsilon of so many reports of one whose
 *   answers change
 * @property {Named} mechanism
 * @property {Program} program
 *
 * @typedef {Object} Corner where a map's cells lie, in whole units
 * @property {number} per_degree units in a degree
 * @property {number} south of the south-west corner
 * @property {number} west
 * @property {number} height of a cell
 * @property {number} width
 *
 * @typedef {string | string[] | Record<string, string> | Record<string, number | null> | number
 *   | AtLevel} Answer a choice's name, the names of all that apply, one for each attribute, a level for each
 *   item, the number of a cell, or a number
 * @typedef {{level?: number, answer?: any}} AtLevel an answer at the level of epsilon that was picked
 * @typedef {number | number[] | [number, number | number[]]} Value what the question's program takes
 *
 * @typedef {Object} QuestionType
 * @property {string} type
 * @property {import("./questions/unit.js").Unit} unit what its epsilon is counted in
 * @property {boolean} bars whether its results hold bars, which a note explains
 * @property {boolean} sums whether its shares can be moved to sum to 1
 * @property {(question: Question) => boolean} sorts whether its results have no order of their own
 * @property {Catalogues} [words] its own strings where the catalogues do not have them; their keys
 *   start with its name
 * @property {Record<string, any>} [rule] of the question's fields, where the type is one of your own
 * @property {(question: Question) => void} check refuses a malformed question
 * @property {(question: Question, wording: Wording) => void} [checkTexts] refuses malformed wordings
 * @property {(question: Question, answer: unknown, index?: number) => Value} value refuses what is
 *   no answer; `index` where a ticket has drawn one part: the answer is about it alone
 * @property {(question: Question, value: Value) => Question} [paid] the question that is charged for a
 *   value, where it is another one
 * @property {(question: Question, entropy: Entropy) => Value} [unasked] the value that is randomised
 *   where the question is not asked; a type without it asks everybody
 * @property {(question: Question, report: Report) => string[]} named the choices of a report
 * @property {(asked: LocalisedQuestion, place: Place) => HTMLFieldSetElement} widget its control in the form
 * @property {(asked: LocalisedQuestion, index: number | undefined, alone: boolean) => string | undefined} request
 *   what a person is asked to do where no answer is given; nothing where that makes sense only where
 *   this question `alone` is open
 * @property {(question: Question, report?: Report) => import("./questions/chances.js").Chances} chances
 *   what becomes of an answer and what the worst report, or this one, lets others believe
 * @property {(asked: LocalisedQuestion, chances: import("./questions/chances.js").Chances, invited: boolean) => string[]} tells
 *   the same in words, before anything is sent; `invited` where invites fix what is picked
 * @property {(asked: LocalisedQuestion, chances: import("./questions/chances.js").Chances) => string[]} told
 *   in words of a report that was made
 * @property {(asked: LocalisedQuestion, invited: boolean) => string[]} odds what is sent, and how likely
 * @property {(asked: LocalisedQuestion, named: string[]) => HTMLElement} report what a randomised report says
 * @property {new (asked: LocalisedQuestion, kept: Record<string, any>) => ResultsView} Results its live results;
 *   what a reader has chosen is `kept` while the page is drawn anew
 *
 * @typedef {import("./questions/wording.js").LocalisedQuestion} LocalisedQuestion
 * @typedef {Record<string, string>} Catalogue the words of a language by their keys
 * @typedef {Record<string, Catalogue>} Catalogues by language
 *
 * @typedef {Object} Place where a question stands, and what it tells the form
 * @property {number} number
 * @property {number} count of all questions
 * @property {Answer | undefined} chosen
 * @property {(answer: Answer | undefined) => void} choose
 * @property {number} [index] of the one part that is asked, where a ticket has drawn it
 * @property {PickedLevel} [level] of epsilon, where some are offered
 *
 * @typedef {Object} PickedLevel the level that a person has picked so far
 * @property {Question | undefined} question it at that level
 * @property {() => void} changed called where another one was picked
 *
 * @typedef {Object} ResultsView
 * @property {HTMLElement} element
 * @property {(result: QuestionResult, look: Look) => void} update with figures, n > 0
 *
 * @typedef {Object} Look how a reader looks at figures
 * @property {"defined" | "share"} order of what has none of its own
 * @property {"unbiased" | "projected"} shares as they are estimated, or the nearest ones that sum to 1
 *
 * @typedef {Object} Definition
 * @property {string} format
 * @property {string} name
 * @property {string} epsilon
 * @property {string} epsilon_cap
 * @property {null} [opens] the times are told beside it
 * @property {null} [closes]
 * @property {"invited"} [admission] where each report needs an invite
 * @property {number} [send_delay] seconds within which a report is sent, at a random moment
 * @property {true} [accept_high_epsilon] where the owner accepts an epsilon above 10
 * @property {"end"} [publish] where nothing is public before the end
 * @property {number} [publish_at] reports of the first step; 50 where it is not stated
 * @property {number} [publish_every] reports of each further step, where it is stated
 * @property {Repeats} [repeats] where it is asked in rounds
 * @property {Question[]} questions
 *
 * @typedef {Object} Repeats
 * @property {"steady" | "any"} covers whose rounds epsilon covers: of one who stays, or of anybody
 * @property {string[]} starts of the rounds
 * @property {string} ends the last of them
 *
 * @typedef {Object} Memory what a device keeps between rounds, and nobody else sees
 * @property {number | null} drawn what does not depend on an answer: the hash function
 * @property {Record<string, number | string>} answers for each answer given so far what was settled: a
 *   symbol, or packed bits in hexadecimal
 *
 * @typedef {Object} Slot what surveys that are asked in rounds need besides, where it is loaded
 * @property {{check: (definition: Definition) => void, prepare: (memo: import("./memo.js").Memo,
 *   values: any[], again: boolean, now: number) => Promise<Submission>}} [device]
 * @property {typeof import("./repeats/survey.js").survey} [survey]
 * @property {typeof import("./repeats/results.js").results} [results]
 *
 * @typedef {{text?: Text, widget?: string, held?: Record<string, Text>,
 *   places?: {cell: number, name: Text}[], base_map?: BaseMap, areas?: NamedAreas,
 *   labels?: Record<string, Text>,
 *   attributes?: Record<string, Wording>}} Wording of a question or of an attribute
 *
 * @typedef {Object} BaseMap what a map of cells is drawn on: paths of SVG in whole units
 * @property {string} digest of the owner's file
 * @property {number} width
 * @property {number} height
 * @property {string} shapes the path of all rings
 * @property {string} lines that of all lines
 * @property {Text} [credit]
 *
 * @typedef {Object} NamedAreas whose names cells have
 * @property {string} digest of the owner's file
 * @property {"greatest" | "split"} rule of cells in several areas
 * @property {{name: Text, cells: [number, number][]}[]} list of each the cells that it covers, and
 *   how many thousandths of their surface
 * @property {Text} [credit]
 *
 * @typedef {Object} Texts
 * @property {string[]} languages
 * @property {Text} [title]
 * @property {Text} [intro]
 * @property {Record<string, Wording>} [questions]
 *
 * @typedef {Object} Life when reports are taken; not covered by the fingerprint
 * @property {string} [opens]
 * @property {string} [closes]
 * @property {true} [closed] whether it has been closed, whatever a clock says
 * @property {[string | null, string | null][]} [former] the times that the definition has had where its
 *   fingerprint covered them
 *
 * @typedef {Object} Collection
 * @property {string} fingerprint
 * @property {Definition} definition
 * @property {Texts} texts
 * @property {Life} life
 * @property {string[]} [former] fingerprints of this very definition in versions before 0.2
 *
 * @typedef {Object} Submission what this device has decided to send, and under which id
 * @property {number} sequence 0 for the first of this collection
 * @property {string} answers the values that it was drawn for; they never leave the device
 * @property {string} id
 * @property {string} payload hexadecimal
 * @property {"pending" | "accepted" | "refused"} state
 * @property {boolean} [uncounted] whether the collector has surely not counted it: false from before
 *   a POST until its answer, and for good where none came; version 0.1 did not record it
 * @property {string} [invite] the code under which it is sent
 * @property {number} [round] of a survey that is asked in rounds
 *
 * @typedef {Object} Admission an invite, and what the collector says that it fixes
 * @property {string} invite the code
 * @property {Record<string, number>} tickets by question the index of the one part that is asked
 *
 * @typedef {Object} Charge one event of the append-only ledger
 * @property {1} version
 * @property {"charge"} event
 * @property {string} collection
 * @property {string} fingerprint
 * @property {string} question
 * @property {string} [epsilon]
 * @property {string} [epsilon_per_metre] of a place, in the place of epsilon
 *
 * @typedef {(string | number)[]} Key
 * @typedef {"memo" | "ledger" | "submissions"} StoreName
 *
 * @typedef {Object} Transaction
 * @property {(store: StoreName, key: Key) => Promise<any>} get undefined where there is none
 * @property {(store: StoreName, start?: Key) => Promise<any[]>} list in the order of keys, those
 *   that start so
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
 * @property {number | null} [projected] the nearest share such that none is below 0 and all sum to 1
 *
 * @typedef {Object} PlaceCell
 * @property {number} cell
 * @property {number | null} code of the mesh
 * @property {number[]} centre latitude and longitude in degrees
 * @property {number | null} share
 * @property {number | null} stderr
 * @property {number | null} low
 * @property {number | null} high
 * @property {number | null} map the share that the map shows
 *
 * @typedef {Omit<PlaceCell, "cell" | "code" | "centre"> & {area: string}} AreaResult of a named area
 *
 * @typedef {Object} JointCell
 * @property {string[]} choices one for each attribute
 * @property {number | null} share
 * @property {number | null} stderr
 * @property {number | null} low
 * @property {number | null} high
 * @property {number | null} [projected] the nearest share such that none is below 0 and all sum to 1
 *
 * @typedef {Object} Pair two attributes of a crosstab
 * @property {string[]} attributes
 * @property {number} [n] reports about them, where not all are
 * @property {JointCell[]} cells row by row
 * @property {{code: string, cells: number[]}[]} warnings with places in `cells`
 * @property {{value: number | null, low: number | null, high: number | null,
 *   left_out: string[][]}} dependence Cramér's V
 * @property {string} [lacks] what is said in the place of figures of too few answers
 *
 * @typedef {Object} Joint all attributes together, from tables of pairs by maximum entropy
 * @property {string} method
 * @property {number} distance the most that its own pairs' tables differ from those
 * @property {{choices: string[], share: number}[]} cells row by row
 *
 * @typedef {Object} Mean a figure; of a scale that of the scores of those who answered
 * @property {number | null} value
 * @property {number | null} stderr
 * @property {number | null} low
 * @property {number | null} high
 *
 * @typedef {{from: number, to: number, share: number, raw: number, low: number, high: number}} BarResult `raw` is
 *   unbiased; the interval is its own, of the bar alone
 * @typedef {{p: number, value: number | null, low: number | null, high: number | null}} Quantile
 *
 * @typedef {Object} Ranges the share between any two edges
 * @property {number[]} edges
 * @property {number[]} below the share below each of them
 * @property {number[][]} low of the interval of the share between edge i and edge i + 1 + j
 * @property {number[][]} high
 *
 * @typedef {Object} ItemResult
 * @property {string} item
 * @property {number} n reports about it
 * @property {Mean} frequency share of those who have it
 * @property {Mean} mean of their values, from -1 to 1
 * @property {Mean} level the same on the scale of the levels
 *
 * @typedef {Object} Band where the figures of the honest reports could lie, item by item
 * @property {number} beta share of all reports that were made up
 * @property {number} moved how far any item's frequency could have been moved
 * @property {number} moved_drawn the same, had the collector drawn the items
 * @property {number[]} frequency_low
 * @property {number[]} frequency_high
 * @property {number[]} mean_low
 * @property {number[]} mean_high
 *
 * @typedef {Object} Alarms of a ratings question; items by their places
 * @property {boolean} raised
 * @property {boolean} index_control the collector drew the items
 * @property {number[]} many items with suspiciously many reports
 * @property {number[]} infeasible items whose reports honest devices would hardly send
 * @property {{expected: number, least: number, false_alarm: number} | null} count
 * @property {{ratio: number, false_alarm: number}} feasibility
 * @property {Band[]} bands
 * @property {Changes | null} changes
 *
 * @typedef {Object} CellBand where the figures of the honest reports could lie
 * @property {number} beta share of all reports that were made up
 * @property {number} moved how far any of them could have been moved
 * @property {number[]} low one of each share, of a crosstab those of smaller tables last; of a
 *   number one alone
 * @property {number[]} high
 * @property {{moved: number, low: number, high: number} | null} [mean] of a scale's score, or of a
 *   distribution; null where it could be anything
 * @property {{p: number, low: number, high: number}[]} [deciles] of a distribution
 *
 * @typedef {{since: number, more: number[], fewer: number[], false_alarm: number}} Changes of the
 *   reports after the first so many: which there are more of, and which fewer
 *
 * @typedef {Object} CellAlarms of every other question; cells and possible reports by their places
 * @property {boolean} raised
 * @property {boolean} tested whether anything could be
 * @property {number[]} above which have more reports than honest answers could give
 * @property {number[]} below which have fewer
 * @property {"many" | "few" | null} ones
 * @property {number[] | null} bits the numbers of ones that occur too often or too seldom
 * @property {number} false_alarm
 * @property {CellBand[]} bands
 * @property {Changes | null} changes
 * @property {{beta: number, shares: number[]}[] | null} recovered of a choice whose alarm is raised
 *
 * @typedef {Object} QuestionResult
 * @property {string} id
 * @property {string} type
 * @property {number} epsilon
 * @property {{name: string, epsilon: string}} mechanism
 * @property {string} method
 * @property {number} n
 * @property {number} [least_answers] from how many answers on its figures say something
 * @property {Omit<Cell, "choice">} [asked] the share of those who were asked, where not everybody was
 * @property {Cell[]} cells
 * @property {string} [map_method] of a place
 * @property {AreaResult[]} [areas] of a place whose cells have names
 * @property {{code: string, choices: string[], items?: string[], cells?: number[]}[]} [warnings] what a reader should
 *   know
 * @property {QuestionResult[]} [attributes] of a crosstab: each alone
 * @property {QuestionResult[]} [levels] of each level of epsilon alone, where some are offered
 * @property {Pair[]} [pairs] of a crosstab
 * @property {Joint | null} [joint] of a crosstab whose reports are about pairs
 * @property {Mean} [mean]
 * @property {BarResult[]} [histogram] of a number whose distribution is wanted
 * @property {Quantile[]} [deciles]
 * @property {Ranges | null} [ranges]
 * @property {ItemResult[]} [items] of ratings
 * @property {FoundWord[]} [words] that many wrote, where nobody listed any
 * @property {number | null} [threshold] of words: the least share that is published
 * @property {number} [false] most probability that a word is published that at most `few` people wrote
 * @property {number} [few]
 * @property {boolean} [flooded] of words: whether more were found than people can have written
 * @property {{rounds: RoundResult[], changes: ChangeResult[]}} [repeats] of what is asked in rounds: those
 *   that are public
 * @property {Alarms | CellAlarms} [alarms] signs of reports that were made up; of ratings their own
 *
 * @typedef {{word: string, share: number, stderr: number, low: number, high: number}} FoundWord
 * @typedef {{choice: string, share: number | null, low: number | null, high: number | null}} RoundCell
 * @typedef {{round: number, n: number, cells: RoundCell[]}} RoundResult
 * @typedef {Object} ChangeResult between two rounds
 * @property {number} from
 * @property {number} to
 * @property {{choice: string, value: number | null, low: number | null, high: number | null}[]} cells
 *
 * @typedef {Object} Publication when figures become public, and what they give away
 * @property {"steps" | "end"} when
 * @property {number} at reports of the first step
 * @property {number | null} every reports of each further step, where it is stated
 * @property {number} least the fewest reports between two publications
 * @property {number | null} next the fewest reports until the next one; null where it is the end, or none
 * @property {boolean} last whether nothing follows
 * @property {{n: number, epsilon: number, delta: number} | null} tally
 *
 * @typedef {Object} Results
 * @property {string} name
 * @property {string} fingerprint
 * @property {number} n
 * @property {string} epsilon
 * @property {string | null} opens
 * @property {string | null} closes
 * @property {Publication} publication
 * @property {{issued: number, spent: number} | null} invites
 * @property {"population" | "respondents"} target
 * @property {number} confidence
 * @property {{round: number | null, rounds: {round: number, n: number}[]}} [repeats] the round of these
 *   figures
 * @property {QuestionResult[]} questions
 */

export {};
