// Where a phone remembers. React Native lacks crypto: import "react-native-get-random-values" and a
// polyfill of crypto.subtle (such as react-native-quick-crypto) before this module.
import AsyncStorage from "@react-native-async-storage/async-storage";
import { TextStorage, connect } from "@sudare/client";

/** One text a collector, whose address is written alike each time: charges add up in it by the survey's name. */
function storageOf(url) {
  const place = `sudare ${url.replace(/\/+$/, "")}`;
  return new TextStorage({
    read: () => AsyncStorage.getItem(place),
    write: (text) => AsyncStorage.setItem(place, text),
  });
}

export const openSurvey = (url, name) => connect(url, name, { storage: storageOf(url) });
