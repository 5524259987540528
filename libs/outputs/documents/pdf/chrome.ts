import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { Settings } from '#libs/kernel/system';
import { canRunPackedChromium, isStillPacked, unpackChromium } from './npm-chromium.js';

const LAUNCH_TIMEOUT_MILLIS = 30_000;
const NICE = '/usr/bin/nice';
const NICENESS = 10;

/** The paths of manual installations of Chrome, Chromium or Edge, on systems for which the npm package has no browser. */
const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
];

/** Starts a browser without a window. When this process ends in any way, the browser ends too, since the pipe between them breaks. */
export async function launchChrome(
  settings: Pick<Settings, 'chromePath' | 'chromeSandbox' | 'dataDir'>,
): Promise<Browser> {
  // The module is loaded with the first PDF. Loading it earlier would slow down the start of the process.
  const { default: puppeteer } = await import('puppeteer-core');
  const chrome = await findChrome(settings);
  const args = [
    // One more defence: documents contain everything that they need, so no host name or address resolves.
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--disable-gpu',
    '--font-render-hinting=none',
    // Chromium refuses to run as root with its sandbox.
    ...(settings.chromeSandbox && process.getuid?.() !== 0 ? [] : ['--no-sandbox']),
  ];
  const chromeArgs = puppeteer.defaultArgs({ headless: 'shell', args });
  // `nice` becomes Chromium, and Chromium's processes inherit its priority. Printing so yields to requests on a busy machine.
  const isNice = existsSync(NICE);
  return puppeteer.launch({
    executablePath: isNice ? NICE : chrome,
    ignoreDefaultArgs: true,
    args: isNice ? [`-n${NICENESS}`, chrome, ...chromeArgs] : chromeArgs,
    pipe: true,
    timeout: LAUNCH_TIMEOUT_MILLIS,
    // This process handles signals itself, in its own order.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/**
 * Starts a browser and ends it. Throws the error of the start. The Chromium of the npm package is only looked for until it is unpacked,
 * because unpacking takes seconds of processor time.
 */
export async function tryOutChrome(
  settings: Pick<Settings, 'chromePath' | 'chromeSandbox' | 'dataDir'>,
): Promise<void> {
  const { chromePath, dataDir } = settings;
  if (chromePath === undefined && canRunPackedChromium() && (await isStillPacked(chromiumFolder(dataDir))))
    return;
  const browser = await launchChrome(settings);
  await browser.close();
}

/** The path of a Chrome or Chromium browser: from the settings, from the npm package, or from a manual installation. */
export async function findChrome({
  chromePath,
  dataDir,
}: Pick<Settings, 'chromePath' | 'dataDir'>): Promise<string> {
  if (chromePath !== undefined) {
    if (!existsSync(chromePath)) throw new Error(`CHROME_PATH is "${chromePath}", where there is no file`);
    return chromePath;
  }
  if (canRunPackedChromium()) return unpackChromium(chromiumFolder(dataDir));
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed === undefined) throw new Error('This machine has no Chrome; install one or set CHROME_PATH');
  return installed;
}

function chromiumFolder(dataDir: string): string {
  return join(dataDir, 'chromium');
}
