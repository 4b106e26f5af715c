// node node.mjs https://survey.example tea memory.json brand=iyemon
import { readFile, rename, open } from "node:fs/promises";
import { TextStorage, connect } from "@sudare/client";

const [url, name, file, ...given] = process.argv.slice(2);
const storage = new TextStorage({
  read: () => readFile(file, "utf8").catch((error) => (error.code === "ENOENT" ? null : Promise.reject(error))),
  async write(text) {
    const fresh = await open(`${file}.new`, "w", 0o600); // for its owner alone: it holds the answers
    await fresh.writeFile(text);
    await fresh.sync();
    await fresh.close();
    await rename(`${file}.new`, file);
  },
});
const survey = await connect(url, name, { storage });
const answers = Object.fromEntries(given.map((one) => one.split("=")));
const { state, submission } = await survey.answer(answers);
console.log(JSON.stringify({ state, id: submission.id }));
