/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "number.tells.ends":
      "Of {of} people whose number is {low}, about {part} send a report that points to the lower half of the range; of {among} people whose number is {high}, about {upper} send one that points to the upper half.",
    "number.tells.half":
      "From the report to this question alone, someone to whom all numbers of the range were equally likely can be at most {half} % sure in which half yours lies, and at most {tenth} % sure of one tenth of the range (10 % before).",
    "number.told":
      "From the report to this question alone, someone to whom all numbers of the range were equally likely can be at most {half} % sure in which half yours lies, and at most {tenth} % sure of one tenth of the range.",
    "number.tells.near":
      "Of {of} people, about {part} send a report that names a part of the range in which their number lies, at most {wide} wide; the others name another part.",
    "number.tells.named":
      "Of {of} people, about {part} send a report that names the part in which their number lies; of {among} people whose number lies elsewhere, about {others} name that part too, by chance.",
    "number.tells.named.several":
      "Of {of} people, at least about {part} send a report that names the part in which their number lies; of {among} people whose number lies elsewhere, at most about {others} name that part too, by chance. How many it is depends on the way that is drawn.",
    "number.level": "The range is cut into {parts} parts.",
    "number.levels":
      "One of {ways} ways to cut the range is drawn at random ({parts} parts).",
    "number.levels.invited":
      "Your invitation has drawn one of {ways} ways to cut the range ({parts} parts).",
    "number.names.one": "The report names one of the parts.",
    "number.names.several": "The report names one or more of the parts.",
    "number.names.any": "The report may name any of the parts, several of them, or none.",
    "number.odds.level":
      "Of {count} parts, yours is named with probability {own}, each other one with probability {other}.",
    "number.range": "A number from {low} to {high}:",
    "number.missing": "Please enter a number within the range.",
    "number.report": "The report is {report}, of the {count} that there can be (1 to {count}).",
    "number.report.range": "A number from {low} to {high}",
    "number.report.parts": "A number from one of {count} parts of the range:",
    "number.report.none": "No part of the range is named",
    "number.about": "{mechanism}, ε = {epsilon} for one answer to this question",
    "number.mean": "Estimated mean of all answers: {value}. 95 % interval: {range}; standard error {stderr}.",
    "number.about.bins":
      "{mechanism}, {bins} bins of {width} each, ε = {epsilon} for one answer to this question",
    "number.rounding":
      "The mean is that of the middles of the bins: it is at most {half} off by that.",
    "number.histogram":
      "Histogram of the estimated distribution with the 95 % interval of each bar; the table below has the same figures.",
    "number.bin": "Numbers",
    "number.caption": "Estimated distribution: {question}",
    "number.points": "Shares and intervals in per cent.",
    "number.bar": "Bar",
    "number.estimate": "Estimate",
    "number.band":
      "Bars: the distribution nearest to the estimates; bands: the 95 % interval of each estimate alone. An estimate may fall below 0 or above 100 %: in the table it is shown as it is, and intervals stop at what is possible.",
    "number.quantiles": "Median and deciles",
    "number.quantiles.below": "People below it",
    "number.quantiles.value": "Number",
    "number.quantiles.median": "{share} % (median)",
    "number.quantiles.share": "{share} %",
    "number.between": "Share of people between two numbers",
    "number.between.from": "From",
    "number.between.to": "To",
    "number.between.share": 
      "From {low} to {high}: an estimated {share} % of the people. 95 % interval: {range} %.",
    "number.between.outside": "An estimate may fall below 0 or above 100 %: it is shown as it is.",
    "number.warning.few-reports": "Fewer than 30 reports: the interval is rough.",
    "number.warning.few-reports.bins":
      "Few reports: for {count} of {of} bins fewer than 30 reports are expected. Their shares are rough: see their intervals.",
    "number.warning.few-reports.bins.all":
      "Few reports: for every bin fewer than 30 reports are expected. The shares are rough: see the intervals.",
    "number.alarms.moved":
      "The share of people below any number could be off by up to {moved} percentage points.",
  },
  ja: {
    "number.tells.ends":
      "数が {low} の人 {of} 人のうち約 {part} 人が、範囲の下半分を指す報告を送ります。数が {high} の人 {among} 人のうち約 {upper} 人が、上半分を指す報告を送ります。",
    "number.tells.half":
      "どの数も同じくらいありうると思っていた人がこの質問の報告だけから持てる確信は、上下どちらの半分かについて最大 {half} %、範囲を十等分した一つについて最大 {tenth} %（見る前は 10 %）です。",
    "number.told":
      "どの数も同じくらいありうると思っていた人がこの質問の報告だけから持てる確信は、上下どちらの半分かについて最大 {half} %、範囲を十等分した一つについて最大 {tenth} % です。",
    "number.tells.near":
      "{of} 人のうち約 {part} 人が、自分の数を含む範囲（幅は最大 {wide}）を指す報告を送ります。そのほかの人の報告は別の範囲を指します。",
    "number.tells.named":
      "{of} 人のうち約 {part} 人が、自分の数を含む区分を挙げる報告を送ります。数が別の区分にある {among} 人のうちでも、約 {others} 人が偶然その区分を挙げます。",
    "number.tells.named.several":
      "{of} 人のうち少なくとも約 {part} 人が、自分の数を含む区分を挙げる報告を送ります。数が別の区分にある {among} 人のうちでは、多くても約 {others} 人が偶然その区分を挙げます。人数は選ばれた分け方によって変わります。",
    "number.level": "範囲は {parts} 個の区分に分けられます。",
    "number.levels":
      "範囲の分け方 {ways} 通り（区分の数は {parts}）から一つが無作為に選ばれます。",
    "number.levels.invited":
      "範囲の分け方 {ways} 通り（区分の数は {parts}）から一つが、招待コードによってすでに選ばれています。",
    "number.names.one": "報告はその区分のうちの一つを挙げます。",
    "number.names.several": "報告はその区分のうちの一つ以上を挙げます。",
    "number.names.any": "報告が挙げる区分は、一つのことも、いくつものことも、一つもないこともあります。",
    "number.odds.level":
      "{count} 区分のとき、あなたの区分は確率 {own} で、ほかの区分はそれぞれ確率 {other} で挙げられます。",
    "number.range": "{low} から {high} までの数：",
    "number.missing": "範囲内の数を入力してください。",
    "number.report": "報告の値は {report} です（ありうる値は 1 から {count} までの {count} 通り）。",
    "number.report.range": "{low} から {high} までの数",
    "number.report.parts": "範囲のうち次の {count} か所のどれかにある数：",
    "number.report.none": "どの区分も挙げられていません",
    "number.about": "{mechanism}、この質問への一つの回答に対して ε = {epsilon}",
    "number.mean": "全回答の平均の推定値：{value}（95 % 区間：{range}、標準誤差 {stderr}）",
    "number.about.bins":
      "{mechanism}、幅 {width} の階級 {bins} 個、この質問への一つの回答に対して ε = {epsilon}",
    "number.rounding":
      "平均は階級の中央の値で計算しています。そのためのずれは最大 {half} です。",
    "number.histogram":
      "推定した分布のヒストグラムと、棒ごとの 95 % 区間。下の表に同じ数字があります。",
    "number.bin": "数の範囲",
    "number.caption": "推定した分布：{question}",
    "number.points": "割合と区間の単位はパーセントです。",
    "number.bar": "棒",
    "number.estimate": "推定値",
    "number.band":
      "棒は推定値に最も近い分布、帯はそれぞれの推定値だけについての 95 % 区間です。推定値は 0 を下回ることも 100 % を超えることもあり、表にはそのまま示しています。区間はありうる範囲に限って示しています。",
    "number.quantiles": "中央値と十分位数",
    "number.quantiles.below": "それより小さい人",
    "number.quantiles.value": "数",
    "number.quantiles.median": "{share} %（中央値）",
    "number.quantiles.share": "{share} %",
    "number.between": "二つの数の間にある人の割合",
    "number.between.from": "下端",
    "number.between.to": "上端",
    "number.between.share":
      "{low} から {high} まで：推定で {share} % の人（95 % 区間：{range} %）。",
    "number.between.outside":
      "推定値は 0 を下回ることも 100 % を超えることもあり、そのまま示しています。",
    "number.warning.few-reports": "報告が 30 件未満です。区間は目安です。",
    "number.warning.few-reports.bins":
      "報告が少数です：{of} 個の階級のうち {count} 個は、見込まれる報告が 30 件未満です。割合は大まかな値です。区間を見てください。",
    "number.warning.few-reports.bins.all":
      "報告が少数です：どの階級も、見込まれる報告が 30 件未満です。割合は大まかな値です。区間を見てください。",
    "number.alarms.moved":
      "ある数より小さい人の割合は、最大 {moved} ポイントずれている可能性があります。",
  },
};
