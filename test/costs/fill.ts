import type pg from 'pg';
import type { Ids } from '../support/test-endpoints.ts';

/** How much there is of what grows. */
export interface Filling {
  /** Customers, subscriptions, invoices, and each of the other things that there is about one for each of them. */
  readonly things: number;
  readonly tasks: number;
  readonly auditEntries: number;
}

/** Whose rows are multiplied, and into what. */
export interface Template {
  readonly workspaceId: string;
  readonly ids: Ids;
}

/** What stands in place of a column of the template's row `t` in the copy with the number `n`, in SQL. */
type Changes = Readonly<Record<string, string>>;

/**
 * Fills the tables that grow with copies of what the product has made in one workspace, and has Postgres look at them. Most are of
 * that workspace, the others of a hundred more. Nothing of it is due.
 *
 * @param owner of the tables
 */
export async function fill(owner: pg.Pool, { workspaceId, ids }: Template, filling: Filling): Promise<void> {
  const { things, tasks, auditEntries } = filling;
  const copies = (table: string, count: number, changes: Changes, which = 'true') =>
    multiply(owner, table, count, changes, which);
  const own = `'${workspaceId}'`;
  const customer = `'cust_' || n`;
  /** The columns of all snapshot tables. */
  const snapshot = (category: string, id: string): Changes => ({
    stream: `'${category}-' || ${ACCOUNT(own)} || '.' || ${id}`,
    workspace_id: ACCOUNT(own),
    id,
    created_position: 'n',
    created_at: AGE,
    updated_at: AGE,
  });
  await copies('read.customers', things, {
    ...snapshot('customer', customer),
    deleted: 'n % 10 = 3',
    email: `'customer-' || n || '@example.com'`,
    external_id: `'crm-' || n`,
  });
  await copies('read.subscriptions', things, {
    ...snapshot('subscription', `'sub_' || n`),
    customer_id: customer,
    // One plan has half of the subscriptions, and another a hundred.
    plan_id: `CASE WHEN n % 2 = 0 THEN t.plan_id ELSE 'plan_' || n % 500 END`,
    price_ids: `CASE WHEN n % 2 = 0 THEN t.price_ids ELSE jsonb_build_array('price_' || n % 500) END`,
    status: `CASE WHEN n % 1000 = 1 THEN 'paused' WHEN n % 10 = 1 THEN 'canceled' ELSE 'active' END`,
    live: 'n % 10 <> 1 OR n % 1000 = 1',
    external_id: `'crm-sub-' || n`,
    next_billing_at: `CASE WHEN n % 10 <> 1 THEN '2099-01-01'::timestamptz + n * interval '1 minute' END`,
  });
  await copies('read.invoices', things, {
    ...snapshot('invoice', `'inv_' || n`),
    customer_id: customer,
    subscription_ids: `jsonb_build_array('sub_' || n)`,
    status: `CASE WHEN n % 1000 = 1 THEN 'uncollectible' WHEN n % 50 = 1 THEN 'open' WHEN n % 100 = 2 THEN 'draft' ELSE 'paid' END`,
    issued_at: `CASE WHEN n % 100 <> 2 THEN ${AGE} END`,
    taxed_from: `to_char(${AGE}, 'YYYY-MM-DD')`,
    taxed_through: `to_char(${AGE}, 'YYYY-MM-DD')`,
  });
  for (const table of ['read.payments', 'read.credit_notes'])
    await copies(table, things, {
      id: `'doc_' || n`,
      workspace_id: ACCOUNT(own),
      invoice_id: `'inv_' || n`,
      customer_id: customer,
      status: `CASE WHEN n % 1000 = 1 THEN ${table === 'read.payments' ? `'reversed'` : `'void'`} ELSE t.status END`,
      created_position: 'n',
      [table === 'read.payments' ? 'created_at' : 'issued_at']: AGE,
    });
  await copies('read.audit', auditEntries, {
    sequence: `n + 1000`,
    id: 'gen_random_uuid()',
    workspace_id: ACCOUNT(own),
    position: 'n',
    created_at: AGE,
    action: `(ARRAY['invoice.created', 'invoice.paid', 'payment.succeeded', 'subscription.renewed'])[n % 4 + 1]`,
    resource_type: `(ARRAY['invoice', 'subscription'])[n % 2 + 1]`,
    resource_id: `'sub_' || n % ${things}`,
  });
  await copies('read.billing_runs', things / 50, {
    run_id: `'run_' || n`,
    workspace_id: ACCOUNT(own),
    created_position: '1000000000 + n',
  });
  await copies('read.billed_invoices', things, {
    invoice_id: `'inv_' || n`,
    // The newest run has most of them.
    run_id: `CASE WHEN n % 10 = 0 THEN 'run_' || n % ${things / 50} + 1 ELSE 'run_${things / 50}' END`,
    position: 'n',
  });
  await copies('read.ledger_postings', things * 3, {
    id: `'post_' || n`,
    transaction_id: `'post_' || n`,
    workspace_id: ACCOUNT(own),
    at: AGE,
    date: `to_char(${AGE}, 'YYYY-MM-DD')`,
    position: 'n',
    customer_id: `'cust_' || n / 3`,
    invoice_id: `'inv_' || n / 3`,
  });
  await copies('read.ledger_books', things, { stream: `'invoice-' || ${ACCOUNT(own)} || '.inv_' || n` });
  await insert(owner, 'read.balances', things, {
    ...snapshot('balance', `'cust_' || n || '.USD'`),
    customer_id: customer,
    currency: `'USD'`,
    state: `'{}'`,
  });
  await insert(owner, 'read.balance_transactions', things, {
    id: 'gen_random_uuid()',
    workspace_id: ACCOUNT(own),
    // One customer has a hundredth of all.
    customer_id: `CASE WHEN n % 100 = 0 THEN '${ids['customers']}' ELSE 'cust_' || n END`,
    currency: `'USD'`,
    type: `'credit_note'`,
    amount: `'1.00'`,
    balance: `'1.00'`,
    created_at: AGE,
    position: 'n',
  });
  await insert(owner, 'read.customer_coupons', things, {
    ...snapshot('customer_coupons', customer),
    state: `'{}'`,
  });
  await insert(owner, 'read.price_migration_outcomes', things, {
    migration_id: `'mig_' || n % 10`,
    subscription_id: `'sub_' || n`,
    workspace_id: own,
    customer_id: customer,
    status: `CASE WHEN n % 1000 = 1 THEN 'failed' ELSE 'moved' END`,
  });
  await copies('read.usage_limits', things, {
    ...snapshot('usageLimit', `'lim_' || n`),
    customer_id: customer,
    metric_id: `'met_' || n % 500`,
  });
  await copies('read.approvals', things, {
    ...snapshot('approvalRequest', `'apr_' || n`),
    status: `CASE WHEN n % 1000 = 1 THEN 'pending' WHEN n % 100 = 2 THEN 'failed' ELSE 'executed' END`,
    action: `CASE WHEN n % 2 = 0 THEN 'invoice.void' ELSE 'credit.grant' END`,
  });
  await copies('limits.rules', things, {
    workspace_id: ACCOUNT(own),
    limit_id: `'lim_' || n`,
    customer_id: customer,
    metric_id: `'met_' || n % 500`,
  });
  await insert(owner, 'limits.counters', things, {
    workspace_id: ACCOUNT(own),
    limit_id: `'lim_' || n % 10`,
    customer_id: customer,
    window_start: `'2026-01-01'::timestamptz`,
    used: '1',
    metric_version: '1',
  });
  for (const [category, table] of [
    ['price', 'read.prices'],
    ['plan', 'read.plans'],
    ['metric', 'read.metrics'],
    ['coupon', 'read.coupons'],
  ] as const)
    await copies(table, things / 100, snapshot(category, `'${category}_' || n`));
  await insert(owner, 'saga.tasks', tasks, {
    id: `'tsk_' || n`,
    process: `(ARRAY['billing', 'collection', 'webhooks'])[n % 3 + 1]`,
    name: `'pass-boundary'`,
    workspace_id: ACCOUNT(own),
    payload: `jsonb_build_object('subscriptionId', 'sub_' || n)`,
    due_at: `'2099-01-01'::timestamptz + n * interval '1 second'`,
    wakes_at: `'infinity'::timestamptz`,
    clock: `'workspace'`,
    // Of what is kept for a month some is not done yet: each subscription has its timer.
    status: `CASE WHEN n % 10 = 1 THEN 'pending' WHEN n % 5000 = 2 THEN 'failed' ELSE 'done' END`,
    done_at: `CASE WHEN n % 10 <> 1 AND n % 5000 <> 2 THEN now() - n * interval '1 second' END`,
    event_id: `'event_' || n`,
    correlation_id: `'request_' || n`,
  });
  await insert(owner, 'webhooks.deliveries', things * 4, {
    id: `'evt_' || n`,
    workspace_id: own,
    webhook_id: `'${ids['webhooks']}'`,
    event: `CASE WHEN n % 1000 = 1 THEN 'invoice.voided' ELSE 'invoice.paid' END`,
    body: `'{}'`,
    is_test: 'false',
    status: `CASE WHEN n % 1000 = 1 THEN 'failed' ELSE 'delivered' END`,
    created_at: "now() - n * interval '1 second'",
  });
  await insert(owner, 'webhooks.attempts', things * 4, {
    delivery_id: `'evt_' || n`,
    number: '1',
    attempted_at: 'now()',
    duration_millis: '1',
  });
  await insert(owner, 'idempotency.answers', things, {
    workspace_id: own,
    scope: `'POST /v1/customers'`,
    key: `'key-' || n`,
    status: '201',
    body: `''`,
    created_at: "now() - n * interval '1 second'",
  });
  await insert(owner, 'vault.keys', things, {
    subject: `${own} || '.cust_' || n`,
    key: `'\\x00'::bytea`,
  });
  await insert(owner, 'invoicing.numbers', things, {
    workspace_id: own,
    number: '1000000 + n',
    invoice_id: `'inv_' || n`,
  });
  await insert(owner, 'invoicing.links', things, {
    token: `'link_' || n`,
    workspace_id: own,
    invoice_id: `'inv_' || n`,
  });
  await insert(owner, 'payments.sandbox_charges', things, {
    key: `'pay_' || n`,
    workspace_id: own,
    invoice_id: `'inv_' || n`,
    amount: '1',
    currency: `'USD'`,
    test: `'pm_card_visa'`,
    status: `'succeeded'`,
  });
  await copies('identity.users', things / 10, { id: `'usr_' || n`, email: `'u' || n || '@example.org'` });
  await copies('identity.api_keys', things / 10, {
    id: `'key_' || n`,
    hash: `('\\x' || md5(n::text))::bytea`,
  });
  // It comes before all events that exist, so programs that follow the log do not read it.
  await insert(owner, 'eventstore.streams', things, {
    id: '-1000 - n',
    name: `'filled-' || n`,
  });
  await copies('eventstore.events', things * 5, {
    position: '-1000 - n',
    stream_id: '-1000 - (n - 1) / 5 - 1',
    revision: '(n - 1) % 5',
    event_id: 'gen_random_uuid()',
  });
  const { rows } = await owner.query<{ tables: string }>(
    `SELECT string_agg(oid::regclass::text, ', ') AS tables FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = ANY('{read,saga,webhooks,idempotency,vault,invoicing,payments,identity,eventstore,usage}'::regnamespace[])`,
  );
  await owner.query(`VACUUM ANALYZE ${rows[0]!.tables}`);
}

/** Of which workspace a copy is. */
const ACCOUNT = (own: string): string => `CASE WHEN n % 5 = 4 THEN 'acc_' || n % 100 ELSE ${own} END`;
/** When the copy with the number `n` was made: one after the other, in the year before the workspace's present time. */
const AGE = `'2025-02-01'::timestamptz + n * interval '365 days' / $COUNT`;

/** Adds so many copies of a row of the table. */
async function multiply(
  owner: pg.Pool,
  table: string,
  count: number,
  changes: Changes,
  which: string,
): Promise<void> {
  const { rows } = await owner.query<{ column: string }>(
    `SELECT attname AS column FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  const columns = rows.map(({ column }) => column);
  const values = columns.map((column) => valueOf(changes[column] ?? `t."${column}"`, count));
  const { rowCount } = await owner.query(
    `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')})
     SELECT ${values.join(', ')} FROM (SELECT * FROM ${table} WHERE ${which} LIMIT 1) t, generate_series(1, $1::int) n`,
    [count],
  );
  if (rowCount !== Math.floor(count)) throw new Error(`There is no row of ${table} to copy`);
}

/** Adds so many rows to the table, without its triggers: what they keep is given. */
async function insert(owner: pg.Pool, table: string, count: number, values: Changes): Promise<void> {
  await owner.query(
    `BEGIN;
     ALTER TABLE ${table} DISABLE TRIGGER ALL;
     INSERT INTO ${table} (${Object.keys(values).join(', ')})
       SELECT ${Object.values(values)
         .map((value) => valueOf(value, count))
         .join(', ')} FROM generate_series(1, ${count}) n;
     ALTER TABLE ${table} ENABLE TRIGGER ALL;
     COMMIT`,
  );
}

function valueOf(sql: string, count: number): string {
  return sql.replace('$COUNT', String(count));
}
