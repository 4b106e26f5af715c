"""The collections that the browser tests answer."""

from __future__ import annotations

from sudare.collection import Collection

TEA = """
[collection]
name = "tea"
epsilon = 2.0
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
epsilon = 3.0
epsilon_cap = 4.5
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

CLOSED = """
[collection]
name = "closed"
epsilon = 1.0
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


def all_collections() -> list[Collection]:
    """Return the collections, each under its name."""
    return [Collection.from_toml(text) for text in (TEA, TWO, MANY, TEAS, SCALE, CLOSED)]
