/**
 * What is said of reports that look made up, under the results of every question.
 *
 * @type {import("../types.js").Catalogues}
 */
export const alarms = {
  en: {
    "alarms.title": "Made-up reports",
    "alarms.none":
      "Nothing stands out. With honest reports alone, something would in at most one collection in {odds}, looked at once.",
    "alarms.untested": "For this question nothing is known by which made-up reports would stand out.",
    "alarms.above":
      "Too many reports name {names}: more than honest devices would send, whatever the answers are.",
    "alarms.below":
      "Too few reports name {names}: fewer than honest devices would send, whatever the answers are.",
    "alarms.above.unnamed.one":
      "One of the possible reports has come more often than honest devices would send it, whatever the answers are.",
    "alarms.above.unnamed.other":
      "{count} of the possible reports have come more often than honest devices would send them, whatever the answers are.",
    "alarms.below.unnamed.one":
      "One of the possible reports has come less often than honest devices would send it, whatever the answers are.",
    "alarms.below.unnamed.other":
      "{count} of the possible reports have come less often than honest devices would send them, whatever the answers are.",
    "alarms.ones.many":
      "The reports say yes too often: the shares add up to more than answers can.",
    "alarms.ones.few":
      "The reports say yes too seldom: the shares add up to less than answers can.",
    "alarms.bits":
      "Too many reports, or too few, say yes to exactly so many choices: {counts}. Honest devices would hardly send them so, whatever the answers are.",
    "alarms.odds":
      "With honest reports alone, something would stand out in at most one collection in {odds}, looked at once.",
    "alarms.meaning.rows":
      "An alarm means that some reports were probably made up; it does not say which. Those that were randomised as on an honest device, from a false answer, are never seen.",
    "alarms.meaning.single":
      "A report to this question is one possible report out of a list, and a made-up one looks like an honest one: many of them cannot be told from a popular answer. Only numbers of reports that no honest answers could give stand out. What may be hidden is stated here.",
    "alarms.changes":
      "The reports after the first {since} differ from those before by more than chance: made-up ones may do that, and so may other people who answer. By chance alone it is said in at most one collection in {odds}, looked at once.",
    "alarms.share": "If so many of all reports were made up:",
    "alarms.percent": "{share} %",
    "alarms.moved":
      "Any one share that has an interval could be off by up to {moved} percentage points.",
    "alarms.moved.mean":
      "The mean could be off by up to {moved}: that of the honest reports alone could lie anywhere from {low} to {high}. Chance comes on top: see the interval above.",
    "alarms.moved.mean.any": "The mean could be anything on its scale.",
    "alarms.moved.none": "How far made-up reports could have moved these figures is not known.",
    "alarms.table": "How far they could have moved the figures",
    "alarms.band": "Share (%)",
    "alarms.cell": "Answers",
    "alarms.recovered": "Recovered (%)",
    "alarms.recovered.note":
      "“Recovered” (LDPRecover) is an assumption, not a measurement: the shares if just so many of the reports had been made up, each for one choice, evenly over all choices with a share above 0. Against fakes for a few chosen ones it hardly helps.",
    "alarms.end": "{value} (at the end of the scale)",
    "alarms.caption":
      "Where the figures of the honest reports alone could lie. Chance comes on top: see the intervals above.",
  },
  ja: {
    "alarms.title": "作られた報告",
    "alarms.none":
      "目立つものはありません。一度だけ見るとき、正直な報告だけで何かが目立つ調査は、多くても {odds} 件に 1 件です。",
    "alarms.untested": "この質問には、作られた報告を見分ける手がかりがありません。",
    "alarms.above":
      "報告が多すぎます：{names}。どのような回答であっても、正直な端末からこれほど多くはまず届きません。",
    "alarms.below":
      "報告が少なすぎます：{names}。どのような回答であっても、正直な端末からならこれより多く届くはずです。",
    "alarms.above.unnamed.other":
      "ありうる報告のうち {count} 種類が多すぎます。どのような回答であっても、正直な端末からこれほど多くはまず届きません。",
    "alarms.below.unnamed.other":
      "ありうる報告のうち {count} 種類が少なすぎます。どのような回答であっても、正直な端末からならこれより多く届くはずです。",
    "alarms.ones.many":
      "報告に「はい」が多すぎます。割合の合計が、回答からはありえないほど大きくなっています。",
    "alarms.ones.few":
      "報告に「はい」が少なすぎます。割合の合計が、回答からはありえないほど小さくなっています。",
    "alarms.bits":
      "「はい」の個数がちょうど次の数である報告が多すぎるか、少なすぎます：{counts}。どのような回答であっても、正直な端末からはまずこのようには届きません。",
    "alarms.odds":
      "一度だけ見るとき、正直な報告だけで何かが目立つ調査は、多くても {odds} 件に 1 件です。",
    "alarms.meaning.rows":
      "警告は、報告の一部がおそらく作られたものだという意味です。どの報告かは分かりません。偽の回答を正直な端末と同じように乱数で変えた報告は、けっして見分けられません。",
    "alarms.meaning.single":
      "この質問への報告は、決まった一覧の中の一つです。作られたものも正直なものと同じに見えるため、人気のある回答と区別できません。目立つのは、正直な回答からはありえない報告の数だけです。隠れているかもしれない大きさを下に示します。",
    "alarms.changes":
      "最初の {since} 件より後の報告は、それまでの報告と偶然とは言えないほど違います。作られた報告のためかもしれず、回答する人が変わったためかもしれません。一度だけ見るとき、偶然だけでこう表示される調査は、多くても {odds} 件に 1 件です。",
    "alarms.share": "全報告のうち作られたものの割合を仮定：",
    "alarms.percent": "{share} %",
    "alarms.moved": "区間のある割合は、一つひとつが最大 {moved} ポイントずれている可能性があります。",
    "alarms.moved.mean":
      "平均は最大 {moved} ずれている可能性があります。正直な報告だけの平均は、{low} から {high} までのどこにでもありえます。これに偶然の誤差が加わります（上の区間を見てください）。",
    "alarms.moved.mean.any": "平均は目盛りのどこにでもありえます。",
    "alarms.moved.none": "作られた報告がこれらの数字をどれだけ動かしえたかは分かっていません。",
    "alarms.table": "数字がどれだけ動かされえたか",
    "alarms.band": "割合（%）",
    "alarms.cell": "回答",
    "alarms.recovered": "復元値（%）",
    "alarms.recovered.note":
      "「復元値」（LDPRecover）は測定ではなく仮定です。ちょうどこの割合の報告が作られたもので、どれも一つの選択肢を指し、割合が 0 を超えるすべての選択肢に均等に散らばっているとした場合の割合です。少数の選択肢を狙った報告にはほとんど効きません。",
    "alarms.end": "{value}（目盛りの端）",
    "alarms.caption":
      "正直な報告だけから得られる数字がとりうる範囲です。これに偶然の誤差が加わります（上の区間を見てください）。",
  },
};
