/** @type {import("../../types.js").Catalogues} */
export const words = {
  en: {
    "choices.tells.bits":
      "For each choice a yes or a no is sent. Of {of} people who tick a choice, about {part} send a yes there; of {among} people who do not tick it, about {others} do.",
    "choices.tells.alone":
      "Whatever is ticked, at most about {part} of {of} people send exactly what they ticked.",
    "choices.tells.bit":
      "The yes or no at one choice, seen alone, can make someone who thought it 50:50 at most {bit} % sure.",
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
    "choices.tells.bits":
      "選択肢ごとに「はい」か「いいえ」が送られます。ある選択肢を選んだ {of} 人のうち約 {part} 人、選ばなかった {among} 人のうち約 {others} 人が「はい」を送ります。",
    "choices.tells.alone":
      "何を選んだとしても、選んだとおりの内容がそのまま送られるのは {of} 人のうち多くても約 {part} 人です。",
    "choices.tells.bit":
      "一つの選択肢の「はい」「いいえ」だけを見て、五分五分と思っていた人が持てる確信は最大 {bit} % です。",
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
