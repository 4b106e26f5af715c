/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "crosstab.tells.part":
      "“{attribute}”: of {of} people who answer as you do, about {part} send this part as it is.",
    "crosstab.tells.whole.other": "About {part} of {of} send all {count} parts as they are.",
    "crosstab.missing": "Please choose one answer in every part of this question.",
    "crosstab.about":
      "{mechanism}, {cells} cells. ε = {epsilon} for one answer to the whole question; of each part alone: {each}. A part's own ε says nothing about all parts together.",
    "crosstab.about.cells":
      "{mechanism}, {cells} cells. ε = {epsilon} for one answer to the whole question: its parts are randomised together, as one of these cells.",
    "crosstab.cells":
      "What you answer in all {count} parts is taken together as one answer, out of {cells} that are possible; only this one is randomised and sent.",
    "crosstab.each": "“{attribute}” ε = {epsilon}",
    "crosstab.alone": "This part alone: {mechanism}, {count} choices, ε = {epsilon}",
    "crosstab.alone.cells": "This part alone, {count} choices: sums of the cells",
    "crosstab.pair": "Show",
    "crosstab.map": "Heat map of the estimated shares: {pair}",
    "crosstab.axes": "Down: “{down}” Across: “{across}”",
    "crosstab.help":
      "Shares in per cent of everyone. Point at a cell, or move with the arrow keys, to see its interval.",
    "crosstab.detail":
      "{cell}: {share} %. 95 % interval: {low} to {high} %; standard error {stderr} %.",
    "crosstab.detail.rough":
      "{cell}: {share} %. 95 % interval: {low} to {high} %; standard error {stderr} %. Few reports: rough.",
    "crosstab.few":
      "Few reports: {count} of {of} cells (in italics, dotted) are named by fewer than 30 reports. Their shares and intervals are rough.",
    "crosstab.v":
      "How much the two go together: Cramér's V = {value}. 95 % interval: {range}. (0: not at all; 1: one tells the other.)",
    "crosstab.v.none":
      "How much the two go together cannot be said yet: too few reports for their choices to be told apart.",
    "crosstab.one": "{label} (“{attribute}”)",
    "crosstab.rare": "Left out of this, as too rare: {choices}.",
    "crosstab.odds.each": "“{attribute}” {odds} This part spends ε = {epsilon}.",
    "crosstab.odds.other":
      "This question spends ε = {epsilon}, for its {count} parts together: each part is randomised on its own.",
  },
  ja: {
    "crosstab.tells.part":
      "「{attribute}」：あなたと同じ回答をした {of} 人のうち約 {part} 人が、この項目をそのまま送ります。",
    "crosstab.tells.whole.other": "{count} 項目すべてをそのまま送るのは {of} 人のうち約 {part} 人です。",
    "crosstab.missing": "この質問のすべての項目で一つずつ選んでください。",
    "crosstab.about":
      "{mechanism}、{cells} マス。質問全体への一つの回答に対して ε = {epsilon}。項目ごとの値：{each}。項目だけの ε は、すべての項目を合わせたときの保護を表しません。",
    "crosstab.about.cells":
      "{mechanism}、{cells} マス。質問全体への一つの回答に対して ε = {epsilon}。すべての項目は一つのマスとしてまとめてランダム化されます。",
    "crosstab.cells":
      "{count} 個の項目への答えは、まとめて一つの回答（全部で {cells} 通り）として扱われます。ランダム化されて送られるのは、この一つだけです。",
    "crosstab.each": "「{attribute}」ε = {epsilon}",
    "crosstab.alone": "この項目だけの集計：{mechanism}、選択肢 {count} 個、ε = {epsilon}",
    "crosstab.alone.cells": "この項目だけの集計（選択肢 {count} 個）：マスの合計",
    "crosstab.pair": "表示する組",
    "crosstab.map": "推定した割合のヒートマップ：{pair}",
    "crosstab.axes": "縦：「{down}」 横：「{across}」",
    "crosstab.help":
      "全体に対する割合（パーセント）です。マスを指すか矢印キーで動かすと、区間が表示されます。",
    "crosstab.detail":
      "{cell}：{share} %（95 % 区間：{low} ～ {high} %、標準誤差 {stderr} %）",
    "crosstab.detail.rough":
      "{cell}：{share} %（95 % 区間：{low} ～ {high} %、標準誤差 {stderr} %）。報告が少数のため大まかな値です。",
    "crosstab.few":
      "報告が少数です：{of} マスのうち {count} マス（斜体・点線）は報告が 30 件未満で、割合も区間も大まかな値です。",
    "crosstab.v":
      "二つの項目の結びつき（クラメールの V）：{value}（95 % 区間：{range}）。0 は無関係、1 は一方から他方が決まることを表します。",
    "crosstab.v.none":
      "二つの項目の結びつきはまだ分かりません。選択肢を区別できるだけの報告がありません。",
    "crosstab.one": "{label}（「{attribute}」）",
    "crosstab.rare": "少なすぎるため、この計算から除いた選択肢：{choices}。",
    "crosstab.odds.each": "「{attribute}」{odds}この項目が使う ε は {epsilon} です。",
    "crosstab.odds.other":
      "{count} 個の項目は別々に乱数を通します。この質問全体が使う ε は {epsilon} です。",
  },
};
