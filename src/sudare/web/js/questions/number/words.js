/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "number.range": "A number from {low} to {high}:",
    "number.missing": "Please enter a number within the range.",
    "number.report": "Report {report} of {count}",
    "number.about": "{mechanism}, ε = {epsilon} for one answer to this question",
    "number.mean": "Mean of all answers: {value}. 95 % interval: {range}; standard error {stderr}.",
    "number.warning.few-reports": "Fewer than 30 reports: the interval is rough.",
  },
  ja: {
    "number.range": "{low} から {high} までの数：",
    "number.missing": "範囲内の数を入力してください。",
    "number.report": "{count} 通りの報告のうち {report} 番",
    "number.about": "{mechanism}、この質問への一つの回答に対して ε = {epsilon}",
    "number.mean": "全回答の平均：{value}（95 % 区間：{range}、標準誤差 {stderr}）",
    "number.warning.few-reports": "報告が 30 件未満です。区間は目安です。",
  },
};
