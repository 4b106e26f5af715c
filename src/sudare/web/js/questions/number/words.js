/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "number.tells.ends":
      "Of {of} people whose number is {low}, about {part} send a report that points to the lower half of the range; of {among} people whose number is {high}, about {upper} send one that points to the upper half.",
    "number.tells.half":
      "From the report to this question alone, someone to whom all numbers of the range were equally likely can be at most {half} % sure in which half yours lies, and at most {tenth} % sure of one tenth of the range (10 % before).",
    "number.told":
      "From the report to this question alone, someone to whom all numbers of the range were equally likely can be at most {half} % sure in which half yours lies, and at most {tenth} % sure of one tenth of the range.",
    "number.range": "A number from {low} to {high}:",
    "number.missing": "Please enter a number within the range.",
    "number.report": "Report {report} of {count}",
    "number.about": "{mechanism}, ε = {epsilon} for one answer to this question",
    "number.mean": "Mean of all answers: {value}. 95 % interval: {range}; standard error {stderr}.",
    "number.warning.few-reports": "Fewer than 30 reports: the interval is rough.",
  },
  ja: {
    "number.tells.ends":
      "数が {low} の人 {of} 人のうち約 {part} 人が、範囲の下半分を指す報告を送ります。数が {high} の人 {among} 人のうち約 {upper} 人が、上半分を指す報告を送ります。",
    "number.tells.half":
      "どの数も同じくらいありうると思っていた人がこの質問の報告だけから持てる確信は、上下どちらの半分かについて最大 {half} %、範囲を十等分した一つについて最大 {tenth} %（見る前は 10 %）です。",
    "number.told":
      "どの数も同じくらいありうると思っていた人がこの質問の報告だけから持てる確信は、上下どちらの半分かについて最大 {half} %、範囲を十等分した一つについて最大 {tenth} % です。",
    "number.range": "{low} から {high} までの数：",
    "number.missing": "範囲内の数を入力してください。",
    "number.report": "{count} 通りの報告のうち {report} 番",
    "number.about": "{mechanism}、この質問への一つの回答に対して ε = {epsilon}",
    "number.mean": "全回答の平均：{value}（95 % 区間：{range}、標準誤差 {stderr}）",
    "number.warning.few-reports": "報告が 30 件未満です。区間は目安です。",
  },
};
