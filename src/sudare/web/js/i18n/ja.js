/** @type {Record<string, string>} */
export const ja = {
  "language.name": "日本語",
  "language.switch": "言語",
  "brand.line": "回答者の端末で乱数を通した回答から作る統計。",
  skip: "本文へ移動",
  loading: "読み込んでいます…",
  "choice.prefer-not-to-say": "答えたくない",
  more: "技術的な詳細",
  back: "調査の一覧",

  "how.title": "あなたの回答の送られ方",
  "how.choose.title": "あなたが選ぶ",
  "how.choose": "回答はこのブラウザーの中だけで選ばれ、ここに記憶されます。外へは送られません。",
  "how.chance.title": "端末が偶然を混ぜる",
  "how.chance": "この端末で引いた乱数が、下に示す確率で送る内容を変えます。",
  "how.leaves.title": "結果だけが出ていく",
  "how.leaves":
    "集計側に届くのは、乱数を通したあとの報告だけです。{doubt}たくさんの報告を合わせれば全体の割合は推定できます。",
  "how.epsilon.one":
    "ε = {epsilon} は、この送信全体（1 問）に対する値です。何を答えても、どの報告の出やすさも、ほかの回答をした場合の {factor} 倍を超えません。",
  "how.epsilon.other":
    "ε = {epsilon} は、この送信全体（{count} 問の合計）に対する値です。何を答えても、どの報告の出やすさも、ほかの回答をした場合の {factor} 倍を超えません。",

  "publish.steps":
    "結果は、最初は {at} 件、その後は少なくとも {least} 件の報告がそろうごとに公開されます。一件ずつ公開されることはありません。",
  "publish.end": "結果は、調査の終了後に一度だけ公開されます。",
  "publish.each":
    "これはデモです。公開される結果は報告が一件届くごとに変わるため、見続けている人には、あなたの報告が送られたままの形で分かります。",

  "how.without": "場所はこれに含まれません。場所の ε は距離に対して数えます。",

  "question.number": "質問 {number} / {count}",
  "question.filter": "選択肢をさがす",
  "question.shown": "{count} 件中 {shown} 件を表示",

  "tells.title": "あなたの回答はこうなります",
  "tells.kept":
    "あなたと同じ回答をした {of} 人のうち約 {part} 人がその回答をそのまま送り、ほかの人は別の回答を送ります。",
  "tells.even":
    "二つの回答のどちらかで五分五分と思っていた人が、この質問の報告だけを見て一方に持てる確信は最大 {even} % です。",
  "tells.listed":
    "{count} 通りの回答がどれも同じくらい（{count} 分の 1）と思っていた人が、この質問の報告だけから一つの回答に持てる確信は最大 {listed} % です。",
  "tells.together":
    "関係のある回答は互いの手がかりになります。{count} 問の報告を合わせて見ると、五分五分が最大 {even} % になりえます。",
  "told.listed":
    "{count} 通りの回答がどれも同じくらいありうると思っていた人が、この質問の報告だけから一つの回答に持てる確信は最大 {listed} % です。",
  "doubt.even.other":
    "答え方二通りのどちらか（全 {count} 問）で五分五分と思っていた人が、報告を見て一方に持てる確信は最大 {even} % です。",

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

  "already.site.other": "このサイトでこの端末から答えた {count} 件の調査の合計：ε = {spent}",

  "earlier.title": "この端末は、この調査の前の版に回答済みです",
  "earlier.body":
    "そのあとで調査の内容が変わりました。もう一度答えると報告がもう一つ送られ、二つを合わせると、一つだけのときよりもあなたのことが分かってしまいます。",
  "earlier.bill":
    "これまでに使った ε は {spent} です。もう一度答えると最大で ε = {cost} が加わり、合わせて ε = {together} になります。一つの調査に対するこの端末の上限は ε = {limit} です。",
  "earlier.alike":
    "前と同じ質問に同じ答えを選ぶと、同じ報告が送られ、ε は増えません。",
  "earlier.some": "前と異なる答えは上限を超えるため、送られません。",
  "earlier.none": "上限を超えるため、この端末からはこれ以上何も送られません。",
  "earlier.refused": "その回答はこの端末の上限を超えるため、何も送られませんでした。",
  "earlier.leave":
    "答えたくない場合は、このままページを閉じてください。この版については何も送られていません。",
  "earlier.agree": "この版にも答える",

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

  "results.eyebrow": "調査の集計",
  "results.title": "集計結果",
  "results.n.other": "報告 {count} 件",
  "results.invites": "招待 {issued} 件のうち {spent} 件が使用済み",
  "results.epsilon": "ε = {epsilon}（一回の送信全体）",
  "results.covers":
    "ε の対象：ひとりが一回の送信で送るすべて。質問ごとの内訳はそれぞれの欄に示します。",
  "results.steps": "{next} 件以上の報告がそろうごとに更新",
  "results.each": "デモ：報告は一件ずつ、届くとすぐにここに反映されます",
  "results.once": "{date} 以降に一度だけ公開",
  "results.tally.other":
    "この集計だけを見る人に対しては ε = {epsilon}、δ = 0.000001 です（{count} 件以上の報告がまとめて公開されるため）。集計サーバーが一件ごとの報告を漏らさず、この件数の報告が正直なものであることを前提とします。",
  "results.paused": "一時停止中：集計サーバーに接続できません",
  "results.closed": "{date} に終了",
  "results.closed.steps": "{date} に終了（最後の {rest} 件までは含まれていないことがあります）",
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
  "results.rough": "{share}（報告が少数）",
  "results.unknown": "不明",
  "results.range": "{low} ～ {high}",
  "results.comma": "、",
  "results.empty.title": "まだ報告がありません",
  "results.empty": "最初の報告が届くと、ここに推定値が表示されます。",
  "results.waiting.title": "{at} 人以上が回答すると結果が表示されます",
  "results.waiting":
    "それまでは、回答した人数も含めて何も表示しません。一件ごとに変わる数字は、見続けている人にその報告を見せてしまうからです。",
  "results.end.title": "結果は調査の終了後に表示されます",
  "results.end":
    "{date} までは、回答した人数も含めて何も表示しません。終了後、報告が {at} 件以上あれば、すべてまとめて公開します。",
  "results.few.title": "回答が少ないため結果を公開しません",
  "results.few":
    "一人の報告だけが目立つことのないよう、結果は {at} 件以上の報告がある場合に公開します。この調査はそれより少ないまま終了しました。",
  "results.answer": "調査に答える",
  "results.download": "ダウンロード",
  "results.download.results": "集計結果（JSON）",
  "results.download.counts": "度数（JSON）",

  "index.title": "端末の中で乱数を通してから答える調査",
  "index.intro":
    "回答は、答える人の端末の中で乱数を通してから送られます。集計側に残るのは乱数を通した報告だけです。たくさん集まると、全体の割合が誤差の幅とともに見えてきます。",
  "index.list": "調査の一覧",
  "index.answer": "答える",
  "index.results": "集計を見る",
  "index.empty": "調査はまだありません。",
  "index.fingerprint": "指紋",
};
