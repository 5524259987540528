import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { loadSettings } from '#libs/kernel/system';
import { findChrome } from '../../libs/outputs/documents/pdf/chrome.js';

/** It ends what hangs. */
const MAX_MILLIS = 120_000;

/** Starts the Chromium that prints PDFs, for tests of pages. */
export async function launchBrowser(): Promise<Browser> {
  return puppeteer.launch({
    executablePath: await findChrome(loadSettings(process.env)),
    headless: 'shell',
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: MAX_MILLIS,
  });
}

/** A new page. Its waits are long, since they only end what hangs, and a page is slow to load beside other specs. */
export async function newPage(browser: Browser | BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(MAX_MILLIS);
  return page;
}
