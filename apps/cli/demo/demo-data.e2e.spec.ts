import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PDFDocument } from '@cantoo/pdf-lib';
import { clientOf, startSystem, type System } from '../../../test/support/index.js';
import { ApiClient } from './api-client.js';
import { createDemoData, type DemoAccess } from './demo-data.js';
import { runDemo } from './index.js';
import { hasUsers } from './has-users.js';

const [MONTH, NEXT_MONTH] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'] as const;
const MADE_WITHIN_MILLIS = 60_000;

let system: System;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());

describe('the demo', () => {
  it(
    'has an invoice with seller, tiers, tax, discount and credit',
    async () => {
      let customersAtFirst: Promise<unknown> | undefined;
      const signedUp = ({ apiKey }: DemoAccess) => {
        const http = clientOf(system.url, { authorization: `Bearer ${apiKey}` });
        customersAtFirst = http.get('/v1/customers').then(({ body }) => body);
      };
      const told = { signedUp, said: () => undefined };
      const { demo, pdf } = await createDemoData(new ApiClient(system.url), MONTH, NEXT_MONTH, told);
      expect(await customersAtFirst).toEqual({ data: [], hasMore: false });
      expect(demo.workspaceId).toMatch(/^acc_/);
      // The document shows the product, so it must fit on one page.
      expect((await PDFDocument.load(pdf, { updateMetadata: false })).getPageCount()).toBe(1);
      const { text } = await clientOf(system.url).get(demo.invoicePath).expect(200);
      const said = [
        'Countinghouse Demo Inc.',
        '350 Fifth Avenue',
        'PO-2026-0815',
        'Tokens · large',
        'Up to 1,000,000: 1,000,000 × $20.00 per\u00a01,000,000',
        'Above: ',
        'Free: 1,000',
        'Welcome discount',
        'Net total',
        'Sales tax 8.875% on $',
        'Applied from your balance',
        'Credit note CN-000002',
        'Paid',
        'with Visa ending 4242',
        'Download receipt',
        'class="logo"',
      ];
      for (const words of said) expect(text).toContain(words);
      const http = clientOf(system.url, { authorization: `Bearer ${demo.apiKey}` });
      const { body: invoice } = await http.get(`/v1/invoices/${demo.invoiceId}`).expect(200);
      expect(invoice).toMatchObject({ status: 'paid', balanceApplied: 5, amountCredited: 5 });
    },
    MADE_WITHIN_MILLIS,
  );

  it('is not made in a database that has users of its own, such as one that was restored', async () => {
    const databaseUrl = system.database.url;
    expect(await hasUsers(databaseUrl, { exceptOfDemos: true })).toBe(false);
    expect(await hasUsers(databaseUrl, { exceptOfDemos: false })).toBe(true);
    await system.workspace();
    const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
    const nobody = () => {
      throw new Error('A demo was begun');
    };
    const options = { apiUrl: system.url, databaseUrl, dataDir, onSignedUp: nobody, onProgress: nobody };
    expect(await runDemo(options)).toBeUndefined();
    expect(await readdir(dataDir)).toEqual([]);
    // A demo that was begun with this folder, and interrupted, is made again if nobody else has registered.
    await mkdir(join(dataDir, 'demo'));
    expect(await runDemo(options)).toBeUndefined();
    await rm(dataDir, { recursive: true });
  });
});
