/**
 * The form of a compiled document: `collection/compiled.json`, as far as a choice and the kinds `keep`
 * and `product` need it; `schema-rest.js` adds the rest. @type {any}
 */
export const SCHEMA = {
  "names": {
    "slug": {"text": "[a-z0-9][a-z0-9_-]{0,63}"},
    "slugs": {"list": {"use": "slug"}, "least": 2, "different": true},
    "epsilon": {"decimal": ["0.001", "20.0"]},
    "total": {"any": [{"one": ["0.0"]}, {"use": "epsilon"}]},
    "score": {"decimal": ["-1000000000.0", "1000000000.0"]},
    "moment": {"any": [{"null": true}, {"moment": true}]},
    "hex": {"text": "0|[1-9a-f][0-9a-f]{0,1024}"},
    "width": {"whole": [8, 4096]},
    "count": {"whole": [2, 16777216]},
    "definition": {
      "fields": {
        "format": {"one": ["sudare-collection/1"]},
        "name": {"text": "[a-z0-9][a-z0-9_-]{0,63}(\\.[1-9][0-9]{0,2})?"},
        "epsilon": {"use": "total"},
        "epsilon_cap": {"use": "total"},
        "expected_respondents": {"whole": [1, 1000000000000]},
        "opens": {"null": true},
        "closes": {"null": true},
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
    "life": {
      "fields": {},
      "optional": {
        "opens": {"moment": true},
        "closes": {"moment": true},
        "closed": {"flag": "set"},
        "former": {
          "list": {"row": [{"use": "moment"}, {"use": "moment"}]},
          "least": 1,
          "most": 64
        }
      }
    },
    "texts": {
      "fields": {
        "languages": {
          "list": {"text": "[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"},
          "least": 1,
          "different": true
        },
        "title": {"words": 1},
        "intro": {"words": 0},
        "questions": {"table": {"wording": true}}
      },
      "optional": {"pages": {"table": {"words": 1}}}
    },
    "labels": {"table": {"words": 1}},
    "ask-if": {
      "fields": {
        "question": {"use": "slug"},
        "is": {"list": {"use": "slug"}, "least": 1, "different": true}
      }
    },
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
      "cases": {"GRR": {"use": "frequency"}},
      "other": {"fields": {"name": {"use": "mechanism-name"}}, "more": {"use": "parameter"}}
    },
    "mechanism-name": {"text": "[A-Za-z][A-Za-z0-9]{0,63}"},
    "frequency": {
      "fields": {
        "name": {"use": "mechanism-name"},
        "k": {"use": "count"},
        "epsilon": {"use": "epsilon"}
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
        }
      },
      "other": {"use": "component"}
    },
    "component": {"by": "kind", "cases": {}, "other": {"use": "leaf"}},
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
        }
      }
    }
  },
  "device": {
    "epsilon": "4.0",
    "epsilon_per_metre": "0.04"
  },
  "kinds": {
    "GRR": "keep",
    "OUE": "bits",
    "SUE": "bits",
    "DyadicUnary": "bits",
    "HadamardResponse": "table",
    "LinearHashing": "hash",
    "ProjectiveGeometry": "hyperplane",
    "SubsetSelection": "choose",
    "THE": "bits",
    "SetUnary": "subset",
    "JointRR": "product",
    "SampledPairs": "pick",
    "SampledTables": "pick",
    "MarginalRR": "pick",
    "PEM": "prefix",
    "PrivKV": "pick",
    "StateRR": "pick",
    "Duchi": "round",
    "Piecewise": "round",
    "Hybrid": "round",
    "SquareWave": "table",
    "HierarchicalHistogram": "pick",
    "GridExponential": "offset",
    "TightGrid": "offset",
    "ElasticExponential": "table",
    "RoadExponential": "table"
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
      "optional": {"ask_if": {"use": "ask-if"}, "scores": {"list": {"use": "score"}, "least": 1}}
    }
  },
  "wordings": {
    "choice": {"fields": {}, "optional": {"text": {"words": 0}, "labels": {"use": "labels"}}}
  }
};
