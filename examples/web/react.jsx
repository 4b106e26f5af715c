// One question as a React component. The survey names the page's origin in allowed_origins.
import { connect, openStorage } from "@sudare/client";
import { useEffect, useState } from "react";

export function Survey({ url, name }) {
  const [survey, setSurvey] = useState();
  const [said, setSaid] = useState("");

  useEffect(() => {
    let gone = false;
    (async () => {
      const client = await connect(url, name, { storage: await openStorage() });
      await client.flush();
      if (!gone) setSurvey(client);
    })().catch((error) => setSaid(error.message));
    return () => {
      gone = true;
    };
  }, [url, name]);

  async function send(event) {
    event.preventDefault();
    const answers = Object.fromEntries(new FormData(event.currentTarget));
    try {
      setSaid((await survey.answer(answers)).state);
    } catch (error) {
      setSaid(error.message); // such as BudgetExceeded: nothing was drawn, charged or sent
    }
  }

  if (!survey) return <p role="status">{said || "…"}</p>;
  const { definition, texts } = survey.collection;
  return (
    <form onSubmit={send}>
      {definition.questions.map(({ id, choices }) => (
        <fieldset key={id}>
          <legend>{texts.questions[id]?.text?.en ?? id}</legend>
          {choices.map((choice) => (
            <label key={choice}>
              <input type="radio" name={id} value={choice} required /> {choice}
            </label>
          ))}
        </fieldset>
      ))}
      <button>Send, randomised</button>
      <output>{said}</output>
    </form>
  );
}
