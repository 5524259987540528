import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { createLogger, loadSettings } from '#libs/kernel/system';
import { launchChrome } from './chrome.js';
import { fontFaces } from './fonts.js';
import { PdfRenderer } from './pdf-renderer.js';

const settings = loadSettings(process.env);
const logger = createLogger('test', 'silent');
const browsers: Browser[] = [];

let renderer: PdfRenderer;

function newRenderer(prepare: (browser: Browser, launched: number) => void = () => undefined): PdfRenderer {
  browsers.length = 0;
  return (renderer = new PdfRenderer(async () => {
    const browser = await launchChrome(settings);
    browsers.push(browser);
    prepare(browser, browsers.length);
    return browser;
  }, logger));
}

afterEach(async () => renderer.close());

const page = (body: string) =>
  `<!doctype html><html><head><title>T</title></head><body>${body}</body></html>`;
const isPdf = (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-';

describe('the PDF renderer', () => {
  it('keeps one browser for many documents at once', async () => {
    newRenderer();
    const documents = await Promise.all(
      Array.from({ length: 6 }, (_, index) => renderer.render(page(`<p>Document ${index}</p>`), 'acc_1')),
    );
    expect(documents.every(isPdf)).toBe(true);
    expect(browsers).toHaveLength(1);
    expect(await browsers[0]!.pages()).toHaveLength(1);
  });

  it('prints for another party before the many documents of one party', async () => {
    newRenderer();
    const printed: string[] = [];
    const print = async (name: string, party: string): Promise<void> => {
      await renderer.render(page(name), party);
      printed.push(name);
    };
    const ofOne = Array.from({ length: 8 }, (_, index) => print(`one ${index}`, 'acc_1'));
    await Promise.all([...ofOne, print('another', 'acc_2')]);
    // The first party's first two documents had already started.
    expect(printed.indexOf('another')).toBeLessThan(4);
  });

  it('prints a document that many request at the same time twice at most', async () => {
    let pages = 0;
    newRenderer((browser) =>
      browser.on('targetcreated', (target) => (pages += Number(String(target.type()) === 'page'))),
    );
    const copies = await Promise.all(
      Array.from({ length: 20 }, () => renderer.render(page('same'), 'acc_1')),
    );
    expect(copies.every(isPdf)).toBe(true);
    // One starts at the first request, and one serves all later requests.
    expect(pages).toBe(2);
  });

  it('starts another browser if its browser has died, even during a document', async () => {
    newRenderer((browser, launched) => {
      if (launched === 1) browser.process()!.kill('SIGKILL');
    });
    expect(isPdf(await renderer.render(page('one'), 'acc_1'))).toBe(true);
    expect(browsers).toHaveLength(2);
    const died = new Promise<void>((resolve) => browsers[1]!.once('disconnected', () => resolve()));
    browsers[1]!.process()!.kill('SIGKILL');
    await died;
    expect(isPdf(await renderer.render(page('two'), 'acc_1'))).toBe(true);
    expect(browsers).toHaveLength(3);
  });

  it('starts another browser if its browser hangs between two documents', async () => {
    newRenderer();
    await renderer.render(page('One'), 'acc_1');
    browsers[0]!.process()!.kill('SIGSTOP');
    expect(isPdf(await renderer.render(page('Two'), 'acc_1'))).toBe(true);
    expect(browsers).toHaveLength(2);
  }, 60_000);

  it('says that there is no PDF now when no browser can be started', async () => {
    renderer = new PdfRenderer(() => Promise.reject(new Error('no such file')), logger);
    await expect(renderer.render(page('x'), 'acc_1')).rejects.toMatchObject({
      code: 'pdf_unavailable',
      status: 503,
    });
  });

  it('has fonts of its own, whatever the machine has', async () => {
    newRenderer();
    const html = page('<p style="font-family: \'Open Sans\'">Ünïcödé €</p>').replace(
      '</head>',
      `<style>${await fontFaces('')}</style></head>`,
    );
    const pdf = await renderer.render(html, 'acc_1');
    expect(pdf.toString('latin1')).toMatch(/\/BaseFont \/[A-Z]{6}\+OpenSans-Regular/);
  });
});

describe('a hostile document', () => {
  let server: Server;
  let requests: string[];
  let origin: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request.url!);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('reaches nothing: no address, no file, no script', async () => {
    requests = [];
    newRenderer();
    const hostile = page(`
      <script>fetch('${origin}/script'); document.body.innerHTML = 'x'.repeat(1e6)</script>
      <img src="${origin}/image"><img src=x onerror="location='${origin}/handler'">
      <link rel="stylesheet" href="${origin}/style"><style>@import '${origin}/import'; body { background: url('${origin}/css') }</style>
      <iframe src="${origin}/frame"></iframe><iframe src="file:///etc/passwd"></iframe><iframe src="http://localhost:${new URL(origin).port}/name"></iframe>
      <object data="${origin}/object"></object><embed src="${origin}/embed"><video src="${origin}/video" autoplay></video>
      <meta http-equiv="refresh" content="0; url=${origin}/refresh">
      <p>still here</p>`);
    const pdf = await renderer.render(hostile, 'acc_1');
    expect(isPdf(pdf)).toBe(true);
    expect(pdf.length).toBeLessThan(100_000);
    expect(requests).toEqual([]);
  });
});
