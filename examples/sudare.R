# What a collector publishes, in R: figures, counts, and estimates of one's own from the counts.
# Needs jsonlite. docs/r.md shows it; tests/docs/test_r.py runs it against a collector.

sudare_address <- function(url, name, rest = "") {
  paste0(sub("/+$", "", url), "/api/v1/collections/", name, rest)
}

# The public figures as a data frame: question, figure, label, value, stderr, low, high, ...
sudare_figures <- function(url, name, target = "population", confidence = 0.95) {
  rest <- sprintf("/export?format=csv&target=%s&confidence=%s", target, confidence)
  utils::read.csv(sudare_address(url, name, rest), encoding = "UTF-8")
}

# The definition that devices answer: questions, choices, and the integers of their mechanisms.
sudare_definition <- function(url, name) {
  jsonlite::fromJSON(sudare_address(url, name), simplifyVector = FALSE)$definition
}

# The public counts of one question: how many reports support each choice, of n.
sudare_counts <- function(url, name, question) {
  found <- jsonlite::fromJSON(sudare_address(url, name, "/counts"), simplifyVector = FALSE)
  counts <- found$questions[[question]]
  list(n = counts$n, support = unlist(counts$support))
}

# A hexadecimal text as a share of 2^width; in pieces, since R's integers have 31 bits.
sudare_share <- function(hex, width) {
  hex <- paste0(strrep("0", (-nchar(hex)) %% 4), hex)
  pieces <- strtoi(substring(hex, seq(1, nchar(hex), 4), seq(4, nchar(hex), 4)), 16L)
  sum(pieces * 2^(16 * (length(pieces):1 - 1) - width))
}

# How probable it is that a report supports the answer that was given (own), and another (other).
sudare_probabilities <- function(program) {
  share <- function(field) sudare_share(program[[field]], program$width)
  switch(program$kind,
    keep = c(own = share("keep") + share("step"), other = share("step")),
    bits = c(own = share("own"), other = share("other")),
    choose = {
      own <- share("own")
      c(own = own, other = (own * (program$size - 1) + (1 - own) * program$size) / (program$k - 1))
    },
    stop("no formula for programs of the kind '", program$kind, "': take sudare_figures()")
  )
}

# Unbiased shares of the choices of a question, with standard errors and intervals:
#   x = (s / n - other) / (own - other),   Var x = r (1 - r) / (n (own - other)^2),   r = s / n
sudare_estimate <- function(definition, question, counts, confidence = 0.95) {
  ids <- vapply(definition$questions, function(one) one$id, "")
  found <- definition$questions[[match(question, ids)]]
  p <- sudare_probabilities(found$program)
  gap <- unname(p["own"] - p["other"])
  rate <- counts$support / counts$n
  share <- (rate - unname(p["other"])) / gap
  stderr <- sqrt(rate * (1 - rate) / counts$n) / gap
  z <- stats::qnorm((1 + confidence) / 2)
  data.frame(
    choice = unlist(found$choices), share = share, stderr = stderr,
    low = pmax(0, share - z * stderr), high = pmin(1, share + z * stderr)
  )
}
