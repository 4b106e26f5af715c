"""The words of maps in English and Japanese."""

from __future__ import annotations

from sudare.words import Text

LATITUDE = Text("latitude", "緯度")
LONGITUDE = Text("longitude", "経度")
NORTH = Text("km from the south", "南端からの距離（km）")
EAST = Text("km from the west", "西端からの距離（km）")
SEA = Text("not on the map: sea, or nobody there", "対象外（海、または人のいない所）")
NONE = Text("no number: never reported", "値なし（報告されないセル）")
MARKED = Text("the most exposed cells", "最も特定されやすいセル")
MAP = Text("Map", "地図")
LAYER = Text("Layer", "表示する値")
LEGEND = Text("Legend", "凡例")
CELL = Text("Cell", "セル")
ROW = Text("row", "行")
COLUMN = Text("column", "列")
HELP = Text(
    "Point at a cell, or focus the map and move with the arrow keys; Home goes to the highest "
    "value, End to the lowest.",
    "セルを指すと値が出ます。キーボードでは地図を選び、矢印キーで移動します"
    "（Homeで最大、Endで最小のセルへ）。",
)
GLANCE = Text("At a glance", "概要")
FIGURES = Text("Results", "結果")
LOWEST = Text("lowest", "最小")
MEAN = Text("mean", "平均")
HIGHEST = Text("highest", "最大")
WHERE = Text("where", "場所")
TABLE = Text("The layers, on land", "各値の要約（陸のセル）")
CELLS = Text("Cells, by the layer shown", "セルの一覧（表示中の値の順）")
EARLIER = Text("Higher", "前へ")
LATER = Text("Lower", "次へ")
SCRIPT = Text(
    "Without JavaScript every layer is shown below one another.",
    "JavaScript が無効のときは、すべての値の地図を順に表示します。",
)
DATA = Text("Data", "データ")
SURROUNDINGS = {
    "sea": Text("not on the map", "対象外"),
    "inland": Text("inland", "内陸"),
    "edge": Text("edge of the map", "地図の端"),
    "coast": Text("coast", "海岸"),
    "island": Text("island", "島"),
}
