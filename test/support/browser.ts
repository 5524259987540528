import puppeteer, { type Browser } from 'puppeteer-core';
import { loadSettings } from '#libs/kernel/system';
import { findChrome } from '../../libs/outputs/documents/pdf/chrome.js';

/** Starts the Chromium that prints PDFs, for tests of pages. */
export async function launchBrowser(): Promise<Browser> {
  return puppeteer.launch({
    executablePath: await findChrome(loadSettings(process.env)),
    headless: 'shell',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}
