/**
 * How a submission's epsilon is spoken of: bands with their limits, and the words of each in both
 * languages. A band is that of the ratio that the integers of the programs really have. What a
 * report makes of 50:50 is at most 73.2 % up to 1, 88.1 % up to 2, 98.3 % up to 4, 99.9955 % up to
 * 10 and 99.9999998 % up to 20: that anything is left in doubt is said up to 2, or with "some" up to
 * 4, and above 4 it is warned. `docs/sharp-edges.md` has the table.
 */

/** The largest epsilon of each band. */
export const LIMITS = [1n, 2n, 4n, 10n, 20n];

/** From this band on there is a warning. */
export const FIRST_WARNED = 3;

/** @type {Record<"en" | "ja", Record<string, string>>} */
export const bands = {
  en: {
    "band.0.leaves":
      "Nobody who wavered between two answers can be sure of yours from that, not even we.",
    "band.1.leaves":
      "It may make a guess at your answer a good one, but nobody who wavered between two answers can be sure.",
    "band.2.leaves":
      "It may make someone who wavered between two answers fairly sure of yours, though some doubt is left.",
    "band.3.leaves":
      "It may give your answer away: someone who wavered between two answers may be left with little doubt.",
    "band.4.leaves":
      "It may give your answer away: someone who wavered between two answers may be left with next to no doubt.",
    "band.0.sent": "It may be your answer or it may not: this report alone makes nobody sure who wavered between two answers.",
    "band.1.sent": "It need not be your answer, though it may make a guess at it a good one.",
    "band.2.sent":
      "Such a report may make someone who wavered between two answers fairly sure of yours, though some doubt is left.",
    "band.3.sent":
      "Such a report may give your answer away: someone who wavered between two answers may be left with little doubt.",
    "band.4.sent":
      "Such a report may give your answer away: someone who wavered between two answers may be left with next to no doubt.",
    "band.3.caution.survey":
      "Please note: ε = {epsilon} is high. Your report may give your answer away: it can make someone who thought it 50:50 up to {even} % sure. Answer only what you would not mind being known.",
    "band.4.caution.survey":
      "Please note: ε = {epsilon} is very high. Chance may hide next to nothing of your answer: your report can make someone who thought it 50:50 up to {even} % sure. Answer only what you would tell openly.",
    "band.3.caution.results":
      "ε = {epsilon} is high: a single report may give an answer away. It can make someone who thought it 50:50 up to {even} % sure.",
    "band.4.caution.results":
      "ε = {epsilon} is very high: chance may hide next to nothing in a single report. It can make someone who thought it 50:50 up to {even} % sure.",
  },
  ja: {
    "band.0.leaves":
      "二つの回答で迷っていた人が、そこから確信を持つことはできません。私たちも同じです。",
    "band.1.leaves":
      "あなたの回答をかなり当てやすくすることはありますが、二つの回答で迷っていた人が確信を持つことはできません。",
    "band.2.leaves":
      "二つの回答で迷っていた人が、あなたの回答にかなりの確信を持つことがあります。疑いの余地は少し残ります。",
    "band.3.leaves":
      "あなたの回答が分かってしまうことがあります。二つの回答で迷っていた人には、疑いの余地がほとんど残らないことがあります。",
    "band.4.leaves":
      "あなたの回答が分かってしまうことがあります。二つの回答で迷っていた人には、疑いの余地がまず残らないことがあります。",
    "band.0.sent":
      "これはあなたの回答かもしれませんし、そうでないかもしれません。二つの回答で迷っていた人は、この報告だけから確信を持てません。",
    "band.1.sent":
      "これがあなたの回答とは限りませんが、回答をかなり当てやすくすることはあります。",
    "band.2.sent":
      "このような報告からは、二つの回答で迷っていた人が、あなたの回答にかなりの確信を持つことがあります。疑いの余地は少し残ります。",
    "band.3.sent":
      "このような報告からは、あなたの回答が分かってしまうことがあります。二つの回答で迷っていた人には、疑いの余地がほとんど残らないことがあります。",
    "band.4.sent":
      "このような報告からは、あなたの回答が分かってしまうことがあります。二つの回答で迷っていた人には、疑いの余地がまず残らないことがあります。",
    "band.3.caution.survey":
      "ご注意ください。ε = {epsilon} は大きな値です。報告からあなたの回答が分かってしまうことがあります。五分五分と思っていた人が、最大 {even} % まで確信を持てます。知られても困らないことだけを答えてください。",
    "band.4.caution.survey":
      "ご注意ください。ε = {epsilon} は非常に大きな値で、乱数が回答をほとんど隠さないことがあります。報告を見れば、五分五分と思っていた人が最大 {even} % まで確信を持てます。人前で言えることだけを答えてください。",
    "band.3.caution.results":
      "ε = {epsilon} は大きな値です。一つの報告から回答が分かってしまうことがあります。五分五分と思っていた人が、最大 {even} % まで確信を持てます。",
    "band.4.caution.results":
      "ε = {epsilon} は非常に大きな値です。一つの報告の中で、乱数がほとんど何も隠さないことがあります。五分五分と思っていた人が、最大 {even} % まで確信を持てます。",
  },
};
