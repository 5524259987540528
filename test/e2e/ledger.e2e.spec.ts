import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Decimal, sumOf } from '#libs/kernel/core';
import { explain } from '../../apps/cli/ledger/explain.js';
import { readLedgerExtract } from '../../apps/cli/ledger/read-ledger-extract.js';
import type { AccountCode } from '#libs/contexts/ledger';
import { plainTextAccountName } from '#libs/outputs/books';
import { exportFormatNamed } from '../../apps/cli/ledger/export-format-named.js';
import { parsePeriod, parseUntilOption } from '../../apps/cli/ledger/moments.js';
import { writeFileAtomically } from '../../apps/cli/ledger/output.js';
import { replayLedger } from '../../apps/cli/ledger/replay.js';
import { requireWorkspace } from '../../apps/cli/ledger/workspace-log.js';
import {
  billYear,
  ledgerEntriesOf,
  MOMENTS,
  START,
  trialBalanceOf,
  type BilledYear,
  type LedgerEntry,
  type TrialBalance,
} from '../support/billed-year.js';
import {
  advanceClock,
  clientOf,
  createPlan,
  fee,
  freezeClock,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { countinghouse, endCommands } from '../support/command.js';
import { describeWith } from '../support/installed.js';
import { customerWithCard } from '../support/invoicing.js';

let system: System;
let workspace: TestWorkspace;
let year: BilledYear;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  year = await billYear(workspace);
}, 480_000);
afterAll(async () => {
  await endCommands();
  await system?.stop();
});

describe('GET /v1/ledger/trial-balance', () => {
  it('answers for a past moment what it answered then', async () => {
    for (const then of year.asked) {
      const { position, ...now } = await trialBalance(then.at);
      expect({ ...now, position: then.position }).toEqual(then);
      expect(BigInt(position)).toBeGreaterThanOrEqual(BigInt(then.position));
    }
    expect(year.asked.map(({ at }) => at)).toEqual(MOMENTS);
  });

  it('has equal columns, and nothing on the account for rounding', () => {
    for (const { currencies } of year.asked) {
      expect(currencies.map(({ currency }) => currency)).toEqual(['USD']);
      for (const { accounts, debit, credit } of currencies) {
        expect(debit).toBeGreaterThan(0);
        expect(credit).toBe(debit);
        expect(sumOf(accounts.map((line) => line.debit.toString())).toNumber()).toBe(debit);
        expect(accounts.find(({ account }) => account === 'rounding')).toMatchObject({ debit: 0, credit: 0 });
      }
    }
  });

  it('agrees with the invoices', async () => {
    const all = await invoices();
    const totalOf = (...statuses: string[]) =>
      sumOf(
        all.filter(({ status }) => statuses.includes(status)).map(({ total }) => total.toString()),
      ).toNumber();
    const last = year.asked.at(-1)!;
    expect(balanceOf(last, 'accounts_receivable')).toBe(totalOf('open'));
    // One credit note over 5 was refunded, and one went to the customer's balance.
    expect(balanceOf(last, 'cash')).toBe(totalOf('paid') - 5);
    expect(balanceOf(last, 'refunds', 'customer_credit')).toBe(10 - 5);
    expect(balanceOf(last, 'revenue', 'deferred_revenue')).toBe(-totalOf('open', 'paid'));
    expect(totalOf('void')).toBeGreaterThan(0);
  });

  it('defers what is billed in advance until it is earned', () => {
    // Of the two customers the invoice of one is void. On 31 March the other's quarter and year, both billed on
    // 15 January, are earned for 76 of their 90 and 365 days.
    const [march] = year.asked;
    const earned = (76 / 90) * 89 + (76 / 365) * 1_200;
    expect(balanceOf(march!, 'deferred_revenue')).toBeCloseTo(-(89 + 1_200 - earned), 1);
  });

  it('refuses a moment that is still to come, and what is no moment', async () => {
    const { body } = await workspace.http
      .get('/v1/ledger/trial-balance?at=2027-01-15T00:00:00.001Z')
      .expect(400);
    expect(body).toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'at', message: expect.stringContaining('2027-01-15T00:00:00.000Z') }],
    });
    const { body: forms } = await workspace.http.get('/v1/ledger/trial-balance?at=20').expect(400);
    expect(forms).toMatchObject({
      code: 'validation_failed',
      details: [
        { field: 'at', message: expect.stringMatching(/^must be a date such as .*, or a timestamp/) },
      ],
    });
  });

  it('is empty for a workspace that has billed nothing', async () => {
    const other = await system.workspace();
    const { body } = await other.http.get('/v1/ledger/trial-balance').expect(200);
    expect(body).toMatchObject({ currencies: [] });
  });
});

describe('GET /v1/ledger/entries', () => {
  it('lists postings of transactions that sum to zero, each with its event, in the order of their time', async () => {
    const all = await entries();
    const transactions = [...Map.groupBy(all, ({ transactionId }) => transactionId).values()];
    expect(transactions.length).toBeGreaterThan(30);
    expect(transactions.filter((lines) => net(lines) !== 0)).toEqual([]);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted());
    expect(all.every(({ at }) => at <= MOMENTS.at(-1)!)).toBe(true);
    // Several are invoiced at once, in any order.
    const first = all.find(({ customerId }) => customerId === year.customers.isDeclined)!;
    expect(first).toMatchObject({
      at: START,
      account: 'accounts_receivable',
      debit: 1_339,
      credit: 0,
      currency: 'USD',
      event: {
        type: 'InvoiceOpened',
        stream: `invoice-${workspace.workspaceId}.${first.invoiceId}`,
        position: expect.stringMatching(/^\d+$/),
        occurredAt: START,
      },
    });
    for (const account of ['accounts_receivable', 'cash', 'revenue'])
      expect(net(all.filter((entry) => entry.account === account))).toBe(
        balanceOf(year.asked.at(-1)!, account),
      );
  });

  it('filters by account, customer, invoice and time', async () => {
    const all = await entries();
    const expectOnly = async (filter: Record<string, string>, wanted: (entry: LedgerEntry) => boolean) => {
      const found = await entries(filter);
      expect(found).toEqual(all.filter(wanted));
      expect(found.length).toBeGreaterThan(0);
    };
    const { invoiceId } = all[0]!;
    await expectOnly({ account: 'cash' }, ({ account }) => account === 'cash');
    await expectOnly(
      { customer_id: year.customers.pays },
      ({ customerId }) => customerId === year.customers.pays,
    );
    await expectOnly({ invoice_id: invoiceId }, (entry) => entry.invoiceId === invoiceId);
    const { body: invoice } = await workspace.http.get(`/v1/invoices/${invoiceId}`).expect(200);
    await expectOnly({ invoice_id: invoice.number }, (entry) => entry.invoiceId === invoiceId);
    for (const none of ['INV-999999', invoice.number.replace('INV', 'CN')])
      expect(await entries({ invoice_id: none })).toEqual([]);
    await expectOnly(
      { from: '2026-02-15T00:00:00Z', to: '2026-04-30T23:59:59.999Z' },
      ({ at }) => at >= '2026-02-15T00:00:00.000Z' && at < '2026-04-30T23:59:59.999Z',
    );
    await expectOnly(
      { account: 'deferred_revenue', customer_id: year.customers.isVoided },
      (entry) => entry.account === 'deferred_revenue' && entry.customerId === year.customers.isVoided,
    );
  });

  it('gives pages in a stable order', async () => {
    const all = await entries();
    const pages: LedgerEntry[] = [];
    for (let offset = 0; offset < all.length; offset += 17)
      pages.push(...(await entries({ limit: 17, offset })));
    expect(pages).toEqual(all);
  });

  it.each([
    ['account', 'petty_cash'],
    ['customer_id', 'a b'],
    ['from', '2026-02-30T00:00:00Z'],
    ['limit', '0'],
    ['price', 'x'],
  ])('refuses %s=%s', async (name, value) => {
    const { body } = await workspace.http
      .get(`/v1/ledger/entries?${name}=${encodeURIComponent(value)}`)
      .expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: name }] });
  });
});

describe('credit notes', () => {
  it('are told apart by their numbers', async () => {
    const notes = await creditNotes();
    const all = await entries({ invoice_id: notes[0]!.invoiceId });
    for (const { id, number } of notes) {
      const told = all
        .filter(({ creditNoteId }) => creditNoteId === id)
        .map(({ description }) => description);
      expect(told).toContainEqual(expect.stringMatching(`^Credit note ${number} on invoice INV-\\d+$`));
      expect(told.filter((text) => !text.includes(number))).toEqual([]);
    }
    const ofInvoice = all.filter(({ creditNoteId }) => creditNoteId === null);
    expect(ofInvoice.length).toBeGreaterThan(0);
    expect(ofInvoice.filter(({ description }) => description.includes('CN-'))).toEqual([]);
  });
});

describe('the ledger over HTTP', () => {
  it('is for finance, and not for viewers or for usage', async () => {
    for (const [role, status] of [
      ['finance', 200],
      ['viewer', 403],
      ['ingest', 403],
    ] as const) {
      const { body } = await workspace.session.post('/v1/api-keys', { name: role, role }).expect(201);
      const http = clientOf(system.url, { 'x-api-key': (body as { key: string }).key });
      await http.get('/v1/ledger/trial-balance').expect(status);
      await http.get('/v1/ledger/entries').expect(status);
    }
    await clientOf(system.url).get('/v1/ledger/trial-balance').expect(401);
  });

  it("shows nothing of another workspace's", async () => {
    const other = await system.workspace();
    const { body } = await other.http
      .get(`/v1/ledger/entries?customer_id=${year.customers.pays}`)
      .expect(200);
    expect(body).toEqual({ data: [], hasMore: false });
  });
});

describe('countinghouse ledger replay', () => {
  it('shows, for a moment in the past, what the API answered at that moment', async () => {
    for (const then of year.asked) {
      const text = await replayLedger(
        { workspace: workspace.workspaceId, until: parseUntilOption(then.at) },
        environment(),
      );
      expect(printedLines(text)).toEqual(expectedLines(then));
    }
  });

  it('shows the same for the position in the log that the API had come to', async () => {
    const [, second] = year.asked;
    const text = await replayLedger(
      { workspace: workspace.workspaceId, until: parseUntilOption(second!.position) },
      environment(),
    );
    expect(printedLines(text)).toEqual(expectedLines(second!));
  });

  it('shows what one customer owes and has paid', async () => {
    const text = await replayLedger(
      { workspace: workspace.workspaceId, customer: year.customers.pays },
      environment(),
    );
    const { body } = await workspace.http
      .get(`/v1/invoices?customer_id=${year.customers.pays}&limit=100`)
      .expect(200);
    const paid = sumOf((body.data as { total: number }[]).map(({ total }) => String(total))).toNumber();
    expect(printedLines(text)).toEqual(expect.arrayContaining([`Cash ${paid} 0`, 'Accounts receivable 0 0']));
  });

  it('is a command that needs nothing but the event store', async () => {
    const run = countinghouse(['ledger', 'replay', '--workspace', workspace.workspaceId], environment());
    expect(await run.ended).toBe(0);
    expect(run.output.text).toContain(`${workspace.workspaceId} at ${MOMENTS.at(-1)}`);
    expect(printedLines(run.output.text)).toEqual(expectedLines(year.asked.at(-1)!));
  });

  it('says which option is wrong', async () => {
    await expect(
      replayLedger({ workspace: workspace.workspaceId, customer: 'nobody' }, environment()),
    ).rejects.toThrow(
      `--customer "nobody" must be the id of a customer: workspace ${workspace.workspaceId} has no customer with this id up to position`,
    );
    const nobody = countinghouse(
      ['ledger', 'replay', '--workspace', workspace.workspaceId, '--customer', 'nobody'],
      environment(),
    );
    expect(await nobody.ended).toBe(1);
    expect(nobody.output.text).toContain('--customer "nobody" must be');
    await expect(
      replayLedger({ workspace: workspace.workspaceId, until: parseUntilOption('0') }, environment()),
    ).rejects.toThrow(
      `The event store has no event of the workspace "${workspace.workspaceId}" up to position 0, where it has no workspace. --until takes a position`,
    );
    await expect(replayLedger({ workspace: 'acc_none' }, environment())).rejects.toThrow(
      `The event store has no event of the workspace "acc_none"; it has ${workspace.workspaceId} (Test Company)`,
    );
    await expect(requireWorkspace(undefined, environment())).rejects.toThrow(
      `--workspace is missing: give the id of a workspace. The event store has ${workspace.workspaceId} (Test Company)`,
    );
    expect(() => parseUntilOption('last month')).toThrow(
      '--until "last month" must be a position in the event log (digits alone), a date such as 2026-01-31, or a timestamp',
    );
    await expect(
      replayLedger({ workspace: workspace.workspaceId }, { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }),
    ).rejects.toThrow(/^The event store cannot be reached .*EVENTSTORE_URL$/);
  });
});

describe('books beyond the last event', () => {
  const notice =
    /transactions? (is|are) later than the last event, of 2027-01-15T[^ ]*: they have not happened yet if the workspace's clock is earlier/;

  it('say that what they have of that time is still to come', async () => {
    const { workspaceId } = workspace;
    const beyond = await replayLedger(
      { workspace: workspaceId, until: parseUntilOption('2030-01-01') },
      environment(),
    );
    expect(beyond).toMatch(notice);
    expect(await replayLedger({ workspace: workspaceId }, environment())).not.toMatch(notice);
    const extract = await readLedgerExtract(
      { workspace: workspaceId, to: '2030-01-01T00:00:00.000Z' },
      environment(),
    );
    expect(extract.futureNotice).toMatch(notice);
    expect(await readLedgerExtract({ workspace: workspaceId }, environment())).not.toHaveProperty('ahead');
  });
});

describe('the books of a workspace in Berlin', () => {
  /** Midnight of 1 February there. */
  const MIDNIGHT = '2026-01-31T23:00:00.000Z';
  let berlin: TestWorkspace;
  let invoiceId: string;
  const listed = (filter: Record<string, string> = {}) => ledgerEntriesOf(berlin, filter);
  const balanceAt = async (at: string, account: string): Promise<number> =>
    balanceOf(await trialBalanceOf(berlin, at), account);

  beforeAll(async () => {
    berlin = await system.workspace();
    await berlin.http.put('/v1/billing-settings', { timezone: 'Europe/Berlin' }).expect(200);
    await freezeClock(berlin, MIDNIGHT);
    const annual = fee('Licence', 365, { cadence: 'annual', timing: 'in_advance' });
    const planId = await createPlan(berlin, annual);
    const customerId = await customerWithCard(berlin);
    const timezone = 'Europe/Berlin';
    await berlin.http.post('/v1/subscriptions', { customerId, planId, timezone }).expect(201);
    await advanceClock(berlin, '2026-05-12T10:00:00.000Z');
    const { body } = await berlin.http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    invoiceId = (body as { data: { id: string }[] }).data[0]!.id;
  });

  it('are dated as its documents are', async () => {
    const [first] = await listed();
    expect(first).toMatchObject({ at: MIDNIGHT, date: '2026-02-01' });
    expect(await listed({ to: '2026-02-01' })).toEqual([]);
    expect(await listed({ to: '2026-02-01T00:00:00Z' })).not.toEqual([]);
    const february = await listed({ from: '2026-02-01', to: '2026-03-01', account: 'revenue' });
    expect(february.map(({ at, credit }) => [at, credit])).toEqual([['2026-02-28T22:59:59.999Z', 28]]);
  });

  it('show the balances of the end of a day there', async () => {
    expect(await balanceAt('2026-01-31', 'deferred_revenue')).toBe(0);
    expect(await balanceAt('2026-02-01', 'deferred_revenue')).toBe(-365);
    expect(await balanceAt('2026-02-28', 'deferred_revenue')).toBe(-337);
    // April's end is an hour early in UTC: 1.00 a day is 0.04 an hour.
    expect(await balanceAt('2026-04-30', 'deferred_revenue')).toBe(-276.04);
    // Of today, what has taken effect.
    expect(await balanceAt('2026-05-12', 'deferred_revenue')).toBe(-276.04);
    const { body } = await berlin.http.get('/v1/ledger/trial-balance?at=2026-05-13').expect(200);
    expect(body).toMatchObject({ at: '2026-05-13' });
    await berlin.http.get('/v1/ledger/trial-balance?at=2026-05-14').expect(400);
  });

  it('are made with the same dates from the events alone', async () => {
    const { workspaceId } = berlin;
    const until = async (date: string) =>
      replayLedger({ workspace: workspaceId, until: parseUntilOption(date) }, environment());
    expect(await until('2026-01-31')).toContain('Nothing had been posted by then.');
    expect(await until('2026-02-28')).toContain(`${workspaceId} at the end of 2026-02-28`);
    expect(await until('2026-02-28')).toMatch(/Deferred revenue.* 337\.00/);
    const extract = await readLedgerExtract(
      { workspace: workspaceId, ...parsePeriod({ from: '2026-02-01', to: '2026-03-01' }) },
      environment(),
    );
    expect(extract.openingBalances).toEqual([]);
    expect(extract.transactions.map(({ date }) => date)).toEqual(['2026-02-01', '2026-02-01', '2026-02-28']);
    for (const format of ['hledger', 'beancount'])
      expect([...exportFormatNamed(format)(extract)].join('')).toMatch(/^2026-02-01 \* "?Invoice INV-/m);
    const [, row] = parse<Record<string, string>>([...exportFormatNamed('csv')(extract)].join(''), {
      columns: true,
    });
    expect(row).toMatchObject({ at: MIDNIGHT, date: '2026-02-01' });
    const story = [...(await explain({ workspace: workspaceId, subject: invoiceId }, environment()))].join(
      '',
    );
    expect(story).toContain(`${MIDNIGHT} (booked on 2026-02-01)  InvoiceOpened`);
  });

  it('take a credit note in full from deferred revenue, as far as it is not earned', async () => {
    // From 1 February to noon of 12 May in Berlin, 100 days and a half less the hour of summer time have passed.
    await berlin.http.post(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'service_issue' }).expect(201);
    const note = (await listed({ invoice_id: invoiceId })).filter(({ description }) =>
      description.startsWith('Credit note'),
    );
    expect(net(note.filter(({ account }) => account === 'refunds'))).toBeCloseTo(100 + 11 / 24, 2);
    expect(await balanceAt('2026-05-12', 'deferred_revenue')).toBe(0);
    await advanceClock(berlin, '2027-02-02T00:00:00.000Z');
    const { body } = await berlin.http.get('/v1/ledger/trial-balance?at=2027-01-31').expect(200);
    expect(balanceOf(body as TrialBalance, 'deferred_revenue')).toBe(0);
    expect(balanceOf(body as TrialBalance, 'revenue', 'refunds')).toBe(0);
  });
});

describe('countinghouse ledger explain', () => {
  const told = async (subject: string, customer?: string) => [
    ...(await explain(
      { workspace: workspace.workspaceId, subject, ...(customer === undefined ? {} : { customer }) },
      environment(),
    )),
  ];

  it('tells how an invoice came to be owed, by which events, when and by whom', async () => {
    const [first] = await entries({ customer_id: year.customers.isDeclined });
    const text = (await told(first!.invoiceId)).join('');
    expect(text).toMatch(
      new RegExp(
        `^Invoice INV-\\d+, open, USD\n  for 2026-[^]*    Total +1,339.00\n\n +debit +credit +owed\n${START}  InvoiceCreated, position \\d+, by system billing\n` +
          `${START}  InvoiceOpened, position ${first!.event.position}, by system invoicing\n` +
          '  Invoice INV-\\d+, USD\n +Accounts receivable +1,339.00 +1,339.00 Dr\n',
      ),
    );
    expect(text).toContain('PaymentFailed');
    expect(text).toContain(`2026-12-31T23:59:59.999Z  InvoiceOpened of ${START}, position`);
  });

  it('tells the same of an invoice that is named by its number', async () => {
    const [first] = await entries({ customer_id: year.customers.isDeclined });
    const { body } = await workspace.http.get(`/v1/invoices/${first!.invoiceId}`).expect(200);
    expect(await told(body.number)).toEqual(await told(first!.invoiceId));
    await expect(told('INV-999999')).rejects.toThrow('has the number INV-999999');
  });

  it('ends an account with its balance', async () => {
    const lines = await told('accounts_receivable');
    const balance = balanceOf(year.asked.at(-1)!, 'accounts_receivable');
    const last = lines.findLast((line) => / (?:Dr|Cr)$/m.test(line))!;
    expect(last.trim().split(/ {2,}/).at(-1)).toBe(
      `${balance.toLocaleString('en', { minimumFractionDigits: 2 })} Dr`,
    );
    expect((await told('accounts_receivable', year.customers.pays)).join('')).not.toContain('INV-000001');
  });

  it('tells what was posted for a credit note, and for no other one of its invoice', async () => {
    const [refunded, other] = await creditNotes();
    const text = (await told(refunded!.number)).join('');
    expect(text).toMatch(
      new RegExp(
        `CreditNoteIssued, position \\d+,\\s+by .*\n.*  CreditNoteNumbered, position \\d+,\\s+by .*\n` +
          `  Credit note ${refunded!.number} on invoice INV-\\d+, USD\n +Refunds +5.00\n +Accounts receivable +5.00 +5.00 Cr\n` +
          `.*  CreditNoteRefunded, position \\d+,\\s+by .*\n  Refund of credit note ${refunded!.number} on invoice INV-\\d+, USD\n` +
          ' +Accounts receivable +5.00 +0.00\n +Cash +5.00\n$',
      ),
    );
    expect(text).not.toContain(other!.number);
    expect((await told(refunded!.id)).join('')).toBe(text);
    const ofInvoice = (await told(refunded!.invoiceId)).join('');
    for (const { number } of [refunded!, other!])
      expect(ofInvoice).toContain(`Credit note ${number} on invoice`);
  });

  it('says of an account that nothing was posted to that it is empty', async () => {
    expect(await told('rounding')).toEqual(['Nothing was posted to rounding: it is empty.\n']);
    expect(await told('cash', year.customers.isVoided)).toEqual([
      `Nothing was posted to cash for customer ${year.customers.isVoided}: it is empty.\n`,
    ]);
    const run = countinghouse(
      ['ledger', 'explain', 'rounding', '--workspace', workspace.workspaceId],
      environment(),
    );
    expect(await run.ended).toBe(0);
  });

  it('says what can be explained', async () => {
    for (const nothing of ['petty_cash', 'cash:price_1'])
      await expect(told(nothing)).rejects.toThrow(
        `"${nothing}" must be the id or the number of an invoice (inv_…, INV-000042) or of a credit note (cn_…, CN-000042)`,
      );
    for (const none of ['inv_none', 'cn_none', 'revenue:price_none'])
      await expect(told(none)).rejects.toThrow(`is about ${none}`);
    await expect(told('cash', 'nobody')).rejects.toThrow('--customer "nobody" must be the id of a customer');
  });
});

describe('countinghouse ledger export', () => {
  const run = promisify(execFile);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The books of the year, or of a part of it, as a file. */
  async function exported(format: string, period: { from?: string; to?: string } = {}): Promise<string> {
    const extract = await readLedgerExtract({ workspace: workspace.workspaceId, ...period }, environment());
    const path = join(folder, `books.${format}`);
    await writeFile(path, [...exportFormatNamed(format)(extract)].join(''));
    return path;
  }

  /** Of what the API answered: each account's name in the file, with its balance; none of zero. */
  const balancesOf = ({ currencies }: TrialBalance): Record<string, number> =>
    Object.fromEntries(
      currencies
        .flatMap(({ accounts }) => accounts)
        .map((line) => [accountNameOf(line), net([line])] as const)
        .filter(([, balance]) => balance !== 0),
    );

  describeWith('hledger', 'as a journal of hledger', () => {
    const balances = async (path: string): Promise<Record<string, number>> => {
      const { stdout } = await run('hledger', ['-f', path, 'balance', '--flat', '-N', '-O', 'csv']);
      const rows: string[][] = parse(stdout, { from_line: 2 });
      return Object.fromEntries(
        rows.map(([account, amount]) => [account!, Number(amount!.replace(' USD', ''))]),
      );
    };

    it('is accepted, strictly, and agrees with the trial balance on every account', async () => {
      const path = await exported('hledger');
      await run('hledger', ['-f', path, 'check', '--strict', 'ordereddates']);
      expect(await balances(path)).toEqual(balancesOf(year.asked.at(-1)!));
    });

    it('agrees with what the API answered at each moment, also with opening balances', async () => {
      const [march, , september] = year.asked;
      for (const from of [undefined, march!.at]) {
        const path = await exported('hledger', { ...(from ? { from } : {}), to: '2026-09-20T10:30:00.001Z' });
        await run('hledger', ['-f', path, 'check', '--strict']);
        expect(await balances(path)).toEqual(balancesOf(september!));
      }
    });

    it('is refused when an amount in it is changed', async () => {
      const path = await exported('hledger');
      const text = await readFile(path, 'utf8');
      await writeFile(
        path,
        text.replace('  1339.00 USD', '  1338.00 USD').replace('  -1200.00 USD', '  -1199.00 USD'),
      );
      await expect(run('hledger', ['-f', path, 'check'])).rejects.toThrow(/balance assertion/i);
    });
  });

  describeWith('bean-check', 'as a ledger of Beancount', () => {
    it('is accepted, with an assertion of every balance that the API answered', async () => {
      for (const period of [{}, { from: '2026-04-01T00:00:00.000Z', to: '2026-12-31T00:00:00.000Z' }]) {
        const path = await exported('beancount', period);
        await run('bean-check', [path]);
      }
      const text = await readFile(await exported('beancount'), 'utf8');
      const asserted = [...text.matchAll(/^2027-01-16 balance (\S+) (\S+) USD$/gm)]
        .map(([, account, amount]) => [account!, Number(amount)] as const)
        .filter(([, amount]) => amount !== 0);
      expect(Object.fromEntries(asserted)).toEqual(balancesOf(year.asked.at(-1)!));
    });

    it('is refused when an amount in it is changed', async () => {
      const path = await exported('beancount');
      const text = await readFile(path, 'utf8');
      await writeFile(
        path,
        text.replace('  1339.00 USD', '  1338.00 USD').replace('  -1200.00 USD', '  -1199.00 USD'),
      );
      await expect(run('bean-check', [path])).rejects.toThrow(/Balance failed/);
    });
  });

  it('has a transaction for each event that posted something, with what names the event', async () => {
    const all = await entries();
    const { transactions } = JSON.parse(await readFile(await exported('json'), 'utf8')) as {
      transactions: {
        id: string;
        at: string;
        event: LedgerEntry['event'];
        postings: Pick<LedgerEntry, 'debit' | 'credit'>[];
      }[];
    };
    const byId = Map.groupBy(all, ({ transactionId }) => transactionId);
    expect(transactions.map(({ id }) => id).toSorted()).toEqual([...byId.keys()].toSorted());
    for (const { id, at, event, postings } of transactions) {
      expect(event).toMatchObject(byId.get(id)![0]!.event);
      expect(at).toBe(byId.get(id)![0]!.at);
      expect(postings.map(({ debit, credit }) => [debit, credit])).toEqual(
        byId.get(id)!.map(({ debit, credit }) => [debit, credit]),
      );
    }
  });

  it('has a row for each posting as CSV, and the balances before it', async () => {
    const from = '2026-05-01T00:00:00.000Z';
    const rows: Record<string, string>[] = parse(await readFile(await exported('csv', { from }), 'utf8'), {
      columns: true,
    });
    const opening = rows.filter(({ transactionId }) => transactionId === 'opening');
    expect(rows.length - opening.length).toBe((await entries({ from })).length);
    const sum = (of: Record<string, string>[]) =>
      sumOf(of.map(({ debit, credit }) => new Decimal(debit!).minus(credit!))).toFixed();
    expect([sum(opening), sum(rows)]).toEqual(['0', '0']);
    const cash = sum(rows.filter(({ account }) => account === 'cash'));
    expect(Number(cash)).toBe(balanceOf(year.asked.at(-1)!, 'cash'));
  });

  it('is a command that writes a whole file', async () => {
    const out = join(folder, 'out.journal');
    const run = countinghouse(
      ['ledger', 'export', '--workspace', workspace.workspaceId, '--format', 'hledger', '--out', out],
      environment(),
    );
    expect(await run.ended).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(await readFile(await exported('hledger'), 'utf8'));
    expect(run.output.text).toContain('transactions written to');
  });

  it('says which option is wrong', async () => {
    expect(() => exportFormatNamed('ledger')).toThrow(
      '--format "ledger" must be one of hledger, beancount, csv, json',
    );
    expect(() => parsePeriod({ from: 'May' })).toThrow('--from "May" must be a date');
    expect(() => parsePeriod({ from: '2026-05-01', to: '2026-05-01' })).toThrow(
      '--to 2026-05-01 must come after --from 2026-05-01',
    );
    await expect(writeFileAtomically(join(folder, 'none', 'books'), ['text'])).rejects.toThrow(
      /cannot be written: ENOENT/,
    );
  });
});

async function trialBalance(at?: string): Promise<TrialBalance> {
  return trialBalanceOf(workspace, at);
}

async function entries(filter: Record<string, string | number> = {}): Promise<LedgerEntry[]> {
  return ledgerEntriesOf(workspace, filter);
}

/** The credit notes of the year, oldest first: one that was refunded, and one that went to the balance. */
async function creditNotes(): Promise<{ id: string; number: string; invoiceId: string }[]> {
  const { body } = await workspace.http
    .get(`/v1/invoices/${year.creditedInvoiceId}/credit-notes`)
    .expect(200);
  return (body as { data: { id: string; number: string; invoiceId: string }[] }).data;
}

async function invoices(): Promise<{ id: string; status: string; total: number }[]> {
  const { body } = await workspace.http.get('/v1/invoices?limit=100').expect(200);
  return (body as { data: { id: string; status: string; total: number }[] }).data;
}

/** The balance of accounts, over all prices. A debit is above zero. */
function balanceOf({ currencies }: TrialBalance, ...accounts: string[]): number {
  const lines = currencies.flatMap((one) => one.accounts).filter((one) => accounts.includes(one.account));
  return net(lines);
}

function net(lines: { debit: number; credit: number }[]): number {
  return sumOf(lines.map(({ debit, credit }) => new Decimal(debit).minus(credit))).toNumber();
}

/** The event store, and nothing else: what the commands read. */
function environment() {
  return { EVENTSTORE_URL: system.node.url };
}

/** The rows of a printed trial balance: `name debit credit`, empty columns as zero. */
function printedLines(text: string): string[] {
  const lines = text.split('\n');
  const heading = lines.findIndex((line) => line.startsWith('USD'));
  const debit = lines[heading]!.indexOf('debit') + 'debit'.length;
  return lines
    .slice(
      heading + 1,
      lines.findIndex((line) => line.includes('─')),
    )
    .map((line) => {
      const name = line.split(/ {2,}/)[0]!;
      const amount = (column: string) => Number(column.trim().split(/ +/).at(-1)!.replaceAll(',', ''));
      return [name, amount(line.slice(name.length, debit)), amount(line.slice(debit))].join(' ');
    });
}

/** The account's name in the files for hledger and Beancount. */
function accountNameOf({
  account,
  priceId,
  priceName,
  taxRateId,
  taxRateName,
}: TrialBalance['currencies'][0]['accounts'][0]): string {
  const key = { account: account as AccountCode, detail: priceId ?? taxRateId };
  return plainTextAccountName(key, () => priceName ?? taxRateName ?? undefined);
}

/** What {@link printedLines} must be for what the API answered; prices by their names and ids. */
function expectedLines({ currencies }: TrialBalance): string[] {
  return currencies[0]!.accounts.map(({ name, priceId, taxRateId, taxRateName, debit, credit }) => {
    const detail = priceId ?? taxRateId;
    const detailName = priceId === null ? taxRateName : year.priceNames.get(priceId);
    return [detail === null ? name : `${name}: ${detailName} (${detail})`, debit, credit].join(' ');
  });
}
