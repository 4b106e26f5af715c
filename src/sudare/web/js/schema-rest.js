import { SCHEMA } from "./schema.js";

/** What `schema.js` leaves out of `collection/compiled.json`. Each type and kind that needs it imports it. */
const REST = {
  "names": {
    "rate": {"decimal": ["0.000000000001", "1000000000.0"]},
    "metre": {"decimal": ["0.000000000001", "1.0"]},
    "float": {"text": "-?(0|[1-9][0-9]{0,16})(\\.(0|[0-9]{0,29}[1-9]))?(e[+-][0-9]{2,3})?"},
    "exact": {"text": "(0|[1-9][0-9]{0,59})\\.(0|[0-9]{0,59}[1-9])"},
    "bins": {"whole": [2, 256]},
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
    "grid": {"row": [{"whole": [1, 64]}, {"whole": [1, 64]}, {"use": "float"}, {"use": "float"}]},
    "weights": {"list": {"use": "hex"}, "least": 2, "most": 1024},
    "definition": {
      "optional": {
        "repeats": {
          "fields": {
            "covers": {"one": ["steady", "any"]},
            "starts": {"list": {"moment": true}, "least": 1, "most": 366, "different": true},
            "ends": {"moment": true}
          }
        }
      }
    },
    "twice": {
      "fields": {
        "name": {"use": "mechanism-name"},
        "k": {"use": "count"},
        "epsilon": {"use": "epsilon"},
        "permanent": {"use": "epsilon"}
      },
      "optional": {"g": {"whole": [2, 4096]}}
    },
    "mean": {
      "fields": {
        "name": {"use": "mechanism-name"},
        "epsilon": {"use": "epsilon"},
        "low": {"use": "float"},
        "high": {"use": "float"}
      }
    },
    "mechanism": {
      "cases": {
        "OUE": {"use": "frequency"},
        "SUE": {"use": "frequency"},
        "DyadicUnary": {"use": "frequency"},
        "HadamardResponse": {"use": "frequency"},
        "LinearHashing": {"use": "frequency"},
        "ProjectiveGeometry": {"use": "frequency"},
        "SubsetSelection": {"use": "frequency"},
        "THE": {"use": "frequency"},
        "LGRR": {"use": "twice"},
        "LSUE": {"use": "twice"},
        "LOSUE": {"use": "twice"},
        "LOLOHA": {"use": "twice"},
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
        "Levels": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "mechanisms": {"list": {"use": "mechanism"}, "least": 2, "most": 8}
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
        "SampledTables": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "sizes": {"list": {"whole": [2, 9998]}, "least": 2, "most": 100},
            "epsilon": {"use": "epsilon"},
            "order": {"whole": [1, 3]},
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
        "PEM": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "longest": {"whole": [1, 64]},
            "epsilon": {"use": "epsilon"},
            "alphabet": {"text": "[^\\u0000]{1,510}"},
            "fold": {"flag": true},
            "lengths": {"list": {"whole": [1, 64]}, "least": 1, "most": 64}
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
          },
          "optional": {"edges": {"list": {"use": "float"}, "least": 3, "most": 257}}
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
        },
        "ElasticExponential": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "grid": {"use": "grid"},
            "epsilons": {"list": {"use": "float"}, "least": 2, "most": 256},
            "weights": {"list": {"use": "float"}, "least": 2, "most": 256}
          }
        },
        "RoadExponential": {
          "fields": {
            "name": {"use": "mechanism-name"},
            "edges": {
              "list": {"row": [{"whole": [0, 255]}, {"whole": [0, 255]}, {"use": "float"}]},
              "least": 1,
              "most": 1024
            },
            "epsilon": {"use": "rate"},
            "weights": {"list": {"use": "float"}, "least": 2, "most": 256}
          }
        }
      }
    },
    "program": {
      "cases": {
        "pick": {
          "fields": {
            "kind": {"one": ["pick"]},
            "parts": {"list": {"use": "component"}, "least": 1}
          }
        },
        "levels": {
          "fields": {
            "kind": {"one": ["levels"]},
            "parts": {"list": {"use": "program"}, "least": 2, "most": 8}
          }
        },
        "repeat": {
          "fields": {
            "kind": {"one": ["repeat"]},
            "permanent": {"use": "leaf"},
            "instant": {"use": "leaf"}
          },
          "optional": {
            "functions": {"fields": {"k": {"whole": [2, 65536]}, "g": {"whole": [2, 4096]}}}
          }
        }
      }
    },
    "component": {
      "cases": {
        "round": {
          "fields": {
            "kind": {"one": ["round"]},
            "steps": {"use": "hex"},
            "cells": {"whole": [1, 16777216]},
            "part": {"use": "leaf"}
          }
        }
      }
    },
    "leaf": {
      "cases": {
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
        "hash": {
          "fields": {
            "kind": {"one": ["hash"]},
            "k": {"whole": [2, 1048576]},
            "g": {"whole": [2, 4096]},
            "size": {"whole": [1, 4096]},
            "width": {"use": "width"},
            "own": {"use": "hex"}
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
        "prefix": {
          "fields": {
            "kind": {"one": ["prefix"]},
            "k": {"whole": [2, 256]},
            "lengths": {"list": {"whole": [1, 64]}, "least": 1, "most": 64},
            "part": {"use": "component"}
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
  "kinds": {
    "Levels": "levels",
    "LGRR": "repeat",
    "LSUE": "repeat",
    "LOSUE": "repeat",
    "LOLOHA": "repeat"
  },
  "questions": {
    "choice": {
      "optional": {
        "levels": {"list": {"fields": {"epsilon": {"use": "epsilon"}}}, "least": 2, "most": 8},
        "totals": {"list": {"decimal": ["0.000001", "1000000.0"]}, "least": 1, "most": 366}
      }
    },
    "text": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["text"]},
        "choices": {"use": "slugs"},
        "prefer_not_to_say": {"flag": true},
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      },
      "optional": {
        "ask_if": {"use": "ask-if"},
        "totals": {"list": {"decimal": ["0.000001", "1000000.0"]}, "least": 1, "most": 366}
      }
    },
    "words": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["words"]},
        "fold": {"flag": true},
        "prefer_not_to_say": {"flag": true},
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      }
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
      },
      "optional": {"ask_if": {"use": "ask-if"}}
    },
    "crosstab": {
      "fields": {
        "id": {"use": "slug"},
        "type": {"one": ["crosstab"]},
        "attributes": {"use": "attributes"},
        "epsilon": {"use": "epsilon"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      },
      "optional": {
        "ask_if": {"use": "ask-if"},
        "levels": {
          "list": {
            "fields": {"epsilon": {"use": "epsilon"}},
            "optional": {"attributes": {"use": "attributes"}}
          },
          "least": 2,
          "most": 8
        },
        "wanted": {"one": ["cells", "pairs", "margins"]}
      }
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
      "optional": {"ask_if": {"use": "ask-if"}, "wanted": {"one": ["distribution"]}}
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
      },
      "optional": {"ask_if": {"use": "ask-if"}}
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
          "any": [{"null": true}, {"list": {"text": "[#.]{1,64}"}, "least": 1, "most": 64}]
        },
        "epsilon_per_metre": {"use": "metre"},
        "epsilon_per_metre_cap": {"use": "metre"},
        "mechanism": {"use": "mechanism"},
        "program": {"use": "program"}
      },
      "optional": {
        "ask_if": {"use": "ask-if"},
        "at": {"fields": {"question": {"use": "slug"}, "place": {"use": "slug"}}},
        "levels": {
          "list": {"fields": {"epsilon_per_metre": {"use": "metre"}}},
          "least": 2,
          "most": 8
        }
      }
    }
  },
  "wordings": {
    "text": {"fields": {}, "optional": {"text": {"words": 0}, "labels": {"use": "labels"}}},
    "words": {"fields": {}, "optional": {"text": {"words": 0}}},
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
        },
        "base_map": {
          "fields": {
            "digest": {"text": "[0-9a-f]{64}"},
            "width": {"whole": [1, 2048]},
            "height": {"whole": [1, 2048]},
            "shapes": {"text": "[Mlz0-9 -]{0,65536}"},
            "lines": {"text": "[Mlz0-9 -]{0,65536}"}
          },
          "optional": {"credit": {"words": 1}}
        },
        "areas": {
          "fields": {
            "digest": {"text": "[0-9a-f]{64}"},
            "rule": {"one": ["greatest", "split"]},
            "list": {
              "list": {
                "fields": {
                  "name": {"words": 1},
                  "cells": {
                    "list": {"row": [{"whole": [0, 1023]}, {"whole": [1, 1000]}]},
                    "least": 1,
                    "most": 1024
                  }
                }
              },
              "least": 1,
              "most": 256
            }
          },
          "optional": {"credit": {"words": 1}}
        }
      }
    }
  }
};

/**
 * @param {any} table
 * @param {any} more none of its rules are in the table
 */
function extend(table, more) {
  for (const [name, rule] of Object.entries(more)) {
    if (Object.hasOwn(table, name)) extend(table[name], rule);
    else table[name] = rule;
  }
}

extend(SCHEMA, REST);
