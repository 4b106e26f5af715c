/** @type {Record<string, string>} */
export const ja = {
  "language.name": "日本語",
  "language.switch": "言語",
  "brand.line": "見えるのは人びとの輪郭、ひとりの顔は見えません。",
  skip: "本文へ移動",
  loading: "読み込んでいます…",
  "choice.prefer-not-to-say": "答えたくない",
  more: "技術的な詳細",
  back: "調査の一覧",

  "how.title": "あなたの回答が守られるしくみ",
  "how.choose.title": "あなたが選ぶ",
  "how.choose": "回答はこのブラウザーの中だけで選ばれ、ここに記憶されます。外へは送られません。",
  "how.chance.title": "端末が偶然を混ぜる",
  "how.chance": "本当の回答を送るか、別の回答を送るかを、この端末で引いた乱数が決めます。",
  "how.leaves.title": "結果だけが出ていく",
  "how.leaves":
    "集計側に届くのは、乱数を通したあとの報告だけです。そこからあなたの回答を確かめることは、私たちにもできません。それでも、たくさんの報告を合わせれば全体の割合は推定できます。",
  "how.epsilon.one":
    "ε = {epsilon} は、この送信全体（1 問）に対する値です。何を答えても、どの報告の出やすさも、ほかの回答をした場合の {factor} 倍を超えません。",
  "how.epsilon.other":
    "ε = {epsilon} は、この送信全体（{count} 問の合計）に対する値です。何を答えても、どの報告の出やすさも、ほかの回答をした場合の {factor} 倍を超えません。",

  "how.without": "場所はこれに含まれません。場所の ε は距離に対して数えます。",
  "how.place":
    "場所は距離によって守られます。ε は 1 メートルあたり {epsilon}（1 キロメートルでは {kilometre}）です。どの報告の出やすさも、あなたの場所と、そこから {metres} 以内のほかの場所とで、2 倍を超えて違うことはありません。遠く離れた場所どうしは区別できます。",

  "question.number": "質問 {number} / {count}",
  "question.filter": "選択肢をさがす",
  "question.shown": "{count} 件中 {shown} 件を表示",
  "question.chosen": "選択中：{label}",
  "question.missing": "ここで一つ選んでください。",

  "choices.all": "あてはまるものをすべて選んでください。",
  "choices.hint.other": "{count} 個まで選べます。",
  "choices.none": "どれもあてはまらない",
  "choices.limit.other": "選べるのは {count} 個までです。先にほかの選択を外してください。",
  "choices.alone": "「{label}」はほかと一緒に選べないため、ほかの選択を外しました。",
  "choices.cleared": "「{label}」の選択を外しました。",
  "choices.missing": "あてはまるもの、または「どれもあてはまらない」を選んでください。",

  "crosstab.missing": "この質問のすべての項目で一つずつ選んでください。",
  "crosstab.about":
    "{mechanism}、{cells} マス。質問全体への一つの回答に対して ε = {epsilon}。項目ごとの値：{each}。項目だけの ε は、すべての項目を合わせたときの保護を表しません。",
  "crosstab.each": "「{attribute}」ε = {epsilon}",
  "crosstab.alone": "この項目だけの集計：{mechanism}、選択肢 {count} 個、ε = {epsilon}",
  "crosstab.pair": "表示する組",
  "crosstab.map": "推定した割合のヒートマップ：{pair}",
  "crosstab.axes": "縦：「{down}」 横：「{across}」",
  "crosstab.help":
    "全体に対する割合（パーセント）です。マスを指すか矢印キーで動かすと、区間が表示されます。",
  "crosstab.detail":
    "{cell}：{share} %（95 % 区間：{low} ～ {high} %、標準誤差 {stderr} %）",
  "crosstab.detail.rough":
    "{cell}：{share} %（95 % 区間：{low} ～ {high} %、標準誤差 {stderr} %）。報告が少数のため大まかな値です。",
  "crosstab.rough": "{share}（報告が少数）",
  "crosstab.few":
    "報告が少数です：{of} マスのうち {count} マス（斜体・点線）は報告が 30 件未満で、割合も区間も大まかな値です。",
  "crosstab.v":
    "二つの項目の結びつき（クラメールの V）：{value}（95 % 区間：{range}）。0 は無関係、1 は一方から他方が決まることを表します。",
  "crosstab.v.none":
    "二つの項目の結びつきはまだ分かりません。選択肢を区別できるだけの報告がありません。",
  "crosstab.one": "{label}（「{attribute}」）",
  "crosstab.rare": "少なすぎるため、この計算から除いた選択肢：{choices}。",

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
  "ratings.none": "不明",
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

  "alarms.title": "作られた報告",
  "alarms.none": "目立つ項目はありません。",
  "alarms.many":
    "報告が不自然に多い項目：{items}。一項目あたりの見込みは約 {expected} 件で、偶然だけで {least} 件以上になる項目は {odds} 個に 1 個もありません。",
  "alarms.infeasible":
    "正直な端末からはまず届かない報告がある項目：{items}。偶然だけでこうなるのは、多くても約 {odds} 個に 1 個です。",
  "alarms.meaning":
    "警告は、その項目の報告の一部がおそらく作られたものだという意味です。どの報告かは分からず、警告がなくても作られた報告が混じっていることはあります。",
  "alarms.share": "全報告のうち作られたものの割合を仮定：",
  "alarms.percent": "{share} %",
  "alarms.open":
    "この調査では端末が項目を抽選するため、作られた報告がすべて一つの項目に集まることもあり、その項目の割合は最大 {moved} ポイント動かされえます。招待制にして収集側が抽選すれば、多くても {drawn} ポイントです。",
  "alarms.drawn":
    "この調査では収集側が報告ごとの項目を抽選したため、作られた報告は全項目に散らばります。どの項目の割合も、動かされうるのは多くても {drawn} ポイントです。",
  "alarms.table": "数字がどれだけ動かされえたか",
  "alarms.end": "{value}（目盛りの端）",
  "alarms.caption":
    "正直な報告だけから得られる数字がとりうる範囲です。これに偶然の誤差が加わります（上の区間を見てください）。",

  "number.range": "{low} から {high} までの数：",
  "number.missing": "範囲内の数を入力してください。",
  "number.report": "{count} 通りの報告のうち {report} 番",
  "number.about": "{mechanism}、この質問への一つの回答に対して ε = {epsilon}",
  "number.mean": "全回答の平均：{value}（95 % 区間：{range}、標準誤差 {stderr}）",
  "number.warning.few-reports": "報告が 30 件未満です。区間は目安です。",

  "place.hint":
    "地図からあてはまるマスを選んでください。選んだマスは端末から出ません。その近くから抽選されたマスが送られます。",
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
  "place.unknown": "不明",
  "place.cell-head": "マス",
  "place.map-head": "地図上の割合",
  "place.share-head": "不偏推定値",
  "place.top": "割合の大きいマス",
  "place.all.other": "全 {count} マス",
  "place.result.map": "推定した割合の地図：{question}",

  "odds.title": "実際に送られるもの",
  "odds.keep":
    "確率 {keep} で本当の回答が送られます。それ以外のときは {count} 個の回答から無作為に一つ選ばれて送られます（あなたの回答が選ばれることもあります）。",
  "odds.bits":
    "{count} 個の回答それぞれについて「はい」か「いいえ」が送られます。あなたの回答は確率 {own} で、ほかの回答はそれぞれ確率 {other} で「はい」になります。",
  "odds.subset":
    "{count} 個の回答それぞれについて「はい」か「いいえ」が送られます。選んだ回答は確率 {own} で、ほかの回答はそれぞれ確率 {other} で「はい」になります。",
  "odds.table":
    "{count} 通りの報告のうち一つが送られます。あなたの回答によって各報告の出やすさは変わりますが、その違いは {factor} 倍以内です。",
  "odds.pick":
    "{count} 個の項目のうち一つが無作為に選ばれます。その項目だけがランダム化され、番号とともに送られます。",
  "odds.offset":
    "地図の {count} 個のマスから 1 つが乱数で選ばれ、送られます。あなたのいるマスに近いほど選ばれやすくなります。",
  "odds.place.typical":
    "地図全体の平均では、送られるマスまでの距離は {metres}、あなたのマス自身が送られる確率は {kept} % です。",
  "odds.place.epsilon":
    "この質問が使う ε は二つの場所のあいだの 1 メートルあたり {epsilon} で、ほかの質問の ε とは別に数えます。地図でいちばん離れた二つのマス（{metres}）のあいだでは ε = {most} となり、これが一つの報告から分かることの上限です。おおよその地域は分かります。",
  "odds.place.again":
    "同じマスをもう一度答えると同じ報告が送られ、新しく分かることはありません。別の報告を重ねて送ると、そのたびに居場所がしぼられます。",
  "odds.round":
    "その前に、評価は無作為に最高か最低に丸められます。評価が高いほど、最高になりやすくなります。",
  "odds.round.number":
    "その前に、数は両隣の格子点のどちらかに無作為に丸められます。近いほうになりやすくなります。",
  "odds.invited":
    "{count} 個の項目のうち一つが、招待コードによってすでに選ばれています。お聞きするのはその項目だけで、ランダム化され、番号とともに送られます。",
  "odds.size.other":
    "報告の大きさは {count} バイトです。二重に数えないための乱数の番号が付きます。名前・アドレス・時刻は一緒に保存されません。",
  "odds.invite":
    "招待コードは報告と一緒に送られます。集計サーバーは使用済みであることだけを、報告とは別に、時刻なしで記録します。",
  "odds.epsilon": "この質問が使う ε は {epsilon} です。",
  "odds.attribute": "「{attribute}」{odds}この項目が使う ε は {epsilon} です。",
  "odds.attributes.other":
    "{count} 個の項目は別々に乱数を通します。この質問全体が使う ε は {epsilon} です。",
  "odds.checked":
    "この端末で確認済み：確率は表示の ε のとおりで、調査の内容は次の指紋（フィンガープリント）と一致します。",

  submit: "乱数を通して送信する",
  "submit.busy": "処理しています…",
  "submit.note": "ボタンを押すまで、この端末からは何も送られません。",
  "submit.note.invited":
    "これまでに送られたのは招待コードだけです。ボタンを押すまで、ほかには何も送られません。",
  "submit.missing": "すべての質問に答えてください。",
  "submit.open.other": "回答が済んでいない質問：{questions}。",
  "submit.missing.prefer":
    "すべての質問に答えてください。「{label}」も一つの回答で、ほかと同じように乱数を通して送られます。",

  "sent.title": "ありがとうございました。報告が届きました。",
  "sent.this": "この端末から送られた内容",
  "sent.maybe": "これがあなたの本当の回答かどうかは、あなたにしか分かりません。",
  "sent.none": "どれもなし",
  "sent.bits": "{total} 個のうち {count} 個に「はい」：",
  "sent.number": "報告の番号",
  "sent.results": "集計をリアルタイムで見る",
  "already.title": "この端末からは回答済みです",
  "already.body":
    "送った報告は下のとおりです。同じ回答をもう一度送っても、同じ報告が送られ、一回だけ数えられます。",
  "already.spent": "この端末で使った ε：{spent}（上限 {cap}）",
  "already.again": "もう一度答える",
  "pending.title": "まだ届いていません",
  "pending.body":
    "集計サーバーに接続できませんでした。乱数を通した報告はこの端末に保存されていて、同じ番号のまま再び送られます。",
  "pending.retry": "いま送る",
  "pending.this": "この端末から送られる内容",
  "refused.title": "報告は受け付けられませんでした",
  "refused.this": "受け付けられなかった報告",
  "refused.403": "この調査は現在受け付けていません。報告は数えられていません。",
  "refused.404": "この調査は集計サーバーに登録されていません。報告は数えられていません。",
  "refused.409": "ページを開いたあとで調査の内容が変わりました。ページを読み込み直してください。",
  "refused.invite.404": "この招待コードは登録されていません。報告は数えられていません。",
  "refused.invite.409":
    "この招待コードは、すでに別の報告に使われています。今回の報告は数えられていません。",
  "refused.other":
    "報告は数えられていません。やり直しても解決しないため、調査の担当者にお知らせください。",
  "cap.title": "異なる回答は送信しませんでした",
  "cap.body":
    "この端末は、この調査の上限 ε = {cap} をすでに使っています。別の回答をさらに送ると、約束した以上にあなたのことが分かってしまいます。何も送られておらず、前の報告がそのまま有効です。",

  "shared.title": "この端末からはこれ以上送られません",
  "shared.body":
    "この端末は別の招待コードで回答済みで、この調査の上限 ε = {cap} を使い切っています。あなたのコードはここから送られていません。別の端末で招待状を開いてください。",

  "invite.title": "招待された方への調査です",
  "invite.body": "一つのコードで送れる報告は一回だけです。",
  "invite.draws": "お聞きする項目もコードによって決まり、どの端末でも同じです。",
  "invite.code": "招待コード",
  "invite.hint": "英数字 28 文字です。ハイフンや大文字・小文字の違いは問いません。",
  "invite.submit": "調査を開く",
  "invite.mistyped": "コードが正しくありません。入力の誤りがないかご確認ください。",
  "invite.unknown": "このコードはこの調査のものではありません。招待状をもう一度ご確認ください。",
  "invite.spent":
    "このコードは使用済みで、報告が届いています。一つのコードで送れる報告は一回だけです。",
  "invite.unreachable": "集計サーバーに接続できません。しばらくしてからもう一度お試しください。",
  "invite.other": "コードを受け付けられませんでした。ページを読み込み直してください。",

  "early.title": "まだ始まっていません",
  "early.body": "この調査は {date} に始まります。",
  "closed.title": "この調査は終了しました",
  "closed.body": "{date} に締め切りました。ご協力ありがとうございました。",
  closes: "締め切り：{date}",

  "error.title": "ページを開けませんでした",
  "error.missing": "このアドレスの調査はありません。",
  "error.unreachable": "集計サーバーに接続できません。しばらくしてからもう一度お試しください。",
  "error.device":
    "回答を守るために必要な機能がこのブラウザーで使えないため、ここからは送信できません。",
  "error.unsafe": "調査の内容が、表示された約束と一致しません。このページからは回答を送りません。",
  "error.other": "このページで問題が起きました。何も送られていません。",
  "error.retry": "もう一度試す",

  "results.eyebrow": "リアルタイム集計",
  "results.title": "集計結果",
  "results.n.other": "報告 {count} 件",
  "results.invites": "招待 {issued} 件のうち {spent} 件が使用済み",
  "results.epsilon": "ε = {epsilon}（一回の送信全体）",
  "results.epsilon.place": "場所：1 メートルあたり ε = {epsilon}",
  "results.covers":
    "ε の対象：ひとりが一回の送信で送るすべて。質問ごとの内訳はそれぞれの欄に示します。",
  "results.live": "2 秒ごとに更新",
  "results.paused": "一時停止中：集計サーバーに接続できません",
  "results.closed": "{date} に終了",
  "results.target": "何についての数字か",
  "results.target.population": "母集団",
  "results.target.respondents": "回答者",
  "results.target.population.help":
    "回答者が代表する人びと全体での割合です。区間は、乱数による誤差と、だれが回答したかの偶然の両方を含みます。回答者が無作為な標本であることを仮定しています。",
  "results.target.respondents.help":
    "実際に回答した人だけの割合です。区間は乱数による誤差だけを含みます。",
  "results.order": "並べ方",
  "results.order.defined": "質問の順",
  "results.order.share": "割合の順",
  "results.note":
    "棒は不偏推定値、ひげは 95 % 区間です。区間は行ごと（点ごと）のもので、すべての行に同時に成り立つものではありません。本当の割合が小さいと推定値が 0 を下回ることがあり、そのまま表示しています。",
  "results.question":
    "{mechanism}、選択肢 {count} 個、この質問への一つの回答に対して ε = {epsilon}",
  "results.several.other":
    "それぞれの選択肢があてはまる人の割合です。{count} 個まで選べるため、合計は 100 % になるとは限りません。",
  "results.mean":
    "回答した人の平均点：{value}（95 % 区間：{range}、標準誤差 {stderr}）",
  "results.mean.none": "平均点を出せません。回答した人がほとんどいないと推定されています。",
  "results.chart": "推定した割合の棒グラフ。下の表に同じ数字があります。",
  "results.table": "同じ数字を表で見る",
  "results.caption": "推定した割合：{question}",
  "results.choice": "選択肢",
  "results.share": "割合",
  "results.interval": "95 % 区間",
  "results.stderr": "標準誤差",
  "results.points": "割合・区間・誤差の単位はパーセントです。",
  "results.range": "{low} ～ {high}",
  "results.comma": "、",
  "results.warning.few-reports":
    "報告が少数です：{of} 個の選択肢のうち {count} 個（{choices}）は、見込まれる報告が 30 件未満です。割合は大まかな値で、区間には少数の報告のための広めの区間（0 ～ 100 % の範囲内）を示しています。",
  "results.warning.few-reports.all":
    "報告が少数です：どの選択肢も、見込まれる報告が 30 件未満です。割合は大まかな値で、区間には少数の報告のための広めの区間（0 ～ 100 % の範囲内）を示しています。",
  "results.empty.title": "まだ報告がありません",
  "results.empty": "最初の報告が届くと、ここに推定値が表示されます。",
  "results.answer": "調査に答える",
  "results.download": "ダウンロード",
  "results.download.results": "集計結果（JSON）",
  "results.download.counts": "度数（JSON）",

  "index.title": "人びとの輪郭だけが見える調査",
  "index.intro":
    "回答は、答える人の端末の中で乱数を通してから送られます。集計側に残るのは乱数を通した報告だけです。たくさん集まると、全体の割合が誤差の幅とともに見えてきます。",
  "index.list": "調査の一覧",
  "index.answer": "答える",
  "index.results": "集計を見る",
  "index.empty": "調査はまだありません。",
  "index.fingerprint": "指紋",
};
