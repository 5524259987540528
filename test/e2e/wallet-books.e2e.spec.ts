import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import type pg from 'pg';
import { PersonalDataVault } from '#libs/kernel/event-store';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import { explain } from '../../apps/cli/ledger/explain.js';
import { exportFormatNamed } from '../../apps/cli/ledger/export-format-named.js';
import { readLedgerExtract } from '../../apps/cli/ledger/read-ledger-extract.js';
import {
  advanceClock,
  chargedMetric,
  createPlan,
  fee,
  freezeClock,
  ledgerBalances,
  requestsOf,
  createPool,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { describeWith } from '../support/installed.js';

const run = promisify(execFile);
let system: System;
let pool: pg.Pool;
let keys: PersonalDataVault;
let workspace: TestWorkspace;
let customerId: string;
let metricId: string;
/** The purchases: one expires, one is given back, one is used. */
let expiring: { id: string; invoice: { id: string } };
let givenBack: { id: string; invoice: { id: string } };
let used: { id: string; invoice: { id: string } };
let overageInvoice: InvoiceView;

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database);
  keys = new PersonalDataVault(pool);
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const { post, create, invoicesOf } = requestsOf(() => workspace);
  const charged = await chargedMetric(post)({ overage: 'allow', overagePrice: 0.02 });
  ({ customerId, metricId } = charged);
  const { path, use } = charged;
  await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
  const planId = await createPlan(workspace, fee('Base', 5));
  await create('/v1/subscriptions', { customerId, planId });
  const buy = (credits: number, more: object = {}) => create(`${path}/purchases`, { credits, ...more });
  expiring = await buy(1_000, { expiresAt: '2026-01-10T00:00:00.000Z' });
  await advanceClock(workspace, '2026-01-10T00:00:00Z');
  used = await buy(1_000);
  await create(`${path}/grants`, { amount: 5 });
  await use(666);
  await advanceClock(workspace, '2026-01-12T00:00:00Z');
  givenBack = await buy(500);
  await advanceClock(workspace, '2026-01-13T00:00:00Z');
  await post(`${path}/blocks/${givenBack.id}/void`, { creditNote: true });
  await use(1_500);
  await advanceClock(workspace, '2026-02-01T00:00:00Z');
  overageInvoice = (await invoicesOf(customerId)).find(({ lines }) =>
    lines.some((l) => l.type === 'overage'),
  )!;
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});

const environment = () => ({ EVENTSTORE_URL: system.node.url });
/** An explanation in one line, so that a test does not depend on where lines are broken. */
const told = async (subject: string) =>
  [...(await explain({ workspace: workspace.workspaceId, subject }, environment(), keys))]
    .join('')
    .replaceAll(/\s+/g, ' ');
const wallet = () => `wallet of ai-credits of ${customerId}`;
/** The request does the steps of a purchase, and the saga does them too. Either can be first. */
const EITHER = 'api_key key_\\w+|system credit-purchases';

describe('countinghouse ledger explain', () => {
  it('says which block the invoice of a purchase paid for, and what it cost', async () => {
    const text = await told(used.invoice.id);
    expect(text).toContain(
      `Invoice INV-000002, paid, USD at 2026-01-10T00:00:00Z pays for the block ${used.id} of ai-credits ` +
        'AI credits (prepaid credits) 10.00 at 2026-01-10T00:00:00Z 1,000 credits of ai-credits × 0.01 Subtotal 10.00',
    );
    for (const [type, what] of [
      ['CreditPurchaseCreated', `1,000 credits bought: block ${used.id}`],
      ['CreditPurchaseActivated', `1,000 credits paid for: block ${used.id}`],
    ])
      expect(text).toMatch(new RegExp(`${type}, position \\d+, by (${EITHER}) ${what}; ${wallet()}`));
    expect(text).not.toContain(expiring.id);
  });

  it('shows on the invoice of a purchase that its credits were voided for a credit note', async () => {
    const text = await told(givenBack.invoice.id);
    expect(text).toMatch(
      new RegExp(
        `CreditsVoided, position \\d+, by api_key key_\\w+ 500 credits voided: 500 of ${givenBack.id}; ${wallet()} ` +
          '2026-01-13T00:00:00.000Z CreditNoteIssued',
      ),
    );
    expect(text).not.toContain('Prepaid credits voided, USD');
  });

  it('shows overage in credits, each at its price', async () => {
    const text = await told(overageInvoice.id);
    expect(text).toContain(
      `Tokens, AI credits (beyond the prepaid credits) 1.56 ${metricId} from 2026-01-01T00:00:00Z to 2026-02-01T00:00:00Z ` +
        '78 credits of ai-credits × 0.02 Subtotal 6.56',
    );
    expect(text).toMatch(
      new RegExp(`CreditOverageBilled, .* 78 credits of overage billed, each for 0.02 USD; ${wallet()}`),
    );
  });

  it('shows on an invoice the credits that were used until then', async () => {
    const text = await told(overageInvoice.id);
    // 5 + 328, and 672.
    expect(text).toContain(`shows 1,005 credits of ai-credits as used for ${metricId}`);
    expect(text).toMatch(new RegExp(`CreditsUsedInvoiced, .* 1,005 credits shown as used; ${wallet()}`));
  });

  it('leads from the accounts of prepaid credits and breakage to the events of wallets', async () => {
    const prepaid = await told('prepaid_credits');
    for (const what of [
      `Prepaid credits expired, USD 1,000 credits expired: 1,000 of ${expiring.id}; ${wallet()} Prepaid credits 10.00 0.00 Breakage 10.00`,
      `, 328 of ${used.id}; ${wallet()} Prepaid credits 3.28 6.72 Cr Revenue 3.28`,
      `Prepaid credits voided, USD 500 credits voided: 500 of ${givenBack.id}; ${wallet()} Prepaid credits 5.00 6.72 Cr Refunds 5.00`,
      `750 credits used: 672 of ${used.id}, 78 of no block; ${wallet()} Prepaid credits 6.72 0.00 Revenue 6.72`,
    ])
      expect(prepaid).toContain(what);
    expect(await told('breakage')).toMatch(
      new RegExp(
        `^ debit credit balance 2026-01-10T00:00:00.000Z CreditsExpired, position .* 10.00 10.00 Cr $`,
      ),
    );
  });
});

describe('countinghouse ledger export of prepaid credits', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function exported(format: string, from?: string): Promise<string> {
    const asked = { workspace: workspace.workspaceId, ...(from === undefined ? {} : { from }) };
    const path = join(folder, `books.${format}`);
    const extract = await readLedgerExtract(asked, environment());
    await writeFile(path, [...exportFormatNamed(format)(extract)].join(''));
    return path;
  }

  it('has what the API answers', async () => {
    expect(await ledgerBalances(workspace)).toEqual({ cash: 26.56, revenue: -16.56, breakage: -10 });
  });

  describeWith('hledger', 'as a journal of hledger', () => {
    it.each([undefined, '2026-01-11'])('is accepted from %s, and has breakage and revenue', async (from) => {
      const path = await exported('hledger', from);
      await run('hledger', ['-f', path, 'check', '--strict', 'ordereddates']);
      const { stdout } = await run('hledger', ['-f', path, 'balance', '--flat', '-N', '-O', 'csv', 'Income']);
      const rows: string[][] = parse(stdout, { from_line: 2 });
      const balances = new Map(rows.map(([name, amount]) => [name!.split(':Price-')[0]!, amount]));
      expect(balances.get('Income:Breakage')).toBe('-10.00 USD');
      const revenue = rows.filter(([name]) => name!.startsWith('Income:Revenue'));
      expect(revenue.map(([, amount]) => amount).toSorted()).toEqual(['-11.56 USD', '-5.00 USD']);
    });

    it('is refused if the breakage is changed', async () => {
      const path = await exported('hledger');
      const text = await readFile(path, 'utf8');
      const changed = text
        .replace('Income:Breakage  -10.00 USD', 'Income:Breakage  -9.00 USD')
        .replace('Liabilities:PrepaidCredits  10.00 USD', 'Liabilities:PrepaidCredits  9.00 USD');
      expect(changed).not.toBe(text);
      await writeFile(path, changed);
      await expect(run('hledger', ['-f', path, 'check'])).rejects.toThrow(/balance assertion/i);
    });
  });

  describeWith('bean-check', 'as a ledger of Beancount', () => {
    it.each([undefined, '2026-01-11'])('is accepted from %s, and asserts the breakage', async (from) => {
      const path = await exported('beancount', from);
      await run('bean-check', [path]);
      const text = await readFile(path, 'utf8');
      expect(text).toMatch(/^\S+ balance Income:Breakage -10.00 USD$/m);
      expect(text).toMatch(/^\S+ balance Liabilities:PrepaidCredits 0.00 USD$/m);
    });
  });
});
