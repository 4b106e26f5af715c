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
    "crosstab.drawn.pairs":
      "One of {count} pairs of parts is drawn, whatever you answer. What you answer in these two is taken together as one answer; only this one is randomised and sent. The other parts are not.",
    "crosstab.drawn.pairs.invited":
      "Your invitation has drawn one of {count} pairs of parts, before anybody knew your answers. What you answer in these two is taken together as one answer; only this one is randomised and sent. You are not asked about the other parts.",
    "crosstab.drawn.margins":
      "One of {count} parts is drawn, whatever you answer. Only your answer in this part is randomised and sent. The other parts are not.",
    "crosstab.drawn.margins.invited":
      "Your invitation has drawn one of {count} parts, before anybody knew your answer. Only your answer in this part is randomised and sent. You are not asked about the other parts.",
    "crosstab.drawn.own.pairs":
      "Of {of} people who answer as you do, at most about {part} send a report that names what they answered in the two, alone or among others.",
    "crosstab.drawn.own.margins":
      "Of {of} people who answer as you do, at most about {part} send their answer in this part as it is.",
    "crosstab.drawn.listed.pairs":
      "From it alone, someone to whom all answers in the two parts were equally likely can become at most {listed} % sure of one of them.",
    "crosstab.drawn.listed.margins":
      "From it alone, someone to whom all answers in this part were equally likely can become at most {listed} % sure of one of them.",
    "crosstab.drawn.told.pairs":
      "From the report to this question alone, someone to whom all answers in the two parts drawn were equally likely can become at most {listed} % sure of one of them.",
    "crosstab.drawn.told.margins":
      "From the report to this question alone, someone to whom all answers in the part drawn were equally likely can become at most {listed} % sure of one of them.",
    "crosstab.odds.pairs":
      "One of {count} pairs of parts is drawn at random. Only this pair is randomised, as one answer, and sent with its number.",
    "crosstab.odds.pairs.invited":
      "Your invitation has drawn one of {count} pairs of parts. You are asked about these two alone; they are randomised, as one answer, and sent with the number of the pair.",
    "crosstab.odds.margins":
      "One of {count} parts is drawn at random. Only this part is randomised and sent, with its number.",
    "crosstab.odds.margins.invited":
      "Your invitation has drawn one of {count} parts. You are asked about this one alone; it is randomised and sent, with its number.",
    "crosstab.ticket.one":
      "One part of this question was drawn for you, before anybody knew your answer. You are asked about it alone.",
    "crosstab.ticket.other":
      "{count} parts of this question were drawn for you, before anybody knew your answers. You are asked about these alone.",
    "crosstab.sent.pairs": "The pair drawn: {attribute}",
    "crosstab.sent.margins": "The part drawn: {attribute}",
    "crosstab.about.pairs":
      "{mechanism}, {count} pairs of parts with {cells} cells in all. ε = {epsilon} for one answer to the whole question. A report is about one pair, drawn at random; the tables of all pairs are made to agree.",
    "crosstab.about.margins":
      "{mechanism}, {count} parts with {cells} choices in all. ε = {epsilon} for one answer to the whole question. A report is about one part, drawn at random.",
    "crosstab.alone.pairs": "This part alone, {count} choices: from all pairs that it is in",
    "crosstab.alone.margins": "This part alone, {count} choices: from the reports about it",
    "crosstab.reports": "reports about “{attribute}”",
    "crosstab.pair.n.one": "{count} report is about just these two parts.",
    "crosstab.pair.n.other": "{count} reports are about just these two parts.",
    "crosstab.pair.none": "No report is about these two parts yet.",
    "crosstab.joint": "All parts together, by maximum entropy",
    "crosstab.joint.note":
      "Nobody reported all parts: of all tables that have the pairs' tables, this is the most even one. What three parts have to do with each other beyond that it does not show, and it has no intervals.",
    "crosstab.joint.most": "Listed are the {count} largest of {of} cells.",
    "crosstab.joint.away":
      "The estimates of the pairs do not fit together exactly, and some may lie below 0: in this table, cells of pairs are up to {away} percentage points away from those above.",
    "crosstab.joint.table": "Its cells as a table",
    "crosstab.joint.caption": "All parts together, by maximum entropy. Shares in per cent.",
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
    "crosstab.few.all":
      "Few reports: each of the {of} cells is named by fewer than 30 reports. The shares and intervals are rough.",
    "crosstab.few":
      "Few reports: {count} of {of} cells (in italics, dotted; in the table with *) are named by fewer than 30 reports. Their shares and intervals are rough.",
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
    "crosstab.drawn.pairs":
      "回答の内容に関係なく、{count} 組のうち一組（二つの項目）が抽選で決まります。その二つへの答えをまとめて一つの回答とし、ランダム化されて送られるのはこれだけです。ほかの項目は送られません。",
    "crosstab.drawn.pairs.invited":
      "{count} 組のうち一組（二つの項目）が、回答を知る前に、招待によって抽選で決まっています。その二つへの答えをまとめて一つの回答とし、ランダム化されて送られるのはこれだけです。ほかの項目はたずねません。",
    "crosstab.drawn.margins":
      "回答の内容に関係なく、{count} 個の項目のうち一つが抽選で決まります。ランダム化されて送られるのは、その項目への答えだけです。ほかの項目は送られません。",
    "crosstab.drawn.margins.invited":
      "{count} 個の項目のうち一つが、回答を知る前に、招待によって抽選で決まっています。ランダム化されて送られるのは、その項目への答えだけです。ほかの項目はたずねません。",
    "crosstab.drawn.own.pairs":
      "あなたと同じ回答をした {of} 人のうち、選ばれた二つの項目への答えを（単独で、またはほかの答えと並べて）挙げる報告を送るのは、多くても約 {part} 人です。",
    "crosstab.drawn.own.margins":
      "あなたと同じ回答をした {of} 人のうち、選ばれた項目への答えをそのまま送るのは、多くても約 {part} 人です。",
    "crosstab.drawn.listed.pairs":
      "この二つの項目への答えがどれも同じくらいありうると思っていた人が、この報告だけから一つの答えに持てる確信は最大 {listed} % です。",
    "crosstab.drawn.listed.margins":
      "この項目への答えがどれも同じくらいありうると思っていた人が、この報告だけから一つの答えに持てる確信は最大 {listed} % です。",
    "crosstab.drawn.told.pairs":
      "選ばれた二つの項目への答えがどれも同じくらいありうると思っていた人が、この質問の報告だけから一つの答えに持てる確信は最大 {listed} % です。",
    "crosstab.drawn.told.margins":
      "選ばれた項目への答えがどれも同じくらいありうると思っていた人が、この質問の報告だけから一つの答えに持てる確信は最大 {listed} % です。",
    "crosstab.odds.pairs":
      "{count} 組のうち一組（二つの項目）が無作為に選ばれます。その組だけが一つの回答としてランダム化され、組の番号とともに送られます。",
    "crosstab.odds.pairs.invited":
      "招待によって {count} 組のうち一組（二つの項目）が選ばれています。たずねるのはその二つだけで、一つの回答としてランダム化され、組の番号とともに送られます。",
    "crosstab.odds.margins":
      "{count} 個の項目のうち一つが無作為に選ばれます。その項目だけがランダム化され、番号とともに送られます。",
    "crosstab.odds.margins.invited":
      "招待によって {count} 個の項目のうち一つが選ばれています。たずねるのはその項目だけで、ランダム化され、番号とともに送られます。",
    "crosstab.ticket.other":
      "この質問では、回答を知る前に、あなたのための項目が {count} 個抽選で決まっています。たずねるのはその項目だけです。",
    "crosstab.sent.pairs": "選ばれた組：{attribute}",
    "crosstab.sent.margins": "選ばれた項目：{attribute}",
    "crosstab.about.pairs":
      "{mechanism}、二項目の組が {count} 組、合わせて {cells} マス。質問全体への一つの回答に対して ε = {epsilon}。一つの報告は、無作為に選ばれた一組についてのものです。すべての組の表は互いに一致するように調整されています。",
    "crosstab.about.margins":
      "{mechanism}、項目 {count} 個、選択肢は合わせて {cells} 個。質問全体への一つの回答に対して ε = {epsilon}。一つの報告は、無作為に選ばれた一つの項目についてのものです。",
    "crosstab.alone.pairs": "この項目だけの集計（選択肢 {count} 個）：この項目を含むすべての組から",
    "crosstab.alone.margins": "この項目だけの集計（選択肢 {count} 個）：この項目についての報告から",
    "crosstab.reports": "「{attribute}」についての報告",
    "crosstab.pair.n.other": "この二つの項目についての報告は {count} 件です。",
    "crosstab.pair.none": "この二つの項目についての報告はまだありません。",
    "crosstab.joint": "すべての項目をまとめた表（最大エントロピー法）",
    "crosstab.joint.note":
      "すべての項目を報告した人はいません。これは、組ごとの表に合うあらゆる表のうち最も偏りのないものです。三つ以上の項目のあいだにそれ以上の関係があっても現れず、区間もありません。",
    "crosstab.joint.most": "{of} マスのうち大きいほうから {count} マスを示しています。",
    "crosstab.joint.away":
      "組ごとの推定は互いにぴったりとは合わず、0 を下回るものもあります。この表では、組のマスが上の推定から最大 {away} ポイント離れています。",
    "crosstab.joint.table": "マスを表で見る",
    "crosstab.joint.caption": "すべての項目をまとめた表（最大エントロピー法）。割合の単位はパーセントです。",
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
      "報告が少数です：{of} マスのうち {count} マス（斜体・点線、表では *）は報告が 30 件未満で、割合も区間も大まかな値です。",
    "crosstab.few.all":
      "報告が少数です：{of} マスのどれも報告が 30 件未満で、割合も区間も大まかな値です。",
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
