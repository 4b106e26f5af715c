/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "place.how":
      "What counts for a place is the cell that it lies in, and how far apart the middles of two cells are: ε = {epsilon} for each metre, {kilometre} over a kilometre.",
    "place.how.twice":
      "Whatever report goes out, it is at most twice as likely from your cell as from any other whose middle is within {metres} of its own.",
    "place.how.near":
      "Even of two cells that touch, a report may be more than twice as likely from the one as from the other.",
    "place.hint":
      "Choose the cell of the map that is meant. What is sent is a cell drawn at random, the likelier the nearer; it may be the same one.",
    "place.tells.kept":
      "On average over the map the cell that is sent lies {metres} from the true one; about {kept} % of people send their own cell.",
    "place.tells.border":
      "Two places side by side may lie in different cells: if they seemed 50:50 before, the report to this question alone can make someone up to {even} % sure of one.",
    "place.tells.pair":
      "Of two cells with their middles up to {metres} apart that seemed 50:50 before, the report to this question alone can make nobody more than {even} % sure of one.",
    "place.tells.any":
      "Of any two cells of this map that seemed 50:50 before (their middles are {metres} apart at most), the report to this question alone can make nobody more than {even} % sure of one.",
    "place.tells.far": "Cells farther apart may be told from each other almost for certain.",
    "place.tells.cell":
      "From it alone, someone to whom all cells were equally likely can become at most {cell} % sure of one of them.",
    "place.tells.within":
      "Where the report tells most, that person can be 90 % sure that you are within {metres} of the cell that was sent.",
    "place.tells.there":
      "Where the report tells most, that person can be 90 % sure that you are in the very cell that was sent.",
    "place.told":
      "From the report to this question alone, someone to whom all cells were equally likely can become at most {cell} % sure of one of them.",
    "place.caution":
      "Please note: this ε is high for this map. Even cells that touch can be told apart: the report can make someone who thought it 50:50 up to {even} % sure.",
    "place.position": "Use my position",
    "place.map": "Map of cells: {question}",
    "place.caption": "North is up. The map is {width} km wide and {height} km high.",
    "place.cell": "row {row}, column {column}",
    "place.sea": "water",
    "place.none":
      "No cell chosen yet. Click one, or move on the map with the arrow keys and press Enter.",
    "place.chosen": "Chosen: {cell}.",
    "place.distance":
      "From here the cell that is sent lies on average {metres} away; with probability {kept} % it is this one.",
    "place.is-sea": "This is water. Please choose a cell of the land.",
    "place.looking": "Finding your position…",
    "place.found":
      "Your position lies in the cell that is marked now. The position itself was not kept.",
    "place.found.rough":
      "Your position, known to about {metres}, lies in the cell that is marked now. The position itself was not kept.",
    "place.denied":
      "This page may not see your position. That is fine: please choose a cell of the map.",
    "place.unavailable":
      "This device does not know its position. Please choose a cell of the map.",
    "place.timeout": "Your position took too long. Please choose a cell of the map.",
    "place.outside": "Your position lies outside the map. Please choose the cell that fits best.",
    "place.at-sea": "Your position lies on water here. Please choose a cell of the land.",
    "place.missing": "Please choose a cell of the map.",
    "place.rate": "{epsilon} per metre",
    "place.about.other":
      "{mechanism}, {count} cells. ε = {epsilon} per metre for one report: {kilometre} over a kilometre.",
    "place.shown": "The map shows",
    "place.shown.map": "Estimated shares",
    "place.shown.stderr": "Standard errors",
    "place.help": "Point at a cell, or move with the arrow keys, to see its figures.",
    "place.detail": "{cell}: {map} % on the map.",
    "place.detail.share":
      "Unbiased: {share} %. 95 % interval: {low} to {high} %; standard error {stderr} %.",
    "place.detail.few": "Few reports: rough.",
    "place.method.em.other":
      "The map shows the shares that make the reports likely (EM, {count} maps: as many as predict reports left out). The fewer the maps, the flatter: a peak is shown lower than it is. Intervals and standard errors belong to the unbiased shares, which the table lists beside it.",
    "place.method.smoothed.other":
      "The map shows the likeliest shares where neighbouring cells are alike (smoothed EM, {count} maps): trust its outlines more than single cells. Intervals and standard errors belong to the unbiased shares, which assume no such thing and which the table lists beside it.",
    "place.warning.few-reports":
      "Few reports: for {count} of {of} cells (dotted) fewer than 30 reports are expected. Their figures are rough.",
    "place.warning.few-reports.all":
      "Few reports: for every cell fewer than 30 reports are expected. All figures are rough.",
    "place.warning.no-inverse":
      "Reports about this map do not tell neighbouring cells apart well enough: there are no unbiased shares, and no standard errors.",
    "place.cell-head": "Cell",
    "place.map-head": "On the map",
    "place.share-head": "Unbiased share",
    "place.top": "The cells with the largest shares",
    "place.all.other": "All {count} cells",
    "place.result.map": "Map of the estimated shares: {question}",
    "place.odds.typical":
      "On average over the map it lies {metres} away, and is your own cell with probability {kept} %.",
    "place.odds.epsilon":
      "This question spends ε = {epsilon} for each metre between the middles of two cells, apart from any other question's. Between those of the two farthest cells of the map, {metres} apart, that makes ε = {most}: the most that one report can tell.",
    "place.odds.again":
      "The same cell again sends the same report, which tells nothing new. Fresh reports about a place add up: each one narrows down where you are.",
    "place.spent": "ε = {epsilon} per metre for a place",
  },
  ja: {
    "place.how":
      "場所で大切なのは、その場所を含むマスと、二つのマスの中心のあいだの距離です。ε は 1 メートルあたり {epsilon}（1 キロメートルでは {kilometre}）です。",
    "place.how.twice":
      "どの報告の出やすさも、あなたのマスと、中心どうしの距離が {metres} 以内のほかのマスとで、2 倍を超えて違うことはありません。",
    "place.how.near":
      "接している二つのマスでも、報告の出やすさは 2 倍を超えて違うことがあります。",
    "place.hint":
      "地図からあてはまるマスを選んでください。送られるのは乱数で選ばれたマスです。近いマスほど選ばれやすく、同じマスのこともあります。",
    "place.tells.kept":
      "地図全体の平均では、送られるマスは本当のマスから {metres} 離れています。自分のマスがそのまま送られる人は約 {kept} % です。",
    "place.tells.border":
      "すぐ隣どうしの場所でも、別々のマスに入ることがあります。そのどちらかで五分五分と思っていた人は、この質問の報告だけを見て一方に最大 {even} % の確信を持てます。",
    "place.tells.pair":
      "中心どうしの距離が {metres} 以内の二つのマスのどちらかで五分五分と思っていた人が、この質問の報告だけを見て一方に持てる確信は最大 {even} % です。",
    "place.tells.any":
      "地図の中のどの二つのマス（中心どうしの距離は最大 {metres}）でも、五分五分と思っていた人がこの質問の報告だけを見て一方に持てる確信は最大 {even} % です。",
    "place.tells.far": "それより離れたマスどうしは、ほぼ確実に見分けられることがあります。",
    "place.tells.cell":
      "どのマスも同じくらいありうると思っていた人が、この質問の報告だけから一つのマスに持てる確信は最大 {cell} % です。",
    "place.tells.within":
      "もっとも多くを語る報告では、送られたマスから {metres} 以内にいると 90 % の確信を持てます。",
    "place.tells.there":
      "もっとも多くを語る報告では、送られたマスそのものにいると 90 % の確信を持てます。",
    "place.told":
      "どのマスも同じくらいありうると思っていた人が、この質問の報告だけから一つのマスに持てる確信は最大 {cell} % です。",
    "place.caution":
      "ご注意ください。この ε はこの地図では大きな値です。接しているマスどうしも見分けられます。五分五分と思っていた人が、報告を見て最大 {even} % まで確信を持てます。",
    "place.position": "現在地を使う",
    "place.map": "マスの地図：{question}",
    "place.caption": "上が北です。地図の幅は {width} km、高さは {height} km です。",
    "place.cell": "{row} 行 {column} 列",
    "place.sea": "水面",
    "place.none":
      "まだ選ばれていません。マスをクリックするか、地図の上で矢印キーを使って Enter を押してください。",
    "place.chosen": "選択中：{cell}。",
    "place.distance":
      "ここからは、送られるマスまでの距離は平均 {metres} で、このマス自身が送られる確率は {kept} % です。",
    "place.is-sea": "ここは水面です。陸のマスを選んでください。",
    "place.looking": "現在地を調べています…",
    "place.found": "現在地は、いま印が付いたマスの中です。位置そのものは保存していません。",
    "place.found.rough":
      "現在地（誤差およそ {metres}）は、いま印が付いたマスの中です。位置そのものは保存していません。",
    "place.denied":
      "このページには現在地の利用が許可されていません。問題はありません。地図からマスを選んでください。",
    "place.unavailable": "この端末では現在地が分かりません。地図からマスを選んでください。",
    "place.timeout": "現在地の取得に時間がかかりすぎました。地図からマスを選んでください。",
    "place.outside": "現在地は地図の外です。いちばん近いマスを選んでください。",
    "place.at-sea": "現在地はこの地図では水面です。陸のマスを選んでください。",
    "place.missing": "地図からマスを選んでください。",
    "place.rate": "1 メートルあたり {epsilon}",
    "place.about.other":
      "{mechanism}、マス {count} 個。一つの報告に対して 1 メートルあたり ε = {epsilon}（1 キロメートルでは {kilometre}）。",
    "place.shown": "地図に表示するもの",
    "place.shown.map": "推定した割合",
    "place.shown.stderr": "標準誤差",
    "place.help": "マスを指すか矢印キーで動かすと、数字が表示されます。",
    "place.detail": "{cell}：地図上の割合 {map} %。",
    "place.detail.share":
      "不偏推定値 {share} %（95 % 区間：{low} ～ {high} %、標準誤差 {stderr} %）。",
    "place.detail.few": "報告が少数のため大まかな値です。",
    "place.method.em.other":
      "地図は、報告が起こりやすくなる割合です（EM 法 {count} 回。取り分けておいた報告をよく予測する回数）。回数が少ないほど平らになり、山は実際より低く出ます。区間と標準誤差は不偏推定値のもので、表に並べて示します。",
    "place.method.smoothed.other":
      "地図は、隣り合うマスの割合が似ていると仮定して求めた確からしい割合です（平滑化 EM 法 {count} 回）。一つ一つのマスより、大まかな形が頼りになります。区間と標準誤差は、この仮定をしない不偏推定値のもので、表に並べて示します。",
    "place.warning.few-reports":
      "報告が少数です：{of} マスのうち {count} マス（点線）は、見込まれる報告が 30 件未満です。数字は大まかな値です。",
    "place.warning.few-reports.all":
      "報告が少数です：どのマスも、見込まれる報告が 30 件未満です。数字はすべて大まかな値です。",
    "place.warning.no-inverse":
      "この地図の報告では隣り合うマスを十分に区別できないため、不偏推定値と標準誤差はありません。",
    "place.cell-head": "マス",
    "place.map-head": "地図上の割合",
    "place.share-head": "不偏推定値",
    "place.top": "割合の大きいマス",
    "place.all.other": "全 {count} マス",
    "place.result.map": "推定した割合の地図：{question}",
    "place.odds.typical":
      "地図全体の平均では、送られるマスまでの距離は {metres}、あなたのマス自身が送られる確率は {kept} % です。",
    "place.odds.epsilon":
      "この質問が使う ε は二つのマスの中心のあいだの 1 メートルあたり {epsilon} で、ほかの質問の ε とは別に数えます。地図でいちばん離れた二つのマスの中心（{metres}）のあいだでは ε = {most} となり、これが一つの報告から分かることの上限です。",
    "place.odds.again":
      "同じマスをもう一度答えると同じ報告が送られ、新しく分かることはありません。別の報告を重ねて送ると、そのたびに居場所がしぼられます。",
    "place.spent": "場所：1 メートルあたり ε = {epsilon}",
  },
};
