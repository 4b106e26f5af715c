/** @type {Record<string, string>} */
export const en = {
  "language.name": "English",
  "language.switch": "Language",
  "brand.line": "Statistics about people, from answers randomised on their own devices.",
  skip: "Skip to the content",
  loading: "Opening…",
  "choice.prefer-not-to-say": "Prefer not to say",
  more: "Technical detail",
  back: "All collections",

  "how.title": "How your answer travels",
  "how.choose.title": "You choose",
  "how.choose": "Your choice is made here, in this browser. It is remembered here; what is sent is a randomised report.",
  "how.chance.title": "Your device adds chance",
  "how.chance":
    "Random numbers drawn on this device decide what goes out, with the chances that the survey states.",
  "how.leaves.title": "Only the outcome leaves",
  "how.leaves":
    "Of your answer, the collector receives the randomised report alone. {doubt} From many reports together, figures about everyone can still be estimated.",
  "how.leaves.invited":
    "Of your answer, the collector receives the randomised report alone; the code of your invitation comes with it. {doubt} From many reports together, figures about everyone can still be estimated.",
  "how.epsilon.one":
    "ε = {epsilon} covers this whole submission, one question. Whatever you answer, no report is more than {factor} times as likely as it would be under any other answer.",
  "how.epsilon.other":
    "ε = {epsilon} covers this whole submission, all {count} questions together. Whatever you answer, no report is more than {factor} times as likely as it would be under any other answers.",

  "publish.steps":
    "Results become public in steps of at least {least} reports, the first with {count} or more; never one by one.",
  "publish.end.one":
    "Results become public once, when the survey has ended, however few have answered: if yours is the only report, everyone sees it, as it was sent.",
  "publish.end.other":
    "Results become public once, when the survey has ended, unless fewer than {count} have answered.",
  "publish.each":
    "A demonstration: the public results change with every single report, so that whoever watches them sees yours, as it was sent.",
  "publish.single":
    "The public results may change with a single report: whoever watches them may see yours, as it was sent.",

  "how.without": "Places are not part of it: their ε counts metres.",

  "question.number": "Question {number} of {count}",
  "question.filter": "Find a choice",
  "question.shown": "{shown} of {count} shown",

  "tells.title": "What happens to your answer",
  "tells.kept":
    "Of {of} people who answer as you do, about {part} send that answer as it is; the others send another one.",
  "tells.even":
    "From the report to this question alone, someone who thought it 50:50 between two answers can become at most {even} % sure of one of them.",
  "tells.listed":
    "From it alone, someone to whom all {count} answers were equally likely (1 in {count}) can become at most {listed} % sure of one of them.",
  "tells.together":
    "Answers that go together tell on each other: from all {count} reports together, 50:50 can become at most {even} %.",
  "told.listed":
    "From the report to this question alone, someone to whom all {count} answers were equally likely can become at most {listed} % sure of one of them.",
  "told.again":
    "This device has made other reports for this survey as well, to another answer or to an earlier version of it. Whoever knows that they are from one person can become surer than this one alone allows.",
  "doubt.even.one":
    "Someone who sees the report and thought it 50:50 between two answers can become at most {even} % sure of one of them.",
  "doubt.even.other":
    "Someone who sees the reports and thought it 50:50 between two ways of answering the {count} questions can become at most {even} % sure of one of them.",
  "doubt.without": "What the report about the place tells comes on top.",

  "odds.title": "What exactly will be sent?",
  "odds.keep":
    "With probability {keep} your true answer is sent. Otherwise one of the {count} answers is drawn at random and sent; that may be yours as well.",
  "odds.keep.rounded":
    "With probability {keep} what came of that is sent. Otherwise one of the {count} possible outcomes is drawn at random and sent; that may be the same.",
  "odds.bits":
    "For each of the {count} answers a yes or a no is sent. Yours says yes with probability {own}; each of the others says yes with probability {other}.",
  "odds.subset":
    "For each of the {count} answers a yes or a no is sent. Each one that you tick says yes with probability {own}; each of the others says yes with probability {other}.",
  "odds.choose":
    "The report names {size} of the {count} answers: yours with probability {own}, each of the others with probability {other}.",
  "odds.table":
    "One of {count} possible reports is sent. Your answer changes how likely each of them is, by no more than a factor of {factor}.",
  "odds.pick":
    "One of {count} parts is drawn at random. Only this one is randomised and sent, with its number.",
  "odds.offset":
    "One of {count} cells of the map is sent, drawn at random: the likelier the nearer it is to yours.",
  "odds.round":
    "Before that, the level is rounded at random to the highest or the lowest one: the higher it is, the likelier to the highest.",
  "odds.round.number":
    "First, the number is rounded at random to one of the two grid points around it: the nearer one is the likelier.",
  "odds.invited":
    "Your invitation has drawn one of {count} parts. You are asked about this one alone; it is randomised and sent, with its number.",
  "odds.size.one":
    "The report has {count} byte. It travels under a random number, so that it is counted once; no name, address or time is kept with it.",
  "odds.size.other":
    "The report has {count} bytes. It travels under a random number, so that it is counted once; no name, address or time is kept with it.",
  "odds.delay.one":
    "It leaves within {count} second after you press the button, at a random moment: its arrival does not tell more precisely when you answered.",
  "odds.delay.other":
    "It leaves within {count} seconds after you press the button, at a random moment: its arrival does not tell more precisely when you answered.",
  "odds.delay.closes":
    "In the last {count} seconds before the survey closes the wait is shorter or none: then its arrival does tell more.",
  "odds.invite":
    "Your code travels with the report. The collector notes that it is used up, apart from the report and without the time.",
  "odds.epsilon": "This question spends ε = {epsilon}.",
  "odds.checked":
    "Checked on this device: these odds give the ε that is stated, and the survey is the one that its fingerprint names:",

  submit: "Randomise and send",
  "submit.busy": "Randomising…",
  "submit.note": "Nothing about your answer leaves this device before you press the button.",
  "submit.note.invited":
    "So far the code of your invitation has left this device, and nothing about your answer. That does not change before you press the button.",
  "submit.missing": "Please answer every question.",
  "submit.open.one": "Not complete yet: question {questions}.",
  "submit.open.other": "Not complete yet: questions {questions}.",
  "submit.missing.prefer":
    "Please answer every question. “{label}” is an answer too, and is randomised like the others.",

  "sent.title": "Thank you. Your report is in.",
  "sent.this": "This is what left your device",
  "sent.none": "none of them",
  "sent.bits": "“Yes” to {count} of {total}:",
  "sent.number": "Report number",
  "sent.results": "See the results",
  "already.title": "This device has already answered",
  "already.body":
    "Below is the report that it sent. The same answer again would send the same report, which is counted once.",
  "already.spent": "ε spent on this device: {spent} of at most {cap}.",
  "already.again": "Answer again",
  "waiting.title": "Your report leaves in a moment",
  "waiting.body.one":
    "It waits on this device for a random moment within {count} second. If you close this page before, the report is kept, and sent when you open the page again, if the survey still takes reports then.",
  "waiting.body.other":
    "It waits on this device for a random moment within {count} seconds. If you close this page before, the report is kept, and sent when you open the page again, if the survey still takes reports then.",
  "kept.yes":
    "This browser has promised to keep what it remembers of your answer until you clear this site's data.",
  "kept.no": "This browser remembers your answer, but may forget it when it runs short of space.",
  "kept.forget":
    "If you clear the site's data, or once a private window is closed, it has forgotten that you answered. A further answer would then be a new report, and both together tell more about you than one: please answer once.",
  "pending.title": "Not delivered yet",
  "pending.body":
    "The collector could not be reached, or could not take it just now. Your randomised report is kept on this device and will be sent again under the same number.",
  "pending.retry": "Send it now",
  "pending.this": "This is what will leave your device",
  "refused.title": "The collector did not take the report",
  "refused.this": "This is the report that was not taken",
  "refused.counted": "Your report was not counted.",
  "refused.403": "This survey is not open at the moment. {counted}",
  "refused.404": "This survey is not known to the collector. {counted}",
  "refused.409":
    "The survey was changed after this page was opened. {counted} Please reload the page.",
  "refused.invite.404": "The collector does not know the code of your invitation. {counted}",
  "refused.invite.409": "The code of your invitation has been used for another report. {counted}",
  "refused.other":
    "{counted} Trying again will not help; please tell whoever runs this survey.",
  "unsure.title": "The collector did not take the report this time",
  "unsure.this": "This is the report that was not taken this time",
  "unsure.counted":
    "Your report was not taken this time. It was sent before, and that was never confirmed: whether it was counted then is not known.",
  "cap.title": "A different answer was not sent",
  "cap.body":
    "This device's limit for this survey is ε = {cap}. A second, different answer would pass it, and tell more about you than was promised. Nothing was sent, and the report from before stands.",

  "already.site.other":
    "All {count} surveys of this site that were answered from here together: ε = {spent}.",

  "earlier.title": "This device has answered an earlier version of this survey",
  "earlier.body":
    "The survey has been changed since. Another answer is another report, and both together tell more about you than one.",
  "earlier.bill":
    "So far ε = {spent}. Answering again costs up to ε = {cost} more: together ε = {together}. Your device allows a further answer only while all together stay within ε = {limit}.",
  "earlier.alike":
    "Where a question is still the same, the same answer as before sends the same report and costs nothing.",
  "earlier.some": "A different answer would pass the limit and will not be sent.",
  "earlier.none": "This would pass the limit: nothing more will be sent from this device.",
  "earlier.refused": "That answer would have passed this device's limit. Nothing was sent.",
  "earlier.leave": "If you do not want that, close this page: no other answer is sent then.",
  "earlier.agree": "Answer this version too",

  "shared.title": "Nothing more will be sent from this device",
  "shared.body":
    "It has given its answer, under another code; another one would pass its limit of ε = {cap} for this survey. Your own code has not been sent from here: please open your invitation on another device.",

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
  "error.other": "Something went wrong on this page. Please reload it.",
  "error.retry": "Try again",

  "results.eyebrow": "Survey results",
  "results.title": "Results",
  "results.n.one": "{count} report",
  "results.n.other": "{count} reports",
  "results.invites": "{spent} of {issued} invitations in these figures",
  "results.epsilon": "ε = {epsilon} for a whole submission",
  "results.covers":
    "What ε covers: everything that one person sends in one submission. Each question's own part is given below.",
  "results.covers.without":
    "What ε covers: the answers to all questions but those about places, in one submission of one person. Each question's own part is given below.",
  "results.steps": "Changes in steps of at least {count} reports",
  "results.each": "Demonstration: every single report is shown here, as soon as it arrives",
  "results.single.one": "Changes with every new report: single reports may be shown",
  "results.single.other": "Changes from {count} new reports on; a single report may be shown",
  "results.once": "Shown once, after {date}",
  "results.tally.other":
    "For whoever sees these figures alone: ε = {epsilon} with δ = 0.000001, as at least {count} reports become public together. This assumes that the collector keeps single reports to itself and that so many of them are honest.",
  "results.paused": "Paused: the collector cannot be reached",
  "results.closed": "Closed on {date}",
  "results.closed.early":
    "By the collector's clock the survey ended on {date}; by this device's clock that is still to come. New reports are not shown",
  "results.closed.steps": "Closed on {date}; up to {rest} last reports may be left out",
  "results.target": "What the figures are about",
  "results.target.population": "The population",
  "results.target.respondents": "The respondents",
  "results.target.population.help":
    "The figures for everyone whom the respondents stand for. The intervals allow for the randomisation and for chance in who took part; they assume that the respondents are a random sample.",
  "results.target.respondents.help":
    "The figures for those who answered, and no one else. The intervals allow for the randomisation alone.",
  "results.order": "Order",
  "results.order.defined": "As asked",
  "results.order.share": "By share",
  "results.note":
    "Bars are unbiased estimates, whiskers their 95 % intervals. Each interval holds for its own row (pointwise), not for all rows at once. An estimate may fall below 0 or above 100 %: it is shown as it is.",
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
  "results.part.none": "No report is about this part yet.",
  "results.rough": "{share} (few reports)",
  "results.unknown": "not known",
  "results.range": "{low} to {high}",
  "results.range.below": "below {end}",
  "results.range.above": "above {end}",
  "results.comma": ", ",
  "results.empty.title": "No reports yet",
  "results.empty": "As soon as the first report arrives, the estimates appear here.",
  "results.none.title": "No reports",
  "results.none": "The survey has ended, and no report came in.",
  "results.waiting.title": "Results appear when at least {count} have answered",
  "results.waiting":
    "Until then nothing is shown, not even how many have answered. Figures that changed with each report would show that report to whoever watches.",
  "results.waiting.single":
    "Until then nothing is shown, not even how many have answered. After that a single report may change the figures, and show itself to whoever watches.",
  "results.end.title": "Results appear when the survey has ended",
  "results.end.one":
    "Until {date} nothing is shown, not even how many have answered. Then the figures of all reports become public at once, even if there is only one.",
  "results.end.other":
    "Until {date} nothing is shown, not even how many have answered. Then the figures of all reports become public at once, if there are at least {count}.",
  "results.few.title": "Too few have answered",
  "results.few":
    "Results become public from {count} reports on, so that nobody's stands alone. The survey ended with fewer.",
  "results.answer": "To the survey",
  "results.download": "Download",
  "results.download.results": "Results (JSON)",
  "results.download.counts": "Counts (JSON)",

  "index.title": "Surveys whose answers are randomised on your own device",
  "index.intro":
    "Every answer is randomised on the device of the person who gives it. The collector keeps the randomised reports alone; together they show the shares, each with its error bar.",
  "index.list": "Collections",
  "index.answer": "Answer",
  "index.results": "Results",
  "index.empty": "There is no collection here yet.",
  "index.fingerprint": "Fingerprint",
};
