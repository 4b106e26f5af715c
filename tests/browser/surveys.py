"""The collections that the browser tests answer."""

from __future__ import annotations

from functools import cache

from sudare.collection import Collection

TEA = """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
expected_respondents = 5000
languages = ["en", "ja"]
title = { en = "The tea survey", ja = "お茶の調査" }
intro = { en = "Six short words about tea, and nobody will know yours.", ja = "お茶についての短い質問です。あなたの答えはだれにも分かりません。" }

[[question]]
id = "brand"
type = "choice"
mechanism = "GRR"
text = { en = "Which bottled tea do you like best?", ja = "いちばん好きなペットボトルのお茶は？" }
choices = ["oi-ocha", "iyemon", "ayataka", "nama-cha", "meidai-cha"]
labels = { en = ["Oi Ocha", "Iyemon", "Ayataka", "Nama-cha", "Meidai-cha"], ja = ["お〜いお茶", "伊右衛門", "綾鷹", "生茶", "めいだい茶"] }
"""  # noqa: E501 - texts as an author writes them

TWO = """
[collection]
name = "two"
epsilon = 2.4
publish_at = 1
epsilon_cap = 3.6
languages = ["en", "ja"]
title = { en = "Two questions", ja = "二つの質問" }

[[question]]
id = "cups"
type = "choice"
mechanism = "OUE"
text = { en = "How many cups of tea a day?", ja = "お茶を一日に何杯飲みますか？" }
choices = ["none", "one", "two", "three", "four", "five", "six", "more"]

[[question]]
id = "sugar"
type = "choice"
mechanism = "GRR"
text = { en = "With sugar?", ja = "砂糖を入れますか？" }
choices = ["yes", "no"]
prefer_not_to_say = false
"""

MANY = """
[collection]
name = "many"
epsilon = 1.0
publish_at = 1
expected_respondents = 50000
languages = ["en"]
title = { en = "Forty-three models" }

[[question]]
id = "model"
type = "choice"
text = { en = "Which model did you look at?" }
prefer_not_to_say = false
choices = [%s]
""" % ", ".join(f'"model-{i}"' for i in range(1, 44))  # noqa: UP031 - braces belong to TOML

SCALE = """
[collection]
name = "scale"
epsilon = 4.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "How good is the tea?", ja = "お茶の味" }

[[question]]
id = "taste"
type = "choice"
mechanism = "GRR"
text = { en = "How do you like the tea in the office?", ja = "職場のお茶はいかがですか？" }
choices = ["bad", "poor", "fair", "good", "fine"]
labels = { en = ["Bad", "Poor", "Fair", "Good", "Very good"], ja = ["とても悪い", "悪い", "ふつう", "よい", "とてもよい"] }
scores = [1, 2, 3, 4, 5]
"""  # noqa: E501 - texts as an author writes them

TEAS = """
[collection]
name = "teas"
epsilon = 6.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "Teas at home", ja = "家にあるお茶" }

[[question]]
id = "teas"
type = "choices"
most = 2
text = { en = "Which of these do you have at home?", ja = "家にあるお茶はどれですか？" }
choices = ["green", "black", "white", "oolong"]
labels = { en = ["Green", "Black", "White", "Oolong"], ja = ["緑茶", "紅茶", "白茶", "烏龍茶"] }

[[question]]
id = "when"
type = "choices"
prefer_not_to_say = false
text = { en = "When do you drink tea?", ja = "お茶をいつ飲みますか？" }
choices = ["morning", "evening"]
labels = { en = ["In the morning", "In the evening"], ja = ["朝", "夜"] }
"""

BATH = """
[collection]
name = "bath"
epsilon = 5.0
publish_at = 1
epsilon_cap = 10.0
languages = ["en", "ja"]
title = { en = "Bath or shower", ja = "お風呂とシャワー" }

[[question]]
id = "habit"
type = "crosstab"
text = { en = "You and your bath", ja = "あなたとお風呂" }

[[question.attributes]]
id = "often"
text = { en = "How often do you take a bath?", ja = "お風呂にどのくらい入りますか？" }
choices = ["daily", "weekly", "rarely"]
labels = { en = ["Every day", "Every week", "Rarely"], ja = ["毎日", "毎週", "めったに入らない"] }

[[question.attributes]]
id = "age"
text = { en = "Your age", ja = "あなたの年齢" }
choices = ["young", "middle", "old"]
labels = { en = ["Up to 29", "30 to 59", "60 and more"], ja = ["29 歳以下", "30 ～ 59 歳", "60 歳以上"] }
epsilon = 2.0

[[question.attributes]]
id = "salt"
text = { en = "With bath salts?", ja = "入浴剤を使いますか？" }
choices = ["yes", "no"]
labels = { en = ["Yes", "No"], ja = ["はい", "いいえ"] }
prefer_not_to_say = false
"""  # noqa: E501 - texts as an author writes them

WHOLE = (
    BATH.replace('name = "bath"', 'name = "whole"')
    .replace('type = "crosstab"', 'type = "crosstab"\nwanted = "cells"')
    .replace("epsilon = 2.0\n", "")
)

PAIRS = """
[collection]
name = "pairs"
epsilon = 2.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "Five things about your bath", ja = "お風呂について五つ" }

[[question]]
id = "habit"
type = "crosstab"
wanted = "pairs"
text = { en = "You and your bath", ja = "あなたとお風呂" }

[[question.attributes]]
id = "age"
text = { en = "Your age", ja = "あなたの年齢" }
choices = ["young", "middle", "old"]
labels = { en = ["Up to 29", "30 to 59", "60 and more"], ja = ["29 歳以下", "30 ～ 59 歳", "60 歳以上"] }

[[question.attributes]]
id = "often"
text = { en = "How often do you take a bath?", ja = "お風呂にどのくらい入りますか？" }
choices = ["daily", "weekly", "rarely"]
labels = { en = ["Every day", "Every week", "Rarely"], ja = ["毎日", "毎週", "めったに入らない"] }

[[question.attributes]]
id = "where"
text = { en = "Where, most of all?", ja = "主にどこで入りますか？" }
choices = ["home", "sento", "onsen"]
labels = { en = ["At home", "In a public bath", "In a hot spring"], ja = ["自宅", "銭湯", "温泉"] }
prefer_not_to_say = false

[[question.attributes]]
id = "salt"
text = { en = "With bath salts?", ja = "入浴剤を使いますか？" }
choices = ["yes", "no"]
labels = { en = ["Yes", "No"], ja = ["はい", "いいえ"] }
prefer_not_to_say = false

[[question.attributes]]
id = "sing"
text = { en = "Do you sing?", ja = "歌いますか？" }
choices = ["yes", "no"]
labels = { en = ["Yes", "No"], ja = ["はい", "いいえ"] }
prefer_not_to_say = false
"""  # noqa: E501 - texts as an author writes them

MARGINS = (
    PAIRS.replace('name = "pairs"', 'name = "margins"')
    .replace('wanted = "pairs"', 'wanted = "margins"')
    .replace("publish_at = 1", 'publish_at = 1\nadmission = "invited"')
)

ALONE = (
    PAIRS.replace('name = "pairs"', 'name = "alone"')
    .replace('wanted = "pairs"', 'wanted = "margins"')
    .replace("epsilon = 2.0", "epsilon = 1.0\nauto = 3")
)
TRIPLES = PAIRS.replace('name = "pairs"', 'name = "triples"').replace(
    'wanted = "pairs"', 'wanted = "pairs"\nmechanism = "SampledTables"'
)

SHELF = """
[collection]
name = "shelf"
epsilon = 6.0
publish_at = 1
epsilon_cap = 12.0
accept_high_epsilon = true
languages = ["en", "ja"]
title = { en = "The tea shelf", ja = "お茶の棚" }

[[question]]
id = "teas"
type = "ratings"
text = { en = "Which of these teas do you have at home, and how do you like them?", ja = "家にあるお茶はどれですか？ お好きですか？" }
items = ["green", "black", "oolong", "barley"]
labels = { en = ["Green tea", "Black tea", "Oolong", "Barley tea"], ja = ["緑茶", "紅茶", "烏龍茶", "麦茶"] }

[[question]]
id = "pots"
type = "ratings"
text = { en = "And the pots?", ja = "急須はいかがですか？" }
items = ["clay", "iron"]
labels = { en = ["Clay pot", "Iron pot"], ja = ["土の急須", "鉄瓶"] }
scale = 21
mechanism = "StateRR"
epsilon = 2.5
"""  # noqa: E501 - texts as an author writes them

FILMS = """
[collection]
name = "films"
epsilon = 4.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "Films about tea", ja = "お茶の映画" }

[[question]]
id = "films"
type = "ratings"
text = { en = "Which of these films have you seen?", ja = "観たことのある映画はどれですか？" }
held = { en = ["Not seen", "Seen"], ja = ["観ていない", "観た"] }
items = [%s]
scale = 10
""" % ", ".join(f'"film-{i}"' for i in range(1, 9))  # noqa: UP031 - braces belong to TOML

INVITED = """
[collection]
name = "invited"
epsilon = 2.0
publish_at = 1
admission = "invited"
languages = ["en", "ja"]
title = { en = "By invitation", ja = "招待制の調査" }

[[question]]
id = "teas"
type = "ratings"
text = { en = "Which of these teas do you have at home, and how do you like them?", ja = "家にあるお茶はどれですか？ お好きですか？" }
items = ["green", "black", "oolong", "barley", "herbal"]
labels = { en = ["Green tea", "Black tea", "Oolong", "Barley tea", "Herbal tea"], ja = ["緑茶", "紅茶", "烏龍茶", "麦茶", "ハーブティー"] }
"""  # noqa: E501 - texts as an author writes them

WALK = """
[collection]
name = "walk"
publish_at = 1
languages = ["en", "ja"]
title = { en = "Where do you walk?", ja = "どこを歩きますか？" }

[[question]]
id = "where"
type = "place"
text = { en = "Where do you walk most?", ja = "いちばんよく歩くのはどこですか？" }
mesh = "53394611"
level = "1/8"
rows = 8
columns = 8
epsilon_per_metre = "0.01"
land = [
  "########", "########", "########", "########",
  "########", "#######.", "#####...", "####....",
]

[[question.places]]
at = [35.681236, 139.767125]
name = { en = "Tokyo Station", ja = "東京駅" }

[[question.places]]
at = [35.676, 139.7640]
name = { en = "The moat", ja = "お堀" }
"""

SLEEP = """
[collection]
name = "sleep"
epsilon = 6.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "Sleep", ja = "睡眠" }

[[question]]
id = "hours"
type = "number"
text = { en = "How many hours did you sleep?", ja = "何時間眠りましたか？" }
low = 0
high = 24

[[question]]
id = "outside"
type = "number"
text = { en = "How warm was it outside, in degrees?", ja = "外の気温は何度でしたか？" }
low = -30
high = 45.5
mechanism = "Duchi"
"""

COMMUTE = """
[collection]
name = "commute"
epsilon = 4.0
publish_at = 1
expected_respondents = 20000
languages = ["en", "ja"]
title = { en = "The way to work", ja = "通勤" }

[[question]]
id = "minutes"
type = "number"
wanted = "distribution"
text = { en = "How many minutes is your way to work?", ja = "通勤に何分かかりますか？" }
low = 0
high = 120
bins = 60

[[question]]
id = "spent"
type = "number"
wanted = "distribution"
text = { en = "What does it cost you a month?", ja = "月にいくらかかりますか？" }
edges = [0, 5, 10, 20, 50, 100, 500]

[[question]]
id = "steps"
type = "number"
wanted = "distribution"
text = { en = "How many kilometres of it do you walk?", ja = "そのうち何キロ歩きますか？" }
low = 0
high = 5
bins = 20
mechanism = "SquareWave"
"""

CLOSED = """
[collection]
name = "closed"
epsilon = 1.0
publish_at = 1
opens = 2020-01-01T00:00:00Z
closes = 2020-02-01T00:00:00Z
languages = ["en", "ja"]
title = { en = "A closed survey", ja = "終了した調査" }

[[question]]
id = "any"
type = "choice"
text = { en = "Anything?", ja = "何か？" }
choices = ["yes", "no"]
"""


LONG = """
[collection]
name = "long"
epsilon = 8.0
publish_at = 1
languages = ["en", "de"]
title = { en = "Eight short questions", de = "Acht kurze Fragen" }
intro = "About tea.\\n\\nMore at https://example.org/tea?a=1. <b>Thanks</b> http://example.org"
""" + "".join(
    f"""
[[question]]
id = "number-{i}"
type = "{'number' if i == 8 else 'choice'}"
text = {{ en = "Question number {i}?", de = "Frage Nummer {i}?" }}
{'low = 0' if i == 8 else 'choices = ["yes", "no"]'}
{'high = 2000' if i == 8 else 'prefer_not_to_say = false'}
"""
    for i in range(1, 9)
)  # fmt: skip


SMOKING = """
[collection]
name = "smoking"
epsilon = 8.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "Smoking", ja = "喫煙" }

[[question]]
id = "smokes"
type = "choice"
mechanism = "GRR"
text = { en = "Do you smoke?", ja = "たばこを吸いますか？" }
choices = ["yes", "no"]
labels = { en = ["Yes", "No"], ja = ["はい", "いいえ"] }

[[question]]
id = "tried"
type = "choice"
mechanism = "GRR"
text = { en = "Have you tried to stop?", ja = "やめようとしたことがありますか？" }
choices = ["never", "once", "often"]
labels = { en = ["Never", "Once", "Often"], ja = ["ない", "一度ある", "何度もある"] }
prefer_not_to_say = false
ask_if = { question = "smokes", is = ["yes"] }

[[question]]
id = "breaks"
type = "choices"
text = { en = "What do you take breaks for?", ja = "休憩には何をしますか？" }
choices = ["tea", "walk", "talk"]
labels = { en = ["Tea", "A walk", "A talk"], ja = ["お茶", "散歩", "おしゃべり"] }
ask_if = { question = "smokes", is = ["no", "prefer-not-to-say"] }
"""

RIDES = """
[collection]
name = "rides"
epsilon = 9.0
epsilon_cap = 20.0
accept_high_epsilon = true
publish_at = 1
languages = ["en", "ja"]
title = { en = "Rides", ja = "自転車" }

[[question]]
id = "rides"
type = "choice"
mechanism = "GRR"
text = { en = "Do you ride a bicycle?", ja = "自転車に乗りますか？" }
choices = ["yes", "no"]
labels = { en = ["Yes", "No"], ja = ["はい", "いいえ"] }
prefer_not_to_say = false

[[question]]
id = "own"
type = "choice"
mechanism = "GRR"
text = { en = "Whose is it?", ja = "誰の自転車ですか？" }
choices = ["mine", "hired"]
labels = { en = ["Mine", "Hired"], ja = ["自分の", "借り物"] }
prefer_not_to_say = false
ask_if = { question = "rides", is = ["yes"] }

[[question]]
id = "age"
type = "number"
text = { en = "How old is it, in years?", ja = "何年使っていますか？" }
low = 0
high = 20
ask_if = { question = "own", is = ["mine"] }

[[question]]
id = "way"
type = "number"
wanted = "distribution"
bins = 10
text = { en = "How many kilometres do you ride a week?", ja = "一週間に何キロ走りますか？" }
low = 0
high = 100
ask_if = { question = "rides", is = ["yes"] }

[[question]]
id = "parts"
type = "ratings"
text = { en = "How do you like its parts?", ja = "部品の評価" }
items = ["bell", "lamp"]
ask_if = { question = "own", is = ["mine"] }

[[question]]
id = "when"
type = "crosstab"
wanted = "cells"
text = { en = "When do you ride?", ja = "いつ乗りますか？" }
ask_if = { question = "rides", is = ["yes"] }
[[question.attributes]]
id = "week"
text = { en = "In the week", ja = "平日" }
choices = ["never", "daily"]
prefer_not_to_say = false
[[question.attributes]]
id = "end"
text = { en = "At the weekend", ja = "週末" }
choices = ["never", "daily"]
prefer_not_to_say = false

[[question]]
id = "home"
type = "place"
text = { en = "Where do you park it?", ja = "どこに停めますか？" }
origin = [35.65, 139.70]
cell_height = 250
cell_width = 250
rows = 3
columns = 3
land = ["##.", "###", "###"]
epsilon_per_metre = "0.01"
ask_if = { question = "own", is = ["mine"] }
"""
"""Every type asked of some alone, and upon a question that is asked so; not among the others."""

PAGED = """
[collection]
name = "paged"
epsilon = 7.0
publish_at = 1
title = "Seven questions"
""" + "".join(
    f"""
[[question]]
id = "q{i}"
type = "choice"
text = "Question number {i}?"
choices = ["yes", "no"]
prefer_not_to_say = false
{'ask_if = { question = "q1", is = ["yes"] }' if i in (2, 7) else ""}
"""
    for i in range(1, 8)
)

SHAY = """
[collection]
name = "shay"
epsilon = 2.0
publish_at = 1
languages = ["ar", "en"]
title = { ar = "استطلاع الشاي", en = "Tea" }
intro = { ar = "سؤال واحد عن الشاي.", en = "One question about tea." }

[collection.texts.ar]
"language.switch" = "اللغة"
submit = "إرسال الإجابة"
"how.title" = "كيف يعمل هذا"
"choice.prefer-not-to-say" = "أفضّل عدم الإجابة"

[[question]]
id = "brand"
type = "choice"
mechanism = "GRR"
text = { ar = "أي شاي تفضّل؟", en = "Which tea do you like best?" }
choices = ["green", "black", "mint"]
labels = { ar = ["أخضر", "أسود", "بالنعناع"], en = ["Green", "Black", "Mint"] }
"""

WORDS = (
    """
[collection]
name = "words"
epsilon = 4.0
publish_at = 1
languages = ["en", "ja"]
title = { en = "Your word", ja = "あなたの言葉" }

[[question]]
id = "word"
type = "choice"
mechanism = "GRR"
text = { en = "Which word is yours?", ja = "あなたの言葉はどれですか？" }
choices = ["""
    + ", ".join(f'"w{i}"' for i in range(5000))
    + """]
"""
)


@cache
def all_collections() -> tuple[Collection, ...]:
    """Return the collections; they are compiled once, every test has a collector of its own."""
    texts = (TEA, TWO, MANY, TEAS, SCALE, BATH, WHOLE, PAIRS, MARGINS, ALONE, TRIPLES, SHELF, FILMS,
             INVITED, WALK, SLEEP, COMMUTE, CLOSED, LONG, SMOKING, PAGED, SHAY, WORDS)  # fmt: skip
    return tuple(Collection.from_toml(text) for text in texts)
