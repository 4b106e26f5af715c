/** @type {Record<string, string>} */
export const en = {
  "language.name": "English",
  "language.switch": "Language",
  "brand.line": "You see the shape of the crowd, never a face.",
  skip: "Skip to the content",
  loading: "Opening…",
  "choice.prefer-not-to-say": "Prefer not to say",
  more: "Technical detail",
  back: "All collections",

  "how.title": "How your answer stays yours",
  "how.choose.title": "You choose",
  "how.choose": "Your choice is made here, in this browser. It is remembered here and never sent.",
  "how.chance.title": "Your device adds chance",
  "how.chance":
    "Random numbers drawn on this device decide whether your true answer or some other one goes out.",
  "how.leaves.title": "Only the outcome leaves",
  "how.leaves":
    "The collector receives the randomised report alone. Nobody can be sure of your answer from it, not even we. From many reports together, the shares can still be worked out.",
  "how.epsilon.one":
    "ε = {epsilon} covers this whole submission, one question. Whatever you answer, no report is more than {factor} times as likely as it would be under any other answer.",
  "how.epsilon.other":
    "ε = {epsilon} covers this whole submission, all {count} questions together. Whatever you answer, no report is more than {factor} times as likely as it would be under any other answers.",

  "how.without": "Places are not part of it: their ε counts metres.",
  "how.place":
    "A place is protected by distance: ε = {epsilon} for each metre, {kilometre} over a kilometre. Whatever report goes out, it is at most twice as likely from your place as from any other within {metres}. Places far apart can be told from each other.",

  "question.number": "Question {number} of {count}",
  "question.filter": "Find a choice",
  "question.shown": "{shown} of {count} shown",
  "question.chosen": "Chosen: {label}",
  "question.missing": "Please choose one answer here.",

  "choices.all": "Tick all that apply.",
  "choices.hint.one": "Tick {count} at most.",
  "choices.hint.other": "Tick up to {count}.",
  "choices.none": "None of these",
  "choices.limit.one": "Only {count} can be ticked. Untick the other one first.",
  "choices.limit.other": "At most {count} can be ticked. Untick another one first.",
  "choices.alone": "“{label}” stands alone: the other ticks were removed.",
  "choices.cleared": "“{label}” was unticked.",
  "choices.missing": "Please tick what applies, or “None of these”.",

  "crosstab.missing": "Please choose one answer in every part of this question.",
  "crosstab.about":
    "{mechanism}, {cells} cells. ε = {epsilon} for one answer to the whole question; of each part alone: {each}. A part's own ε says nothing about all parts together.",
  "crosstab.each": "“{attribute}” ε = {epsilon}",
  "crosstab.alone": "This part alone: {mechanism}, {count} choices, ε = {epsilon}",
  "crosstab.pair": "Show",
  "crosstab.map": "Heat map of the estimated shares: {pair}",
  "crosstab.axes": "Down: “{down}” Across: “{across}”",
  "crosstab.help":
    "Shares in per cent of everyone. Point at a cell, or move with the arrow keys, to see its interval.",
  "crosstab.detail":
    "{cell}: {share} %. 95 % interval: {low} to {high} %; standard error {stderr} %.",
  "crosstab.detail.rough":
    "{cell}: {share} %. 95 % interval: {low} to {high} %; standard error {stderr} %. Few reports: rough.",
  "crosstab.rough": "{share} (few reports)",
  "crosstab.few":
    "Few reports: {count} of {of} cells (in italics, dotted) are named by fewer than 30 reports. Their shares and intervals are rough.",
  "crosstab.v":
    "How much the two go together: Cramér's V = {value}. 95 % interval: {range}. (0: not at all; 1: one tells the other.)",
  "crosstab.v.none":
    "How much the two go together cannot be said yet: too few reports for their choices to be told apart.",
  "crosstab.one": "{label} (“{attribute}”)",
  "crosstab.rare": "Left out of this, as too rare: {choices}.",

  "ratings.no": "I do not have it",
  "ratings.yes": "I have it",
  "ratings.rest": "All others: “{answer}”",
  "ratings.rest.done.one": "{count} item marked “{answer}”.",
  "ratings.rest.done.other": "{count} items marked “{answer}”.",
  "ratings.how": "How do you rate it?",
  "ratings.star": "{level} of {scale} stars",
  "ratings.level": "{level} of {scale}",
  "ratings.untouched": "Not rated yet: move the slider, or click it.",
  "ratings.say": "Please choose one of the two.",
  "ratings.rate": "Please rate it.",
  "ratings.missing": "Please answer for every item of this question.",
  "ratings.missing.item": "Please answer for this item.",
  "ratings.ticket":
    "One item of this question was drawn for you, before anybody knew your answer. You are asked about it alone.",
  "ratings.drawn": "The item drawn:",
  "ratings.state.high": "“{answer}”, rated towards the upper end",
  "ratings.state.low": "“{answer}”, rated towards the lower end",
  "ratings.state.none": "“{answer}”",
  "ratings.about.other":
    "{mechanism}, {count} items, {scale} levels. ε = {epsilon} for one answer to the whole question, all items together. A report is about one item, drawn at random.",
  "ratings.note":
    "Left: the share of those who have an item. Right: the mean level of those who have it, and of nobody else. Both are the most likely values given the reports, with their 95 % intervals; each interval holds for its own row.",
  "ratings.chart": "Estimated shares and mean levels",
  "ratings.mean": "Mean level (1 to {scale})",
  "ratings.mean.none": "nobody to average",
  "ratings.unknown": "no report yet",
  "ratings.help": "Point at a row, or move with the arrow keys, to see its standard errors.",
  "ratings.detail":
    "{item}, “{answer}”: {share} %. 95 % interval: {low} to {high} %; standard error {stderr}.",
  "ratings.detail.mean":
    "Their mean level is {value}. 95 % interval: {low} to {high}; standard error {stderr}.",
  "ratings.detail.n.one": "{count} report about this item.",
  "ratings.detail.n.other": "{count} reports about this item.",
  "ratings.item": "Item",
  "ratings.reports": "Reports",
  "ratings.estimate": "Estimate",
  "ratings.none": "not known",
  "ratings.caption": "Estimated shares and mean levels: {question}",
  "ratings.points": "Shares and their errors in per cent, mean levels from 1 to {scale}.",
  "ratings.warning.few-reports":
    "Few reports: of {count} of {of} items there are fewer than 30 reports ({items}). Their figures are rough.",
  "ratings.warning.few-reports.all":
    "Few reports: of every item there are fewer than 30 reports. All figures are rough.",
  "ratings.warning.no-mean":
    "For {count} of {of} items nobody is estimated to have it ({items}): there is nobody whose mean could be given.",
  "ratings.warning.no-mean.all":
    "For none of the items anybody is estimated to have it: there is nobody whose mean could be given.",
  "ratings.warning.no-stderr":
    "Where an estimate lies at the border of what is possible, no standard error is known. Its interval holds all the same.",

  "alarms.title": "Made-up reports",
  "alarms.none": "No item stands out.",
  "alarms.many":
    "Suspiciously many reports: {items}. About {expected} reports an item are expected; by chance alone, less than one item in {odds} gets {least} or more.",
  "alarms.infeasible":
    "Reports that honest devices would hardly send: {items}. By chance alone this happens to at most about one item in {odds}.",
  "alarms.meaning":
    "An alarm means that some of an item's reports were probably made up; it does not say which, and without an alarm there may be some all the same.",
  "alarms.share": "If so many of all reports were made up:",
  "alarms.percent": "{share} %",
  "alarms.open":
    "Here devices draw the item that they report on, so that all made-up reports may be about one item: they could have moved its share by up to {moved} percentage points. By invitation, where the collector draws the item, it would be {drawn} at most.",
  "alarms.drawn":
    "Here the collector has drawn the item of each report, so that made-up reports are spread over all items: they could have moved no item's share by more than {drawn} percentage points.",
  "alarms.table": "How far they could have moved the figures",
  "alarms.end": "{value} (at the end of the scale)",
  "alarms.caption":
    "Where the figures of the honest reports alone could lie. Chance comes on top: see the intervals above.",

  "number.range": "A number from {low} to {high}:",
  "number.missing": "Please enter a number within the range.",
  "number.report": "Report {report} of {count}",
  "number.about": "{mechanism}, ε = {epsilon} for one answer to this question",
  "number.mean": "Mean of all answers: {value}. 95 % interval: {range}; standard error {stderr}.",
  "number.warning.few-reports": "Fewer than 30 reports: the interval is rough.",

  "place.hint":
    "Choose the cell of the map that is meant. It stays on this device; a cell drawn near it is sent.",
  "place.position": "Use my position",
  "place.map": "Map of cells: {question}",
  "place.caption": "North is up. The map is {width} km wide and {height} km high.",
  "place.cell": "row {row}, column {column}",
  "place.sea": "water",
  "place.none":
    "No cell chosen yet. Click one, or move on the map with the arrow keys and press Enter.",
  "place.chosen": "Chosen: {cell}.",
  "place.distance":
    "From here the cell that is sent lies typically {metres} away; with probability {kept} % it is this one.",
  "place.is-sea": "This is water. Please choose a cell of the land.",
  "place.looking": "Finding your position…",
  "place.found":
    "Your position lies in the cell that is marked now. The position itself was not kept.",
  "place.found.rough":
    "Your position, known to about {metres}, lies in the cell that is marked now. The position itself was not kept.",
  "place.denied":
    "This page may not see your position. That is fine: please choose a cell of the map.",
  "place.unavailable":
    "This device does not know its position. Please choose a cell of the map.",
  "place.timeout": "Your position took too long. Please choose a cell of the map.",
  "place.outside": "Your position lies outside the map. Please choose the cell that fits best.",
  "place.at-sea": "Your position lies on water here. Please choose a cell of the land.",
  "place.missing": "Please choose a cell of the map.",
  "place.rate": "{epsilon} per metre",
  "place.about.other":
    "{mechanism}, {count} cells. ε = {epsilon} per metre for one report: {kilometre} over a kilometre.",
  "place.shown": "The map shows",
  "place.shown.map": "Estimated shares",
  "place.shown.stderr": "Standard errors",
  "place.help": "Point at a cell, or move with the arrow keys, to see its figures.",
  "place.detail": "{cell}: {map} % on the map.",
  "place.detail.share":
    "Unbiased: {share} %. 95 % interval: {low} to {high} %; standard error {stderr} %.",
  "place.detail.few": "Few reports: rough.",
  "place.method.em.other":
    "The map shows the shares that make the reports likely (EM, {count} maps: as many as predict reports left out). The fewer the maps, the flatter: a peak is shown lower than it is. Intervals and standard errors belong to the unbiased shares, which the table lists beside it.",
  "place.method.smoothed.other":
    "The map shows the likeliest shares where neighbouring cells are alike (smoothed EM, {count} maps): trust its outlines more than single cells. Intervals and standard errors belong to the unbiased shares, which assume no such thing and which the table lists beside it.",
  "place.warning.few-reports":
    "Few reports: for {count} of {of} cells (dotted) fewer than 30 reports are expected. Their figures are rough.",
  "place.warning.few-reports.all":
    "Few reports: for every cell fewer than 30 reports are expected. All figures are rough.",
  "place.warning.no-inverse":
    "Reports about this map do not tell neighbouring cells apart well enough: there are no unbiased shares, and no standard errors.",
  "place.unknown": "not known",
  "place.cell-head": "Cell",
  "place.map-head": "On the map",
  "place.share-head": "Unbiased share",
  "place.top": "The cells with the largest shares",
  "place.all.other": "All {count} cells",
  "place.result.map": "Map of the estimated shares: {question}",

  "odds.title": "What exactly will be sent?",
  "odds.keep":
    "With probability {keep} your true answer is sent. Otherwise one of the {count} answers is drawn at random and sent; that may be yours as well.",
  "odds.bits":
    "For each of the {count} answers a yes or a no is sent. Yours says yes with probability {own}; each of the others says yes with probability {other}.",
  "odds.subset":
    "For each of the {count} answers a yes or a no is sent. Each one that you tick says yes with probability {own}; each of the others says yes with probability {other}.",
  "odds.table":
    "One of {count} possible reports is sent. Your answer changes how likely each of them is, by no more than a factor of {factor}.",
  "odds.pick":
    "One of {count} parts is drawn at random. Only this one is randomised and sent, with its number.",
  "odds.offset":
    "One of {count} cells of the map is sent, drawn at random: the likelier the nearer it is to yours.",
  "odds.place.typical":
    "On average over the map it lies {metres} away, and is your own cell with probability {kept} %.",
  "odds.place.epsilon":
    "This question spends ε = {epsilon} for each metre between two places, apart from any other question's. Between the two farthest cells of the map, {metres} apart, that makes ε = {most}: the most that one report can tell. It does tell the area.",
  "odds.place.again":
    "The same cell again sends the same report, which tells nothing new. Fresh reports about a place add up: each one narrows down where you are.",
  "odds.round":
    "Before that, the level is rounded at random to the highest or the lowest one: the higher it is, the likelier to the highest.",
  "odds.round.number":
    "Before that, the number is rounded at random to one of the two grid points around it: the nearer one is the likelier.",
  "odds.invited":
    "Your invitation has drawn one of {count} parts. You are asked about this one alone; it is randomised and sent, with its number.",
  "odds.size.one":
    "The report has {count} byte. It travels under a random number, so that it is counted once; no name, address or time is kept with it.",
  "odds.size.other":
    "The report has {count} bytes. It travels under a random number, so that it is counted once; no name, address or time is kept with it.",
  "odds.invite":
    "Your code travels with the report. The collector notes that it is used up, apart from the report and without the time.",
  "odds.epsilon": "This question spends ε = {epsilon}.",
  "odds.attribute": "“{attribute}” {odds} This part spends ε = {epsilon}.",
  "odds.attributes.other":
    "This question spends ε = {epsilon}, for its {count} parts together: each part is randomised on its own.",
  "odds.checked":
    "Checked on this device: these odds give the ε that is stated, and the survey is the one that its fingerprint names:",

  submit: "Randomise and send",
  "submit.busy": "Randomising…",
  "submit.note": "Nothing leaves this device before you press the button.",
  "submit.note.invited":
    "So far only the code of your invitation has left this device. Nothing else does before you press the button.",
  "submit.missing": "Please answer every question.",
  "submit.open.one": "Not complete yet: question {questions}.",
  "submit.open.other": "Not complete yet: questions {questions}.",
  "submit.missing.prefer":
    "Please answer every question. “{label}” is an answer too, and is randomised like the others.",

  "sent.title": "Thank you. Your report is in.",
  "sent.this": "This is what left your device",
  "sent.maybe": "It may be your answer or it may not: only you can tell.",
  "sent.none": "none of them",
  "sent.bits": "“Yes” to {count} of {total}:",
  "sent.number": "Report number",
  "sent.results": "See the live results",
  "already.title": "This device has already answered",
  "already.body":
    "Below is the report that it sent. The same answer again would send the same report, which is counted once.",
  "already.spent": "ε spent on this device: {spent} of at most {cap}.",
  "already.again": "Answer again",
  "pending.title": "Not delivered yet",
  "pending.body":
    "The collector could not be reached. Your randomised report is kept on this device and will be sent again under the same number.",
  "pending.retry": "Send it now",
  "pending.this": "This is what will leave your device",
  "refused.title": "The collector did not take the report",
  "refused.this": "This is the report that was not taken",
  "refused.403": "This survey is not open at the moment. Your report was not counted.",
  "refused.404": "This survey is not known to the collector. Your report was not counted.",
  "refused.409": "The survey was changed after this page was opened. Please reload the page.",
  "refused.invite.404":
    "The collector does not know the code of your invitation. Your report was not counted.",
  "refused.invite.409":
    "The code of your invitation has been used for another report. Yours was not counted.",
  "refused.other":
    "Your report was not counted. Trying again will not help; please tell whoever runs this survey.",
  "cap.title": "A different answer was not sent",
  "cap.body":
    "This device has spent its limit of ε = {cap} for this survey. Sending a second, different answer would tell more about you than was promised. Nothing was sent, and the report from before stands.",

  "shared.title": "Nothing more will be sent from this device",
  "shared.body":
    "It has given its answer, under another code, and has spent its limit of ε = {cap} for this survey. Your own code has not been sent from here: please open your invitation on another device.",

  "invite.title": "This survey is by invitation",
  "invite.body": "Each code admits one report.",
  "invite.draws": "It also draws what you are asked about: the same for you on every device.",
  "invite.code": "Code of your invitation",
  "invite.hint": "28 letters and digits; dashes and capitals do not matter.",
  "invite.submit": "Open the survey",
  "invite.mistyped": "This is not a whole code. Please look for a slip.",
  "invite.unknown": "This code does not belong to this survey. Please look at your invitation again.",
  "invite.spent": "This code has been used: a report came in under it. Each code admits one report.",
  "invite.unreachable":
    "The collector cannot be reached at the moment. Please try again in a while.",
  "invite.other": "The collector did not take the code. Please reload the page.",

  "early.title": "Not open yet",
  "early.body": "This survey opens on {date}.",
  "closed.title": "This survey is closed",
  "closed.body": "It closed on {date}. Thank you to everyone who took part.",
  closes: "Open until {date}",

  "error.title": "This page could not be opened",
  "error.missing": "There is no survey under this address.",
  "error.unreachable":
    "The collector cannot be reached at the moment. Please try again in a while.",
  "error.device":
    "This browser lacks something that is needed to protect your answer, so nothing can be sent from it.",
  "error.unsafe":
    "The survey does not match its own promises, so this page refuses to send an answer.",
  "error.other": "Something went wrong on this page. Nothing was sent.",
  "error.retry": "Try again",

  "results.eyebrow": "Live results",
  "results.title": "Results",
  "results.n.one": "{count} report",
  "results.n.other": "{count} reports",
  "results.invites": "{spent} of {issued} invitations used",
  "results.epsilon": "ε = {epsilon} for a whole submission",
  "results.epsilon.place": "ε = {epsilon} per metre for a place",
  "results.covers":
    "What ε covers: everything that one person sends in one submission. Each question's own part is given below.",
  "results.live": "Updated every two seconds",
  "results.paused": "Paused: the collector cannot be reached",
  "results.closed": "Closed on {date}",
  "results.target": "What the figures are about",
  "results.target.population": "The population",
  "results.target.respondents": "The respondents",
  "results.target.population.help":
    "The shares among everyone whom the respondents stand for. The intervals allow for the randomisation and for chance in who took part; they assume that the respondents are a random sample.",
  "results.target.respondents.help":
    "The shares among those who answered, and no one else. The intervals allow for the randomisation alone.",
  "results.order": "Order",
  "results.order.defined": "As asked",
  "results.order.share": "By share",
  "results.note":
    "Bars are unbiased estimates, whiskers their 95 % intervals. Each interval holds for its own row (pointwise), not for all rows at once. An estimate may fall below zero where the true share is small: it is shown as it is.",
  "results.question": "{mechanism}, {count} choices, ε = {epsilon} for one answer to this question",
  "results.several.one":
    "Shares of those to whom each choice applies; {count} could be ticked.",
  "results.several.other":
    "Shares of those to whom each choice applies. Up to {count} could be ticked: the shares need not add up to 100 %.",
  "results.mean":
    "Mean score of those who answered: {value}. 95 % interval: {range}; standard error {stderr}.",
  "results.mean.none": "A mean cannot be given: hardly anybody is estimated to have answered.",
  "results.chart": "Bar chart of the estimated shares; the table below has the same figures.",
  "results.table": "The same figures as a table",
  "results.caption": "Estimated shares: {question}",
  "results.choice": "Choice",
  "results.share": "Share",
  "results.interval": "95 % interval",
  "results.stderr": "Standard error",
  "results.points": "Shares, intervals and errors in per cent.",
  "results.range": "{low} to {high}",
  "results.comma": ", ",
  "results.warning.few-reports":
    "Few reports: for {count} of {of} choices fewer than 30 reports are expected ({choices}). Their shares are rough; their intervals are the wider ones for few reports, within 0 and 100 %.",
  "results.warning.few-reports.all":
    "Few reports: for every choice fewer than 30 reports are expected. The shares are rough; the intervals are the wider ones for few reports, within 0 and 100 %.",
  "results.empty.title": "No reports yet",
  "results.empty": "As soon as the first report arrives, the estimates appear here.",
  "results.answer": "To the survey",
  "results.download": "Download",
  "results.download.results": "Results (JSON)",
  "results.download.counts": "Counts (JSON)",

  "index.title": "Surveys that see the crowd, never a face",
  "index.intro":
    "Every answer is randomised on the device of the person who gives it. The collector keeps the randomised reports alone; together they show the shares, each with its error bar.",
  "index.list": "Collections",
  "index.answer": "Answer",
  "index.results": "Results",
  "index.empty": "There is no collection here yet.",
  "index.fingerprint": "Fingerprint",
};
