/**
 * Epsilon of any two sequences of answers: exact over a few rounds, a proven bound over more.
 *
 * Numbers refer to `docs/proofs/repeated.md`; `sudare/mechanisms/repeated/sequences.py` computes the same.
 *
 * @typedef {Object} Settled what stands behind the reports of all rounds
 * @property {number} k symbols, or bits
 * @property {number} answers so many permanent answers may a person have, k at most
 * @property {number} own probability of the answer's own symbol, or of a 1 of its own bit
 * @property {number} other of another symbol, or of a 1 of another bit
 * @property {number} step logarithm of how much likelier a symbol itself is told than another one
 */

/** Rounds up to which all pairs of sequences are enumerated. */
const EXACT = 6;
const STEPS = 60;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * @param {Settled} law
 * @param {number} part
 * @param {number} times also below 0
 * @returns {number} log(1 + part (rho^times - 1))
 */
function symbol(law, part, times) {
  const height = times * law.step;
  if (height > 30) return height + Math.log(part + (1 - part) * Math.exp(-height));
  return Math.log1p(part * Math.expm1(height));
}

/**
 * @param {Settled} law
 * @param {number} part
 * @param {number} ones
 * @param {number} zeros
 * @returns {number} log(part rho^ones + (1 - part) rho^zeros)
 */
function bit(law, part, ones, zeros) {
  return zeros * law.step + symbol(law, part, ones - zeros);
}

/**
 * @param {number} whole
 * @param {number} most
 * @returns {number[][]} sizes of blocks, largest first, into which so many rounds can be put
 */
function partitions(whole, most) {
  if (whole === 0) return [[]];
  const firsts = range(Math.min(whole, most)).map((i) => i + 1);
  return firsts.flatMap((first) => partitions(whole - first, first).map((rest) => [first, ...rest]));
}

/**
 * @param {number} rounds
 * @returns {number[][]} all ways to put rounds into blocks, numbered as they appear
 */
function growing(rounds) {
  if (rounds === 0) return [[]];
  return growing(rounds - 1).flatMap((rest) =>
    range(Math.max(-1, ...rest) + 2).map((block) => [...rest, block]),
  );
}

/**
 * Two sequences of answers each, as the block of each round, up to the rounds' order.
 *
 * @param {number} rounds
 * @returns {[number[], number[]][]}
 */
function pairs(rounds) {
  /** @type {Map<string, [number[], number[]]>} */
  const found = new Map();
  const all = growing(rounds);
  for (const sizes of partitions(rounds, rounds)) {
    const one = sizes.flatMap((size, a) => Array(size).fill(a));
    for (const two of all) {
      /** @type {number[][]} */
      const blocks = [];
      two.forEach((b, i) => (blocks[b] ??= []).push(one[i]));
      const key = `${one}|${blocks.map(String).sort().join("|")}`;
      if (!found.has(key)) found.set(key, [one, two]);
    }
  }
  return [...found.values()];
}

/**
 * @param {number[][]} gains of row a with column b
 * @param {number} least how many pairs there must be
 * @returns {number} the largest sum of gains of pairs, each row and each column once at most
 */
function matched(gains, least) {
  let best = new Map([[0, 0]]);
  for (const row of gains) {
    const more = new Map(best);
    for (const [used, value] of best) {
      row.forEach((gain, b) => {
        if (used & (1 << b)) return;
        const key = used | (1 << b);
        more.set(key, Math.max(more.get(key) ?? -Infinity, value + gain));
      });
    }
    best = more;
  }
  const fit = [...best].filter(([used]) => range(31).filter((b) => used & (1 << b)).length >= least);
  return Math.max(-Infinity, ...fit.map(([, value]) => value));
}

/**
 * The reports are what the one answers, each block by its own symbol.
 *
 * @param {Settled} law
 * @param {number} rounds
 */
function symbolsExactly(law, rounds) {
  let best = 0;
  for (const [one, two] of pairs(rounds)) {
    const [size, width] = [one, two].map((own) => Math.max(...own) + 1);
    if (Math.max(size, width) > law.answers) continue;
    const told = range(size).map((a) =>
      range(width).map((b) => Math.expm1(one.filter((own, i) => own === a && two[i] === b).length * law.step)),
    );
    const above = sum(range(size).map((a) => symbol(law, law.own, one.filter((own) => own === a).length)));
    const apart = range(width).map((b) => 1 + law.other * sum(told.map((row) => row[b])));
    const gains = told.map((row) =>
      row.map((each, b) => Math.log(apart[b]) - Math.log(apart[b] + (law.own - law.other) * each)),
    );
    best = Math.max(best, above - sum(apart.map(Math.log)) + matched(gains, size + width - law.answers));
  }
  return best;
}

/**
 * Given both sequences, each bit has its own worst reports.
 *
 * @param {Settled} law
 * @param {number} rounds
 */
function bitsExactly(law, rounds) {
  /** @type {Map<string, number[][]>} */
  const known = new Map();
  const bitsOf = (/** @type {number[]} */ blocks) => {
    const key = String(blocks);
    const rows = known.get(key) ?? logarithms(law, blocks);
    known.set(key, rows);
    return rows;
  };
  let best = 0;
  for (const [one, two] of pairs(rounds)) {
    const [above, below] = [bitsOf(one), bitsOf(two)];
    const [size, width] = [above.length - 1, below.length - 1];
    if (Math.max(size, width) > law.k) continue;
    const worst = above.map((row) => below.map((other) => Math.max(...row.map((x, y) => x - other[y]))));
    const none = worst[size][width];
    const lefts = range(size).map((a) => worst[a][width]);
    const rights = range(width).map((b) => worst[size][b]);
    const base = sum(lefts) + sum(rights) + (law.k - size - width) * none;
    const gains = lefts.map((left, a) => rights.map((right, b) => worst[a][b] - left - right + none));
    best = Math.max(best, base + matched(gains, size + width - law.k));
  }
  return best;
}

/**
 * @param {Settled} law
 * @param {number[]} blocks of each round
 * @returns {number[][]} logarithms of all reports of a bit: of each block's own, then of another one
 */
function logarithms(law, blocks) {
  const size = Math.max(...blocks) + 1;
  return range(size + 1).map((own) =>
    range(1 << blocks.length).map((report) => {
      const ones = Array(size).fill(0);
      const zeros = Array(size).fill(0);
      blocks.forEach((block, i) => ((report >> i) & 1 ? ones : zeros)[block]++);
      return sum(ones.map((i, c) => bit(law, c === own ? law.own : law.other, i, zeros[c])));
    }),
  );
}

/**
 * About the least of a convex function on [0, high]: each of its values is a bound.
 *
 * @param {(price: number) => number} bound
 * @param {number} high
 */
function leastOf(bound, high) {
  let low = 0;
  let [left, right] = [high - GOLDEN * high, GOLDEN * high];
  let [atLeft, atRight] = [bound(left), bound(right)];
  for (let i = 0; i < STEPS; i++) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = bound(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = bound(right);
    }
  }
  return Math.min(atLeft, atRight, bound(low));
}

/**
 * @param {(height: number) => number} value a convex function
 * @param {number} whole
 * @param {number} parts
 * @returns {number} the least sum of it at so many whole numbers that add up
 */
function spread(value, whole, parts) {
  const each = Math.floor(whole / parts);
  const more = whole - each * parts;
  return (parts - more) * value(each) + (more > 0 ? more * value(each + 1) : 0);
}

/**
 * Several symbols are told, and each pays its part of every answer's block.
 *
 * @param {Settled} law
 * @param {number} rounds
 */
function symbolsBound(law, rounds) {
  const told = range(rounds).map((i) => i + 1);
  const above = told.map((m) => symbol(law, law.own, m));
  let best = 0;
  for (let s = 1; s <= Math.min(law.k, rounds); s++) {
    const others = range(rounds + 2).map((m) => symbol(law, s * law.other, m));
    const owns = range(Math.floor(rounds / law.answers) + 2).map((j) => symbol(law, s * law.own, j));
    const gains = told.map((m, i) => {
      const fit = owns.slice(0, m + 1).map((own, j) => own + spread((n) => others[n], m - j, law.answers - 1));
      // a symbol that none of the answers has
      if (law.answers < law.k) fit.push(spread((n) => others[n], m, law.answers));
      return above[i] - Math.min(...fit) / s;
    });
    const bound = (/** @type {number} */ price) =>
      s * most(told, (m) => gains[m - 1] - price * m) + price * rounds;
    best = Math.max(best, leastOf(bound, law.step));
  }
  return best;
}

/**
 * Logarithms of the reports of a bit with 0, 1, ... ones: the largest where its own answer is never
 * given, and where it is given with each 1, and the least, with a price for each round of its own answer.
 *
 * @param {Settled} law
 * @param {number} rounds
 * @returns {{never: number[], always: number[], below: (price: number) => number[]}}
 */
function bitBounds(law, rounds) {
  const ones = range(rounds + 1);
  const both = (/** @type {number} */ part) => {
    const values = range(2 * rounds + 3).map((i) => symbol(law, part, i - rounds - 1));
    return (/** @type {number} */ d) => values[d + rounds + 1];
  };
  const [mine, other] = [both(law.own), both(law.other)];
  const rests = range(2 * rounds + 1).map((i) => {
    const d = i - rounds;
    return spread((n) => other(d < 0 ? -n : n), Math.abs(d), law.k - 1);
  });
  const apart = ones.map((i) => bit(law, law.other, 0, rounds - i));
  return {
    never: ones.map((i) => other(i) + apart[i]),
    always: ones.map((i) => mine(i) + apart[i]),
    below: (price) =>
      ones.map((i) => {
        const least = -most(ones, (at) => {
          const own = at + i - rounds;
          return -(mine(own) + price * Math.abs(own) + rests[2 * i - own]);
        });
        return least + (rounds - i) * law.step;
      }),
  };
}

/**
 * The worst of one bit, whose own answer is given as often as it likes.
 *
 * @param {Settled} law
 * @param {number} rounds
 */
function bitBound(law, rounds) {
  const { always, below } = bitBounds(law, rounds);
  const least = below(0);
  return most(range(rounds + 1), (i) => always[i] - least[i]);
}

/**
 * Each bit may have the sequences that are worst for it, but shares the rounds.
 *
 * @param {Settled} law
 * @param {number} rounds
 */
function bitsBound(law, rounds) {
  const { never, always, below } = bitBounds(law, rounds);
  const ones = range(rounds + 1);
  const ofBoth = (/** @type {number} */ price) => {
    const least = below(price);
    const bound = (/** @type {number} */ more) =>
      law.k * most(ones, (i) => Math.max(never[i], always[i] - more * i) - least[i]) + (price + more) * rounds;
    return leastOf(bound, law.step);
  };
  return leastOf(ofBoth, 2 * law.step);
}

/**
 * @param {Settled} law
 * @param {number} rounds
 * @returns {number} epsilon of any two sequences of answers about which k bits are told
 */
export function bitsEpsilon(law, rounds) {
  return (rounds <= EXACT ? bitsExactly : bitsBound)(law, rounds);
}

/**
 * @param {Settled} law
 * @param {number} rounds
 * @returns {number} epsilon of any two sequences of answers about which one of k symbols is told
 */
export function symbolsEpsilon(law, rounds) {
  if (law.k === 2) return bitBound(law, rounds);
  return (rounds <= EXACT ? symbolsExactly : symbolsBound)(law, rounds);
}

/** @param {number} n */
function range(n) {
  return Array.from({ length: n }, (_, i) => i);
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, one) => total + one, 0);
}

/**
 * @param {number[]} places
 * @param {(place: number) => number} value
 */
function most(places, value) {
  let best = -Infinity;
  for (const place of places) best = Math.max(best, value(place));
  return best;
}
