/** The form of a compiled document: `collection/compiled.json`, as it is. @type {any} */
export const SCHEMA = {
  "names": {
    "slug": {"text": "[a-z0-9][a-z0-9_-]{0,63}"},
    "slugs": {"list": {"use": "slug"}, "least": 2, "different": true},
    "epsilon": {"decimal": ["0.001", "20.0"]},
    "total": {"any": [{"one": ["0.0"]}, {"use": "epsilon"}]},
    "rate": {"decimal": ["0.000000000001", "1000000000.0"]},
    "metre": {"decimal": ["0.000000000001", "1.0"]},
    "score": {"decimal": ["-1000000000.0", "1000000000.0"]},
    "exact": {"text": "(0|[1-9][0-9]{0,59})\\.(0|[0-9]{0,59}[1-9])"},
    "float": {"text": "-?(0|[1-9][0-9]{0,16})(\\.(0|[0-9]{0,29}[1-9]))?(e[+-][0-9]{2,3})?"},
    "moment": {"any": [{"null": true}, {"moment": true}]},
    "hex": {"text": "0|[1-9a-f][0-9a-f]{0,1024}"},
    "width": {"whole": [8, 4096]},
    "count": {"whole": [2, 16777216]},
    "bins": {"whole": [2, 256]},
    "definition": {
      "fields": {
        "format": {"one": ["sudare-collection/1"]},
        "name": {"use": "slug"},
        "epsilon": {"use": "total"},
        "epsilon_cap": {"use": "total"},
        "expected_respondents": {"whole": [1, 1000000000000]},
        "opens": {"use": "moment"},
        "closes": {"use": "moment"},
        "questions": {"list": {"question": true}, "least": 1}
      },
      "optional": {
        "accept_high_epsilon": {"flag": "set"},
        "admission": {"one": ["invited"]},
        "auto": {"whole": [2, 1000000]},
        "publish": {"one": ["end"]},
        "publish_at": {"any": [{"whole": [1, 49]}, {"whole": [51, 1000000000000]}]},
        "publish_every": {"whole": [1, 1000000000000]},
        "send_delay": {"whole": [1, 60]}
      }
    },
    "texts": {
      "fields": {
        "languages": {"list": {"text": "[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"}, "least": 1, "different": true},
        "title": {"words": 1},
        "intro": {"words": 0},
        "questions": {"table": {"wording": true}}
      }
    },
    "labels": {"table": {"words": 1}},
    "grid": {
      "row": [{"whole": [1, 64]}, {"whole": [1, 64]}, {"use": "float"}, {"use": "float"}]
    },
    "weights": {"list": {"use": "hex"}, "least": 2, "most": 1024},
    "parameter": {
      "any": [
        {"flag": true},
        {"whole": [-1000000000000, 1000000000000]},
        {"text": "[!-~]{0,1024}"},
        {"list": {"use": "parameter"}, "most": 65536}
      ]
    },
    "mechanism": {
      "by": "name",
      "cases": {
        "GRR": {"use": "frequency"},
        "OUE": {"use": "frequency"},
        "SUE": {"use": "frequency"},
        "DyadicUnary": {"use": "frequency"},
        "HadamardResponse": {"use": "frequency"},
        "ProjectiveGeometry": {"use": "frequency"},
        "SubsetSelection": {"use": "frequency"},
        "THE": {"use": "frequency"},
        "SetUnary": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "k": {"whole": [2, 1024]},
            "epsilon": {"use": "epsilon"},
            "most": {"whole": [1, 1024]}
          }
        },
        "JointRR": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "attributes": {"list": {"use": "mechanism"}, "least": 2, "most": 13}
          }
        },
        "SampledPairs": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "sizes": {"list": {"whole": [2, 5000]}, "least": 2, "most": 100},
            "epsilon": {"use": "epsilon"},
            "oracle": {"one": ["SubsetSelection", "GRR", "OUE"]}
          }
        },
        "MarginalRR": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "sizes": {"list": {"whole": [2, 9998]}, "least": 2, "most": 100},
            "epsilon": {"use": "epsilon"},
            "strategy": {"one": ["sample"]}
          }
        },
        "PrivKV": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "d": {"whole": [2, 500]},
            "epsilon": {"use": "epsilon"},
            "split": {"one": ["half", "tight"]}
          }
        },
        "StateRR": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "d": {"whole": [2, 500]},
            "epsilon": {"use": "epsilon"}
          }
        },
        "Duchi": {"use": "mean"},
        "Piecewise": {"use": "mean"},
        "Hybrid": {"use": "mean"},
        "SquareWave": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "epsilon": {"use": "epsilon"},
            "low": {"use": "float"},
            "high": {"use": "float"},
            "bins": {"use": "bins"}
          }
        },
        "HierarchicalHistogram": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "epsilon": {"use": "epsilon"},
            "low": {"use": "float"},
            "high": {"use": "float"},
            "bins": {"use": "bins"},
            "branching": {"use": "bins"},
            "oracle": {"one": ["SubsetSelection", "GRR", "OUE"]}
          }
        },
        "GridExponential": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "grid": {"use": "grid"},
            "epsilon": {"use": "rate"}
          },
          "optional": {"inner": {"use": "exact"}, "weights": {"use": "weights"}}
        },
        "TightGrid": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "grid": {"use": "grid"},
            "epsilon": {"use": "rate"},
            "weights": {"use": "weights"}
          }
        }
      },
      "other": {
        "fields": {"name": {"use": "mechanism-name"}},
        "more": {"use": "parameter"}
      }
    },
    "mechanism-name": {"text": "[A-Za-z][A-Za-z0-9]{0,63}"},
    "frequency": {
      "fields": {
        "name": {"use": "mechanism-name"},
        "k": {"use": "count"},
        "epsilon": {"use": "epsilon"}
      }
    },
    "mean": {
      "fields": {
        "name": {"use": "mechanism-name"},
        "epsilon": {"use": "epsilon"},
        "low": {"use": "float"},
        "high": {"use": "float"}
      }
    },
    "program": {
      "by": "kind",
      "cases": {
        "product": {
          "fields": {
            "kind": {"one": ["product"]},
            "parts": {"list": {"use": "component"}, "least": 1}
          }
        },
        "pick": {
          "fields": {
            "kind": {"one": ["pick"]},
            "parts": {"list": {"use": "component"}, "least": 1}
          }
        }
      },
      "other": {"use": "component"}
    },
    "component": {
      "by": "kind",
      "cases": {
        "round": {
          "fields": {
            "kind": {"one": ["round"]},
            "steps": {"use": "hex"},
            "cells": {"whole": [1, 16777216]},
            "part": {"use": "leaf"}
          }
        }
      },
      "other": {"use": "leaf"}
    },
    "leaf": {
      "by": "kind",
      "cases": {
        "keep": {
          "fields": {
            "kind": {"one": ["keep"]},
            "k": {"use": "count"},
            "width": {"use": "width"},
            "keep": {"use": "hex"},
            "step": {"use": "hex"}
          }
        },
        "bits": {
          "fields": {
            "kind": {"one": ["bits"]},
            "k": {"use": "count"},
            "width": {"use": "width"},
            "own": {"use": "hex"},
            "other": {"use": "hex"}
          }
        },
        "subset": {
          "fields": {
            "kind": {"one": ["subset"]},
            "k": {"whole": [2, 1024]},
            "width": {"use": "width"},
            "own": {"use": "hex"},
            "other": {"use": "hex"},
            "most": {"whole": [1, 1024]}
          }
        },
        "choose": {
          "fields": {
            "kind": {"one": ["choose"]},
            "k": {"whole": [2, 4096]},
            "width": {"use": "width"},
            "own": {"use": "hex"},
            "size": {"whole": [1, 4095]}
          }
        },
        "hyperplane": {
          "fields": {
            "kind": {"one": ["hyperplane"]},
            "k": {"whole": [2, 1048576]},
            "q": {"whole": [2, 1024]},
            "t": {"whole": [3, 28]},
            "width": {"use": "width"},
            "own": {"use": "hex"}
          }
        },
        "table": {
          "fields": {
            "kind": {"one": ["table"]},
            "width": {"use": "width"},
            "rows": {"list": {"list": {"use": "hex"}, "least": 1}, "least": 1}
          }
        },
        "offset": {
          "fields": {
            "kind": {"one": ["offset"]},
            "rows": {"whole": [1, 64]},
            "columns": {"whole": [1, 64]},
            "kernel": {"use": "weights"},
            "weights": {"use": "weights"}
          }
        }
      }
    }
  },
  "device": {"epsilon": "4.0", "epsilon_per_metre": "0.04"},
  "kinds": {
    "GRR": "keep",
    "OUE": "bits",
    "SUE": "bits",
    "DyadicUnary": "bits",
    "HadamardResponse": "table",
    "ProjectiveGeometry": "hyperplane",
    "SubsetSelection": "choose",
    "THE": "bits",
    "SetUnary": "subset",
    "JointRR": "product",
    "SampledPairs": "pick",
    "MarginalRR": "pick",
    "PrivKV": "pick",
    "StateRR": "pick",
    "Duchi": "round",
    "Piecewise": "round",
    "Hybrid": "round",
    "SquareWave": "table",
    "HierarchicalHistogram": "pick",
    "GridExponential": "offset",
    "TightGrid": "offset"
  },
  "questions": {
    "choice": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["choice"]},
        "choices": {"use": "slugs"},
        "prefer_not_to_say": {"flag": true},
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      },
      "optional": {"scores": {"list": {"use": "score"}, "least": 1}}
    },
    "choices": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["choices"]},
        "choices": {"use": "slugs"},
        "prefer_not_to_say": {"flag": true},
        "epsilon": {"use": "epsilon"},
        "most": {"whole": [1, 1024]},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      }
    },
    "crosstab": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["crosstab"]},
        "attributes": {
          "list": {
            "fields": {
              "id": {"use": "slug"},
              "choices": {"use": "slugs"},
              "prefer_not_to_say": {"flag": true}
            },
            "optional": {"epsilon": {"use": "epsilon"}}
          },
          "least": 2,
          "most": 100
        },
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      },
      "optional": {"wanted": {"one": ["cells", "pairs", "margins"]}}
    },
    "number": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["number"]},
        "low": {"use": "score"},
        "high": {"use": "score"},
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      },
      "optional": {"wanted": {"one": ["distribution"]}}
    },
    "ratings": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["ratings"]},
        "items": {"list": {"use": "slug"}, "least": 2, "most": 500, "different": true},
        "scale": {"whole": [2, 101]},
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      }
    },
    "place": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["place"]},
        "rows": {"whole": [1, 64]},
        "columns": {"whole": [1, 64]},
        "corner": {
          "fields": {
            "per_degree": {"whole": [28800, 1000000000]},
            "south": {"whole": [-400000000000, 400000000000]},
            "west": {"whole": [-400000000000, 400000000000]},
            "height": {"whole": [1, 400000000000]},
            "width": {"whole": [1, 400000000000]}
          }
        },
        "land": {
          "any": [
            {"null": true},
            {"list": {"text": "[#.]{1,64}"}, "least": 1, "most": 64}
          ]
        },
        "epsilon_per_metre": {"use": "metre"},
        "epsilon_per_metre_cap": {"use": "metre"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      }
    }
  },
  "wordings": {
    "choice": {"fields": {}, "optional": {"text": {"words": 0}, "labels": {"use": "labels"}}},
    "choices": {"fields": {}, "optional": {"text": {"words": 0}, "labels": {"use": "labels"}}},
    "crosstab": {
      "fields": {},
      "optional": {
        "text": {"words": 0},
        "attributes": {
          "table": {
            "fields": {},
            "optional": {"text": {"words": 0}, "labels": {"use": "labels"}}
          }
        }
      }
    },
    "number": {"fields": {}, "optional": {"text": {"words": 0}}},
    "ratings": {
      "fields": {},
      "optional": {
        "text": {"words": 0},
        "widget": {"one": ["stars", "slider"]},
        "labels": {"use": "labels"},
        "held": {"use": "labels"}
      }
    },
    "place": {
      "fields": {},
      "optional": {
        "text": {"words": 0},
        "places": {
          "list": {"fields": {"cell": {"whole": [0, 1023]}, "name": {"words": 1}}},
          "most": 20
        }
      }
    }
  }
};
