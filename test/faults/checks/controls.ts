import type { Pool } from 'pg';
import type { Entry } from '../load/journal.ts';
import type { Facts } from './facts.ts';
import type { CheckName } from './index.ts';
import { changeRow, copyRow, removeRow, type Plot } from './planting.ts';

/** What a control has changed: the journal as the checks are to read it, and how everything is put back. */
export interface Planted {
  entries?: Entry[];
  undo(): Promise<void>;
}

/** A defect of the kind that a fault must not leave behind, planted so that a check has something to find. */
export interface Control {
  /** The check that must find it. */
  check: CheckName;
  plant(pool: Pool, facts: Facts): Promise<Planted>;
}

const OF_WORKSPACE = 'account_id = $1';
const customers: Plot = { table: 'read.customers', key: ['stream'], where: OF_WORKSPACE };
const invoices: Plot = { table: 'read.invoices', key: ['stream'], where: OF_WORKSPACE };
const usage: Plot = {
  table: 'usage.events',
  key: ['id'],
  where: `series_id IN (SELECT s.id FROM usage.series s JOIN usage.streams ON streams.id = stream_id
    WHERE account_id = $1)`,
};
const charges: Plot = {
  table: 'payments.sandbox_charges',
  key: ['key'],
  where: `${OF_WORKSPACE} AND status = 'succeeded'`,
};
const postings: Plot = { table: 'read.ledger_postings', key: ['id'], where: OF_WORKSPACE };
const balances: Plot = {
  table: 'read.ledger_daily_balances',
  key: ['id'],
  where: `${OF_WORKSPACE} AND account = 'cash'`,
};
const deliveries: Plot = { table: 'webhooks.deliveries', key: ['id'], where: OF_WORKSPACE };
const attempts: Plot = {
  table: 'webhooks.attempts',
  key: ['delivery_id', 'number'],
  where: `delivery_id IN (SELECT id FROM webhooks.deliveries WHERE ${OF_WORKSPACE} AND attempts = 1)`,
};
const tasks: Plot = { table: 'saga.tasks', key: ['id'], where: `${OF_WORKSPACE} AND status = 'done'` };

/** The defects, by what they are. */
export const CONTROLS = {
  'an acknowledged customer that is not there': inJournal('records', (entries, { workspace }) => [
    ...entries,
    {
      number: 0,
      workspace: workspace.name,
      method: 'POST',
      path: '/v1/customers',
      answers: [{ status: 201, replayed: false, body: { id: 'planted' } }],
    },
  ]),
  'a key that was answered in two ways': inJournal('answers', (entries) =>
    entries.map((entry, index) =>
      index === 0
        ? { ...entry, answers: [...entry.answers, { status: 201, replayed: true, body: {} }] }
        : entry,
    ),
  ),
  'a customer gone from its list': {
    check: 'records',
    plant: inRows((pool, id) => removeRow(pool, customers, id)),
  },
  'a customer made twice': {
    check: 'records',
    plant: inRows((pool, id) => copyRow(pool, customers, id, { stream: 'planted' })),
  },
  'a usage event gone from the log': {
    check: 'usage',
    plant: inRows((pool, id) => removeRow(pool, usage, id)),
  },
  'a usage event stored twice': {
    check: 'usage',
    plant: inRows((pool, id) => copyRow(pool, usage, id, { seq: -1 })),
  },
  'an invoice gone from its list': {
    check: 'invoices',
    plant: inRows((pool, id) => removeRow(pool, invoices, id)),
  },
  'an invoice made twice': {
    check: 'invoices',
    plant: inRows((pool, id) => copyRow(pool, invoices, id, { stream: 'planted' })),
  },
  'an invoice over another amount': {
    check: 'invoices',
    plant: inRows((pool, id) =>
      changeRow(pool, invoices, id, ({ state }) => ({ state: { ...(state as object), total: '0.01' } })),
    ),
  },
  'a card charged twice': {
    check: 'payments',
    plant: inRows((pool, id) => copyRow(pool, charges, id, { key: 'planted' })),
  },
  'a ledger entry made twice': {
    check: 'ledger',
    plant: inRows((pool, id) => copyRow(pool, postings, id, { id: 'planted' })),
  },
  'a balance gone from the ledger': {
    check: 'ledger',
    plant: inRows((pool, id) => removeRow(pool, balances, id)),
  },
  'a delivery that was never attempted': {
    check: 'deliveries',
    plant: inRows((pool, id) => removeRow(pool, attempts, id)),
  },
  'a delivery made twice': {
    check: 'deliveries',
    plant: inRows((pool, id) => copyRow(pool, deliveries, id, { id: 'planted', number: -1 })),
  },
  'a task that was given up': {
    check: 'tasks',
    plant: inRows((pool, id) =>
      changeRow(pool, tasks, id, () => ({ status: 'failed', last_error: 'planted' })),
    ),
  },
} as const satisfies Record<string, Control>;

export type ControlName = keyof typeof CONTROLS;

/** A defect in what a client wrote down. */
function inJournal(check: CheckName, change: (entries: Entry[], facts: Facts) => Entry[]): Control {
  return {
    check,
    plant: async (_, facts) => ({ entries: change(facts.entries, facts), undo: async () => undefined }),
  };
}

/** A defect in what the system keeps. */
function inRows(plant: (pool: Pool, accountId: string) => Promise<() => Promise<void>>): Control['plant'] {
  return async (pool, { workspace }) => ({ undo: await plant(pool, workspace.accountId) });
}
