import { bits } from "./bits.js";
import { choose } from "./choose.js";
import { hashed } from "./hash.js";
import { hyperplane } from "./hyperplane.js";
import { keep } from "./keep.js";
import { levels } from "./levels.js";
import { offset } from "./offset.js";
import { pick } from "./pick.js";
import { prefix } from "./prefix.js";
import { product } from "./product.js";
import { repeat } from "./repeat.js";
import { round } from "./round.js";
import { subset } from "./subset.js";
import { table } from "./table.js";

/** All kinds of programs, made known. */
export const KINDS = [
  keep,
  bits,
  subset,
  choose,
  hashed,
  hyperplane,
  table,
  offset,
  prefix,
  product,
  pick,
  levels,
  round,
  repeat,
];
