// Where the browsers of the tests are: what CHROMIUM and FIREFOX name, else what goes by one of the usual names.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

function find(what, variable, names, more) {
  if (process.env[variable]) return process.env[variable];
  const places = names.flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)));
  const found = [...places, ...more].find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!found) throw new Error(`no ${what}: run scripts/setup.sh all, or set ${variable} to its path`);
  return found;
}

export const findChromium = () =>
  find('Chromium', 'CHROMIUM', ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'], [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]);

export const findFirefox = () =>
  find('Firefox', 'FIREFOX', ['firefox-esr', 'firefox'], ['/Applications/Firefox.app/Contents/MacOS/firefox']);
