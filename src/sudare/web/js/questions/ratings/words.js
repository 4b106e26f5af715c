/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "ratings.tells.kept":
      "The report is about one item. Of {of} people who answer “{no}” to it, about {part} send that; of {among} people who answer “{yes}” with the highest level, about {high} send “{yes}”, rated towards the upper end.",
    "ratings.tells.listed":
      "From it alone, someone to whom all {count} answers about the item were equally likely (1 in {count}) can become at most {listed} % sure of one of them.",
    "ratings.told":
      "From the report to this question alone, someone to whom all {count} answers about the item drawn were equally likely can become at most {listed} % sure of one of them.",
    "ratings.no": "I do not have it",
    "ratings.yes": "I have it",
    "ratings.rest": "All others: “{answer}”",
    "ratings.rest.done.one": "{count} item marked “{answer}”.",
    "ratings.rest.done.other": "{count} items marked “{answer}”.",
    "ratings.how": "How do you rate it?",
    "ratings.star": "{level} of {scale} stars",
    "ratings.level": "{level} of {scale}",
    "ratings.untouched": "Not rated yet: move the slider, or click it.",
    "ratings.say": "Please choose one of the two.",
    "ratings.rate": "Please rate it.",
    "ratings.missing": "Please answer for every item of this question.",
    "ratings.missing.item": "Please answer for this item.",
    "ratings.ticket":
      "One item of this question was drawn for you, before anybody knew your answer. You are asked about it alone.",
    "ratings.drawn": "The item drawn:",
    "ratings.state.high": "“{answer}”, rated towards the upper end",
    "ratings.state.low": "“{answer}”, rated towards the lower end",
    "ratings.state.none": "“{answer}”",
    "ratings.about.other":
      "{mechanism}, {count} items, {scale} levels. ε = {epsilon} for one answer to the whole question, all items together. A report is about one item, drawn at random.",
    "ratings.note":
      "Left: the share of those who have an item. Right: the mean level of those who have it, and of nobody else. Both are the most likely values given the reports, with their 95 % intervals; each interval holds for its own row.",
    "ratings.chart": "Estimated shares and mean levels",
    "ratings.mean": "Mean level (1 to {scale})",
    "ratings.mean.none": "nobody to average",
    "ratings.unknown": "no report yet",
    "ratings.help": "Point at a row, or move with the arrow keys, to see its standard errors.",
    "ratings.detail":
      "{item}, “{answer}”: {share} %. 95 % interval: {low} to {high} %; standard error {stderr}.",
    "ratings.detail.mean":
      "Their mean level is {value}. 95 % interval: {low} to {high}; standard error {stderr}.",
    "ratings.detail.n.one": "{count} report about this item.",
    "ratings.detail.n.other": "{count} reports about this item.",
    "ratings.item": "Item",
    "ratings.reports": "Reports",
    "ratings.estimate": "Estimate",
    "ratings.caption": "Estimated shares and mean levels: {question}",
    "ratings.points": "Shares and their errors in per cent, mean levels from 1 to {scale}.",
    "ratings.warning.few-reports":
      "Few reports: of {count} of {of} items there are fewer than 30 reports ({items}). Their figures are rough.",
    "ratings.warning.few-reports.all":
      "Few reports: of every item there are fewer than 30 reports. All figures are rough.",
    "ratings.warning.no-mean":
      "For {count} of {of} items nobody is estimated to have it ({items}): there is nobody whose mean could be given.",
    "ratings.warning.no-mean.all":
      "For none of the items anybody is estimated to have it: there is nobody whose mean could be given.",
    "ratings.warning.no-stderr":
      "Where an estimate lies at the border of what is possible, no standard error is known. Its interval holds all the same.",
    "ratings.alarms.none": "No item stands out.",
    "ratings.alarms.many":
      "Suspiciously many reports: {items}. About {expected} reports an item are expected; by chance alone, less than one item in {odds} gets {least} or more.",
    "ratings.alarms.infeasible":
      "Reports that honest devices would hardly send: {items}. By chance alone this happens to at most about one item in {odds}.",
    "ratings.alarms.meaning":
      "An alarm means that some of an item's reports were probably made up; it does not say which, and without an alarm there may be some all the same.",
    "ratings.alarms.open":
      "Here devices draw the item that they report on, so that all made-up reports may be about one item: they could have moved its share by up to {moved} percentage points. By invitation, where the collector draws the item, it would be about {drawn}.",
    "ratings.alarms.drawn":
      "Here the collector has drawn the item of each report, so that made-up reports are spread over all items: they could have moved no item's share by more than {drawn} percentage points.",
  },
  ja: {
    "ratings.tells.kept":
      "報告は一つの項目についてのものです。「{no}」と答えた {of} 人のうち約 {part} 人がそのまま送ります。「{yes}」で最高の評価をした {among} 人のうち約 {high} 人が「{yes}」、評価は高いほうとして送ります。",
    "ratings.tells.listed":
      "その項目についての {count} 通りの答えがどれも同じくらい（{count} 分の 1）と思っていた人が、この質問の報告だけから一つの答えに持てる確信は最大 {listed} % です。",
    "ratings.told":
      "選ばれた項目についての {count} 通りの答えがどれも同じくらいありうると思っていた人が、この質問の報告だけから一つの答えに持てる確信は最大 {listed} % です。",
    "ratings.no": "持っていない",
    "ratings.yes": "持っている",
    "ratings.rest": "残りはすべて「{answer}」",
    "ratings.rest.done.other": "{count} 個を「{answer}」にしました。",
    "ratings.how": "どう評価しますか？",
    "ratings.star": "{scale} 段階中 {level}",
    "ratings.level": "{level} / {scale}",
    "ratings.untouched": "まだ評価していません。つまみを動かすか、クリックしてください。",
    "ratings.say": "どちらかを選んでください。",
    "ratings.rate": "評価を選んでください。",
    "ratings.missing": "この質問のすべての項目に答えてください。",
    "ratings.missing.item": "この項目に答えてください。",
    "ratings.ticket":
      "この質問では、回答を知る前に、あなたのための項目が一つ抽選で決まっています。たずねるのはその項目だけです。",
    "ratings.drawn": "選ばれた項目：",
    "ratings.state.high": "「{answer}」、評価は高いほう",
    "ratings.state.low": "「{answer}」、評価は低いほう",
    "ratings.state.none": "「{answer}」",
    "ratings.about.other":
      "{mechanism}、項目 {count} 個、{scale} 段階。質問全体（すべての項目の合計）への一つの回答に対して ε = {epsilon}。一つの報告は、無作為に選ばれた一つの項目についてのものです。",
    "ratings.note":
      "左：その項目を持っている人の割合。右：持っている人だけの平均評価（持っていない人は含みません）。どちらも報告から見て最も確からしい値と、その 95 % 区間です。区間は行ごとのものです。",
    "ratings.chart": "推定した割合と平均評価",
    "ratings.mean": "平均評価（1 ～ {scale}）",
    "ratings.mean.none": "平均なし",
    "ratings.unknown": "報告なし",
    "ratings.help": "行を指すか矢印キーで動かすと、標準誤差が表示されます。",
    "ratings.detail": "{item}「{answer}」：{share} %（95 % 区間：{low} ～ {high} %、標準誤差 {stderr}）。",
    "ratings.detail.mean": "その平均評価は {value}（95 % 区間：{low} ～ {high}、標準誤差 {stderr}）。",
    "ratings.detail.n.other": "この項目についての報告は {count} 件。",
    "ratings.item": "項目",
    "ratings.reports": "報告数",
    "ratings.estimate": "推定値",
    "ratings.caption": "推定した割合と平均評価：{question}",
    "ratings.points": "割合とその誤差の単位はパーセント、平均評価は 1 から {scale} までです。",
    "ratings.warning.few-reports":
      "報告が少数です：{of} 個の項目のうち {count} 個（{items}）は、報告が 30 件未満です。数字は大まかな値です。",
    "ratings.warning.few-reports.all":
      "報告が少数です：どの項目も報告が 30 件未満です。数字はすべて大まかな値です。",
    "ratings.warning.no-mean":
      "{of} 個の項目のうち {count} 個（{items}）は、持っている人がいないと推定されたため、平均を出せません。",
    "ratings.warning.no-mean.all":
      "どの項目も、持っている人がいないと推定されたため、平均を出せません。",
    "ratings.warning.no-stderr":
      "推定値がとりうる範囲の端にあるところでは、標準誤差が分かりません。区間はそのまま有効です。",
    "ratings.alarms.none": "目立つ項目はありません。",
    "ratings.alarms.many":
      "報告が不自然に多い項目：{items}。一項目あたりの見込みは約 {expected} 件で、偶然だけで {least} 件以上になる項目は {odds} 個に 1 個もありません。",
    "ratings.alarms.infeasible":
      "正直な端末からはまず届かない報告がある項目：{items}。偶然だけでこうなるのは、多くても約 {odds} 個に 1 個です。",
    "ratings.alarms.meaning":
      "警告は、その項目の報告の一部がおそらく作られたものだという意味です。どの報告かは分からず、警告がなくても作られた報告が混じっていることはあります。",
    "ratings.alarms.open":
      "この調査では端末が項目を抽選するため、作られた報告がすべて一つの項目に集まることもあり、その項目の割合は最大 {moved} ポイント動かされえます。招待制にして収集側が抽選すれば、約 {drawn} ポイントです。",
    "ratings.alarms.drawn":
      "この調査では収集側が報告ごとの項目を抽選したため、作られた報告は全項目に散らばります。どの項目の割合も、動かされうるのは多くても {drawn} ポイントです。",
  },
};
