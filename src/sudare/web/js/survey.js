import { openSurvey } from "./answering.js";
import { Client } from "./client.js";
import { SystemEntropy } from "./entropy.js";
import { api } from "./fetching.js";
import { getJson, loadCollection, nameFromAddress } from "./load.js";
import { mount } from "./mount.js";
import { openStorage } from "./storage.js";
import { outcomeView } from "./views/outcome.js";

/** The survey page, for a respondent. */
openSurvey({
  open: async () => {
    const collection = await loadCollection(nameFromAddress());
    const storage = await openStorage();
    return new Client(collection, { storage, entropy: new SystemEntropy(), base: mount() });
  },
  outcomeView,
  isDeleted: () =>
    getJson(api(nameFromAddress())).then(
      () => false,
      (error) => error.reason === "deleted",
    ),
});
