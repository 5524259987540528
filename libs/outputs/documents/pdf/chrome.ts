import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { Settings } from '#libs/kernel/system';
import { runsHere, unpackChromium } from './npm-chromium.js';

const LAUNCH_TIMEOUT_MILLIS = 30_000;

/** Where Chrome or Chromium is installed by hand, on the systems that the npm package has none for. */
const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
];

/** Starts a browser without a window. It ends with this process, however that ends: its pipe breaks. */
export async function launchChrome(
  settings: Pick<Settings, 'chromePath' | 'chromeSandbox' | 'dataDir'>,
): Promise<Browser> {
  // Only the first PDF needs it; loading it is a part of what a process takes to start.
  const { default: puppeteer } = await import('puppeteer-core');
  return puppeteer.launch({
    executablePath: await findChrome(settings),
    headless: 'shell',
    pipe: true,
    timeout: LAUNCH_TIMEOUT_MILLIS,
    // Signals are for the process to handle, in its order.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      // The last of several walls: documents have everything inside, so no name and no address leads anywhere.
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--disable-gpu',
      '--font-render-hinting=none',
      // Chromium refuses to run as root with its sandbox.
      ...(settings.chromeSandbox && process.getuid?.() !== 0 ? [] : ['--no-sandbox']),
    ],
  });
}

/** The file of a Chrome or Chromium: the one of the settings, the one from npm, or one that is installed. */
export async function findChrome({
  chromePath,
  dataDir,
}: Pick<Settings, 'chromePath' | 'dataDir'>): Promise<string> {
  if (chromePath !== undefined) {
    if (!existsSync(chromePath)) throw new Error(`CHROME_PATH is "${chromePath}", where there is no file`);
    return chromePath;
  }
  if (runsHere()) return unpackChromium(join(dataDir, 'chromium'));
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed === undefined)
    throw new Error('There is no Chrome on this machine; install one or set CHROME_PATH');
  return installed;
}
