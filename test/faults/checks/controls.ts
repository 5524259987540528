import type { Pool } from 'pg';
import type { Entry } from '../load/journal.ts';
import type { Workspace } from '../load/workspace.ts';
import type { Facts } from './facts.ts';
import type { CheckName, CheckOfAllName } from './index.ts';
import { changeRow, copyRow, removeRow, type Plot } from './planting.ts';

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
const customers: Plot = { table: 'read.customers', key: ['stream'], where: OF_WORKSPACE };
const invoices: Plot = { table: 'read.invoices', key: ['stream'], where: OF_WORKSPACE };
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
const grants: Plot = {
  table: 'read.wallet_ledger',
  key: ['id'],
  where: `${OF_WORKSPACE} AND type = 'granted'`,
};
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
  'credits granted twice': {
    check: 'wallets',
    says: /was granted 2 times/,
    plant: inRows((pool, id) => copyRow(pool, grants, id, { id: 'planted' })),
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
