import type { Pool } from 'pg';
import { isEmbedded } from '../../support/store-process.ts';
import type { Entry } from '../load/journal.ts';
import { nameOfToppedUp } from '../load/prepaid.ts';
import {
  BILLED_CREDITS,
  BLOCKING_CREDITS,
  EPOCH,
  LIMIT,
  LIMITED_EVENT_NAME,
  type Workspace,
} from '../load/workspace.ts';
import type { Facts } from './facts.ts';
import type { CheckName, CheckOfAllName } from './index.ts';
import { changeRow, copyRow, removeRow, type Plot } from './planting.ts';
import { nextMonth } from './money.ts';
import { acknowledgement, type SentEvent } from './writes.ts';

/** What a control has changed: the journal as the checks are to read it, and how everything is put back. */
export interface Planted {
  entries: Entry[];
  undo(): Promise<void>;
}

/** A defect of the kind that a fault must not leave behind, planted so that a check has something to find. */
export interface Control {
  /** The check that must find it, and what it must say. */
  check: CheckName | CheckOfAllName;
  says: RegExp;
  plant(pool: Pool, facts: Pick<Facts, 'workspace' | 'entries'>): Promise<Planted>;
}

const OF_WORKSPACE = 'workspace_id = $1';
// Of those who have not subscribed: what the others have is listed by customer, and other controls change it.
const customers: Plot = {
  table: 'read.customers',
  key: ['stream'],
  where: `${OF_WORKSPACE} AND id NOT IN (SELECT customer_id FROM read.subscriptions WHERE ${OF_WORKSPACE})`,
};
const invoicesOfSubscriptions: Plot = {
  table: 'read.invoices',
  key: ['stream'],
  where: `${OF_WORKSPACE} AND subscription_ids <> '[]'`,
};
const WITH_LICENSES = `(SELECT customer_id FROM read.licenses WHERE ${OF_WORKSPACE})`;
const WITH_OVERAGE = `state @> '{"lines": [{"type": "overage"}]}'`;
const WITH_TRANSFERS = `state @> '{"recordedPayments": [{}]}'`;
// Without what other checks reckon: seats, and overage, which the check of invoices takes off the total.
const PLAIN = `${invoicesOfSubscriptions.where} AND NOT ${WITH_OVERAGE} AND customer_id NOT IN ${WITH_LICENSES}`;
const invoices: Plot = { ...invoicesOfSubscriptions, where: `${PLAIN} AND NOT ${WITH_TRANSFERS}` };
/** Paid by transfer. Other controls change those with overage or used credits. */
const transferred: Plot = {
  ...invoicesOfSubscriptions,
  where: `${PLAIN} AND ${WITH_TRANSFERS} AND NOT state @> '{"creditsUsed": [{}]}'`,
};
const usage: Plot = {
  table: 'usage.events',
  key: ['id'],
  where: `series_id IN (SELECT s.id FROM usage.series s JOIN usage.streams ON streams.id = stream_id
    WHERE workspace_id = $1)`,
};
// Of an invoice that is still listed: another control takes one away.
const charges: Plot = {
  table: 'payments.sandbox_charges',
  key: ['key'],
  where: `${OF_WORKSPACE} AND status = 'succeeded'
    AND invoice_id IN (SELECT id FROM read.invoices WHERE ${OF_WORKSPACE})`,
};
const TODAY = `(SELECT frozen_at::date FROM workspaces.clocks WHERE ${OF_WORKSPACE})`;
// Of cash, which takes effect at once: fees are earned in the future too, and nothing lists that yet. And of a day that
// is over in all time zones: of later ones a trial balance adds up the postings, which could make up for the balance that is taken.
const postings: Plot = {
  table: 'read.ledger_postings',
  key: ['id'],
  where: `${OF_WORKSPACE} AND account = 'cash' AND at < ${TODAY} - 3`,
};
const balances: Plot = {
  table: 'read.ledger_daily_balances',
  key: ['id'],
  where: `${OF_WORKSPACE} AND account = 'cash' AND date < (${TODAY} - 3)::text`,
};
// Of what happens once and stays: an invoice may be taken by another control, and a payment fails more than once.
const deliveries: Plot = {
  table: 'webhooks.deliveries',
  key: ['id'],
  where: `${OF_WORKSPACE} AND event = 'subscription.created'`,
};
const attempts: Plot = {
  table: 'webhooks.attempts',
  key: ['delivery_id', 'number'],
  where: `delivery_id IN (SELECT id FROM webhooks.deliveries WHERE ${OF_WORKSPACE} AND attempts = 1)`,
};
const events: Plot = {
  table: 'eventstore.events',
  key: ['position'],
  where: `stream_id IN (SELECT id FROM eventstore.streams WHERE name LIKE 'customer-' || $1 || '%')`,
};
// Of a customer who is still listed, since wallets are listed by customer.
const entriesOfWallets: Plot = {
  table: 'read.wallet_ledger',
  key: ['id'],
  where: `${OF_WORKSPACE} AND customer_id IN (SELECT id FROM read.customers WHERE ${OF_WORKSPACE})`,
};
const grants: Plot = { ...entriesOfWallets, where: `${entriesOfWallets.where} AND type = 'granted'` };
const blockingGrants: Plot = {
  ...grants,
  where: `${grants.where} AND credit_type = '${BLOCKING_CREDITS.type}'`,
};
// Of credits that are never overage, which another check reckons.
const draws: Plot = {
  ...entriesOfWallets,
  where: `${entriesOfWallets.where} AND type = 'drawn_down' AND credit_type = '${BLOCKING_CREDITS.type}'`,
};
// Bought by hand in the one type of credits, and automatically in the other.
const bought: Plot = {
  ...entriesOfWallets,
  where: `${entriesOfWallets.where} AND type = 'purchased' AND credit_type = '${BILLED_CREDITS.type}'`,
};
const WITH_TOP_UP = `(SELECT customer_id FROM credits.wallets WHERE ${OF_WORKSPACE} AND state -> 'autoTopUp' <> 'null')`;
const toppedUp: Plot = {
  ...entriesOfWallets,
  where: `${entriesOfWallets.where} AND type = 'purchased' AND credit_type = '${BLOCKING_CREDITS.type}' AND customer_id IN ${WITH_TOP_UP} AND id NOT LIKE 'planted%'`,
};
const wallets: Plot = {
  table: 'credits.wallets',
  key: ['workspace_id', 'customer_id', 'credit_type'],
  where: OF_WORKSPACE,
};
const overages: Plot = {
  ...invoicesOfSubscriptions,
  where: `${invoicesOfSubscriptions.where} AND status <> 'void' AND ${WITH_OVERAGE} AND customer_id NOT IN ${WITH_LICENSES}`,
};
const withUsedCredits: Plot = {
  ...invoicesOfSubscriptions,
  where: `${invoicesOfSubscriptions.where} AND status <> 'void' AND state @> '{"creditsUsed": [{}]}'`,
};
const seats: Plot = {
  ...invoicesOfSubscriptions,
  where: `${invoicesOfSubscriptions.where} AND customer_id IN ${WITH_LICENSES}`,
};
const licenses: Plot = { table: 'read.licenses', key: ['license_id'], where: OF_WORKSPACE };
const counters: Plot = {
  table: 'limits.counters',
  key: ['workspace_id', 'limit_id', 'customer_id', 'window_start'],
  where: OF_WORKSPACE,
};
const limitsTold: Plot = { ...deliveries, where: `${OF_WORKSPACE} AND event = 'usage.limit'` };
const subscriptions: Plot = { table: 'read.subscriptions', key: ['stream'], where: OF_WORKSPACE };
const trail: Plot = { table: 'read.audit', key: ['sequence'], where: OF_WORKSPACE };
const tasks: Plot = { table: 'saga.tasks', key: ['id'], where: `${OF_WORKSPACE} AND status = 'done'` };

/** The defects, by what they are. */
export const CONTROLS = {
  'an acknowledged customer that is not there': inJournal(
    'records',
    /customers planted was acknowledged/,
    (entries, { name }) => [
      ...entries,
      {
        number: 0,
        workspace: name,
        method: 'POST',
        path: '/v1/customers',
        answers: [{ status: 201, replayed: false, body: { id: 'planted' } }],
      },
    ],
  ),
  'a key that was answered in two ways': inJournal(
    'answers',
    /answered differently when repeated/,
    (entries) =>
      entries.map((entry, index) =>
        index === 0
          ? { ...entry, answers: [...entry.answers, { status: 201, replayed: true, body: {} }] }
          : entry,
      ),
  ),
  'a customer gone from its list': {
    check: 'records',
    says: /\/v1\/customers (?!planted).* is not there/,
    plant: inRows((pool, id) => removeRow(pool, customers, id)),
  },
  'a customer made twice': {
    check: 'records',
    says: /\/v1\/customers .* is there 2 times/,
    plant: inRows((pool, id) => copyRow(pool, customers, id, { stream: 'planted' })),
  },
  'a usage event gone from the log': {
    check: 'usage',
    says: /is not in the log/,
    plant: inRows((pool, id) => removeRow(pool, usage, id)),
  },
  'a usage event stored twice': {
    check: 'usage',
    says: /is in the log 2 times/,
    plant: inRows((pool, id) => copyRow(pool, usage, id, { seq: -1 })),
  },
  'an invoice gone from its list': {
    check: 'invoices',
    says: /has no invoice with/,
    plant: inRows((pool, id) => removeRow(pool, invoices, id)),
  },
  'an invoice made twice': {
    check: 'invoices',
    says: /has an invoice too many/,
    plant: inRows((pool, id) => copyRow(pool, invoices, id, { stream: 'planted' })),
  },
  'an invoice over another amount': {
    check: 'invoices',
    says: /has an invoice too many.* total 0\.01/,
    plant: inRows((pool, id) =>
      changeRow(pool, invoices, id, ({ state }) => ({ state: { ...(state as object), total: '0.01' } })),
    ),
  },
  'a card charged twice': {
    check: 'payments',
    says: /was charged 2 times/,
    plant: inRows((pool, id) => copyRow(pool, charges, id, { key: 'planted' })),
  },
  'a transfer that is not there': {
    check: 'payments',
    says: /lists transfers \d times, in place of/,
    plant: inRows((pool, id) =>
      changeRow(pool, transferred, id, ({ state }) => ({
        state: { ...(state as object), recordedPayments: [] },
      })),
    ),
  },
  'credits granted twice': {
    check: 'wallets',
    says: /was granted 2 times/,
    plant: inRows((pool, id) => copyRow(pool, grants, id, { id: 'planted' })),
  },
  'usage that drew no credits': {
    check: 'wallets',
    says: /has drawn .* credits, and accepted usage costs/,
    plant: inRows((pool, id) => removeRow(pool, draws, id)),
  },
  'a wallet below zero': {
    check: 'wallets',
    says: /leaves -1, below zero/,
    plant: inRows((pool, id) => changeRow(pool, draws, id, () => ({ balance: '-1' }))),
  },
  'usage that was refused in spite of credits': {
    check: 'wallets',
    says: /^Usage planted was refused, and .* credits of before are left/,
    plant: async (pool, { workspace, entries }) => {
      const customerId = nameOfToppedUp(workspace);
      const blocks = [{ blockId: 'planted', amount: '1000' }];
      const block = {
        id: 'planted block',
        customer_id: customerId,
        created_at: EPOCH,
        amount: '1000',
        blocks,
      };
      const event = { customerId, eventName: BLOCKING_CREDITS.eventName, units: 1 };
      return {
        entries: [...entries, refusal(workspace, event, 'insufficient_credits')],
        undo: await copyRow(pool, blockingGrants, workspace.workspaceId, block),
      };
    },
  },
  'a wallet unlike its events': {
    check: 'commands',
    says: /^countinghouse credits verify: .*not recorded yet: planted/,
    plant: inRows((pool, id) =>
      changeRow(pool, wallets, id, () => ({
        unsettled: [{ metricId: 'planted', blockId: null, amount: '1' }],
      })),
    ),
  },
  'overage billed twice': {
    check: 'overage',
    says: /^The overage of .* is billed with/,
    plant: inRows((pool, id) => copyRow(pool, overages, id, { stream: 'planted overage' })),
  },
  'more credits shown than were used': {
    check: 'overage',
    says: /^Invoices of .* show .* used credits/,
    plant: inRows((pool, id) =>
      changeRow(pool, withUsedCredits, id, ({ state }) => {
        const { creditsUsed } = state as { creditsUsed: object[] };
        const changed = creditsUsed.map((used) => ({ ...used, credits: '1000000' }));
        return { state: { ...(state as object), creditsUsed: changed } };
      }),
    ),
  },
  'bought credits that are not there': {
    check: 'purchases',
    says: /is paid and has added no credits/,
    plant: inRows((pool, id) => removeRow(pool, bought, id)),
  },
  'credits bought twice': {
    check: 'purchases',
    says: /has added its credits 2 times/,
    plant: inRows((pool, id) => copyRow(pool, toppedUp, id, { id: 'planted purchase' })),
  },
  'credits of a voided purchase': {
    check: 'purchases',
    says: /is void and has added its credits/,
    plant: async (pool, { workspace, entries }) => {
      const voided = entries.find((entry) => acknowledgement(entry) && BLOCK_VOID.test(entry.path));
      if (!voided) throw new Error('No purchase was voided');
      const [, blockId] = BLOCK_VOID.exec(voided.path)!;
      const difference = { id: 'planted void', blocks: [{ blockId, amount: '10' }] };
      return { entries, undo: await copyRow(pool, toppedUp, workspace.workspaceId, difference) };
    },
  },
  'a top-up without need': {
    check: 'purchases',
    says: /^Top-up .* was made with/,
    plant: inRows((pool, id) =>
      changeRow(pool, toppedUp, id, ({ balance }) => ({ balance: String(Number(balance) + 1_000) })),
    ),
  },
  'usage above a limit': inJournal('limits', /comes to \S+, above the limit/, (entries) => {
    const index = entries.findIndex((entry) => isUsageOf(entry, LIMITED_EVENT_NAME) && someAccepted(entry));
    if (index < 0) throw new Error('No limited usage was accepted');
    const more = [entries[index]!.body as SentEvent | SentEvent[]]
      .flat()
      .map((event) => ({ ...event, properties: { units: LIMIT + 1 } }));
    return entries.with(index, { ...entries[index]!, body: more });
  }),
  'usage that was refused under its limit': inJournal(
    'limits',
    /^Usage planted was refused, and with it planted /,
    (entries, workspace) => {
      const event = { customerId: 'planted', eventName: LIMITED_EVENT_NAME, units: LIMIT };
      return [...entries, refusal(workspace, event, 'usage_limit_reached')];
    },
  ),
  'a limit unlike its usage': {
    check: 'commands',
    says: /^countinghouse limits verify: .* are used, and the usage log has/,
    plant: inRows((pool, id) => changeRow(pool, counters, id, ({ used }) => ({ used: Number(used) + 1 }))),
  },
  'a reached limit told twice': {
    check: 'deliveries',
    says: /: usage\.limit .* is listed 2 times/,
    plant: inRows((pool, id) => copyRow(pool, limitsTold, id, { id: 'planted limit', number: -2 })),
  },
  'seats billed twice': {
    check: 'licenses',
    says: /^The seats of .* are billed with/,
    plant: inRows((pool, id) => copyRow(pool, seats, id, { stream: 'planted seats' })),
  },
  'a license that was deactivated in vain': {
    check: 'licenses',
    says: /^License .* was answered as/,
    plant: inRows((pool, id) =>
      changeRow(pool, licenses, id, ({ deactivated_at: at }) => ({
        deactivated_at: at === null ? EPOCH : null,
      })),
    ),
  },
  'a ledger entry made twice': {
    check: 'ledger',
    says: /^The entries of .* sum to/,
    plant: inRows((pool, id) => copyRow(pool, postings, id, { id: 'planted' })),
  },
  'a balance gone from the ledger': {
    check: 'ledger',
    says: /^The ledger in USD has debits/,
    plant: inRows((pool, id) => removeRow(pool, balances, id)),
  },
  'a delivery that was never attempted': {
    check: 'deliveries',
    says: /delivery (?!planted).* was never attempted/,
    plant: inRows((pool, id) => removeRow(pool, attempts, id)),
  },
  'a delivery made twice': {
    check: 'deliveries',
    says: /is listed 2 times/,
    plant: inRows((pool, id) => copyRow(pool, deliveries, id, { id: 'planted', number: -1 })),
  },
  'an event gone from the log': {
    check: 'log',
    says: /^The log has /,
    plant: inRows((pool, id) => removeRow(pool, events, id)),
  },
  'an entry gone from the audit trail': {
    check: 'commands',
    says: /^countinghouse ledger verify: .*audit entry \d+ .*: missing/,
    plant: inRows((pool, id) => removeRow(pool, trail, id)),
  },
  'a read model unlike its events': {
    check: 'commands',
    says: /^countinghouse projections verify .*subscriptions \(.*planted/,
    plant: inRows((pool, id) =>
      changeRow(pool, subscriptions, id, ({ state }) => ({ state: { ...(state as object), planted: true } })),
    ),
  },
  'a task that was given up': {
    check: 'tasks',
    says: /was given up: planted/,
    plant: inRows((pool, id) =>
      changeRow(pool, tasks, id, () => ({ status: 'failed', last_error: 'planted' })),
    ),
  },
} as const satisfies Record<string, Control>;

export type ControlName = keyof typeof CONTROLS;

/** Those that can be planted: only the embedded node's log can be changed. */
export const PLANTABLE = (Object.keys(CONTROLS) as ControlName[]).filter(
  (name) => isEmbedded || CONTROLS[name].check !== 'log',
);

const BLOCK_VOID = /\/wallets\/[^/]+\/blocks\/([^/]+)\/void$/;

function isUsageOf({ path, body }: Entry, eventName: string): boolean {
  return path === '/v1/events' && [body as SentEvent | SentEvent[]].flat()[0]?.eventName === eventName;
}

function someAccepted(entry: Entry): boolean {
  return ((acknowledgement(entry)?.body as { accepted?: string[] } | undefined)?.accepted ?? []).length > 0;
}

/** A request with usage of the second month that was refused. */
function refusal(
  { name }: Workspace,
  { units, ...event }: { customerId: string; eventName: string; units: number },
  code: string,
): Entry {
  const timestamp = `${nextMonth(EPOCH).slice(0, 7)}-02T00:00:00.000Z`;
  return {
    number: 0,
    workspace: name,
    method: 'POST',
    path: '/v1/events',
    body: [{ ...event, timestamp, idempotencyKey: 'planted', properties: { units } }],
    answers: [
      { status: 200, replayed: false, body: { accepted: [], rejected: [{ index: 0, code }], warnings: [] } },
    ],
  };
}

/** A defect in what a client wrote down. */
function inJournal(
  check: CheckName,
  says: RegExp,
  change: (entries: Entry[], workspace: Workspace) => Entry[],
): Control {
  return {
    check,
    says,
    plant: async (_, { entries, workspace }) => ({
      entries: change(entries, workspace),
      undo: async () => undefined,
    }),
  };
}

/** A defect in what the system keeps. */
function inRows(plant: (pool: Pool, workspaceId: string) => Promise<() => Promise<void>>): Control['plant'] {
  return async (pool, { workspace, entries }) => ({
    entries,
    undo: await plant(pool, workspace.workspaceId),
  });
}
