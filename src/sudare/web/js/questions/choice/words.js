/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "choice.missing": "Please choose one answer here.",
    "choice.tells.bits":
      "For each of the {count} answers a yes or a no is sent. Of {of} people who answer as you do, about {part} send a yes at their own answer; at each other answer, about {others} of {among} send one.",
    "choice.tells.alone": "About {part} of {of} send a yes at their own answer and at no other.",
    "choice.tells.fitting":
      "The report is one of several that do not name an answer. Of {of} people who answer as you do, about {part} send one that their answer makes likelier.",
    "choice.report": "Of all possible reports, the one numbered {number}",
    "choice.about": "{mechanism}, {count} choices, ε = {epsilon} for one answer to this question",
    "choice.warning.few-reports":
      "Few reports: for {count} of {of} choices fewer than 30 reports are expected ({choices}). Their shares are rough: see their intervals.",
    "choice.warning.few-reports.all":
      "Few reports: for every choice fewer than 30 reports are expected. The shares are rough: see the intervals.",
  },
  ja: {
    "choice.missing": "ここで一つ選んでください。",
    "choice.tells.bits":
      "{count} 個の回答それぞれについて「はい」か「いいえ」が送られます。あなたと同じ回答をした {of} 人のうち、自分の回答が「はい」になるのは約 {part} 人です。ほかの回答がそれぞれ「はい」になるのは {among} 人のうち約 {others} 人です。",
    "choice.tells.alone": "自分の回答だけが「はい」になるのは {of} 人のうち約 {part} 人です。",
    "choice.tells.fitting":
      "送られるのは、回答の名前を含まない報告の一つです。あなたと同じ回答をした {of} 人のうち約 {part} 人が、その回答で出やすくなる報告を送ります。",
    "choice.report": "ありうる報告のうち {number} 番",
    "choice.about":
      "{mechanism}、選択肢 {count} 個、この質問への一つの回答に対して ε = {epsilon}",
    "choice.warning.few-reports":
      "報告が少数です：{of} 個の選択肢のうち {count} 個（{choices}）は、見込まれる報告が 30 件未満です。割合は大まかな値です。区間を見てください。",
    "choice.warning.few-reports.all":
      "報告が少数です：どの選択肢も、見込まれる報告が 30 件未満です。割合は大まかな値です。区間を見てください。",
  },
};
