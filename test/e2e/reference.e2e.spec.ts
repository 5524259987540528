import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { launchBrowser, newPage } from '../support/browser.js';
import { clientOf, startSystem, type System } from '../support/index.js';

/*
 * The reference at /docs in a browser: all of it comes from the API itself, and it can be read on a telephone.
 */

let system: System;
let browser: Browser;

beforeAll(async () => {
  system = await startSystem();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await system?.stop();
});

/** The page in a window of this size, once it is there; and what it asked for and complained of. */
async function open(width: number, height: number) {
  const page = await newPage(browser);
  await page.setViewport({ width, height });
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  page.on(
    'console',
    (message) => void (['error', 'warn'].includes(message.type()) && complaints.push(message.text())),
  );
  page.on('pageerror', (error) => void complaints.push(String(error)));
  await page.goto(`${system.url}/docs`);
  await page.waitForFunction(
    "document.querySelector('h1')?.innerText.includes('Countinghouse API') && document.body.innerText.includes('Usage-based')",
  );
  return { page, asked, complaints };
}

/** For looking at it: `SCREENSHOTS=/tmp npm test -- test/e2e/reference`. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

describe.each([
  ['a wide window', 1280, 900],
  ['a telephone', 390, 844],
])('the reference in %s', (_, width, height) => {
  it('asks no other server, runs nothing that is forbidden, and fits', async () => {
    const { page, asked, complaints } = await open(width, height);
    await keepPicture(page, `docs-${width}`);
    expect(asked.filter((url) => !url.startsWith(system.url) && !url.startsWith('data:'))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.close();
  });
});

it('has the guides and a search', async () => {
  const { page } = await open(1280, 900);
  const text = String(await page.evaluate('document.body.innerText'));
  for (const guide of ['Getting started', 'Usage', 'Webhooks', 'Generated clients'])
    expect(text).toContain(guide);
  expect(text).toMatch(/Search/i);
  await page.close();
});

it('allows the page its own scripts alone', async () => {
  const { headers } = await clientOf(system.url).get('/docs').expect(200);
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
  const { body } = await clientOf(system.url).get('/docs/openapi.json').expect(200);
  expect(body.info.description).toContain('# Getting started');
  expect(body.info.description).not.toMatch(/\]\((?!https?:)/);
});
