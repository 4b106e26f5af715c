/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "choices.all": "Tick all that apply.",
    "choices.hint.one": "Tick {count} at most.",
    "choices.hint.other": "Tick up to {count}.",
    "choices.none": "None of these",
    "choices.limit.one": "Only {count} can be ticked. Untick the other one first.",
    "choices.limit.other": "At most {count} can be ticked. Untick another one first.",
    "choices.alone": "“{label}” stands alone: the other ticks were removed.",
    "choices.cleared": "“{label}” was unticked.",
    "choices.missing": "Please tick what applies, or “None of these”.",
    "choices.several.one":
      "Shares of those to whom each choice applies; {count} could be ticked.",
    "choices.several.other":
      "Shares of those to whom each choice applies. Up to {count} could be ticked: the shares need not add up to 100 %.",
  },
  ja: {
    "choices.all": "あてはまるものをすべて選んでください。",
    "choices.hint.other": "{count} 個まで選べます。",
    "choices.none": "どれもあてはまらない",
    "choices.limit.other": "選べるのは {count} 個までです。先にほかの選択を外してください。",
    "choices.alone": "「{label}」はほかと一緒に選べないため、ほかの選択を外しました。",
    "choices.cleared": "「{label}」の選択を外しました。",
    "choices.missing": "あてはまるもの、または「どれもあてはまらない」を選んでください。",
    "choices.several.other":
      "それぞれの選択肢があてはまる人の割合です。{count} 個まで選べるため、合計は 100 % になるとは限りません。",
  },
};
