import { omit } from '#libs/kernel/core';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import {
  createOneOfEverything,
  operationsOf,
  startSystem,
  validBodies,
  type Operation,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { setAddressProved } from '../support/proved-address.js';
import { resolved, type ApiDocument } from '../support/openapi.js';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '../support/stripe-server/index.js';

/*
 * Every PUT of the OpenAPI document keeps what its body leaves out. A new PUT is tested too, with the body of its folder's test endpoints.
 */

/** Values that differ from the values of a new workspace, where the body of the test endpoints has these. */
const OTHER_VALUES: Readonly<Record<string, object>> = {
  'PUT /v1/approvals/policies/{action}': { expiresInDays: 3 },
  'PUT /v1/billing-settings': {
    gracePeriodHours: 5,
    skipZeroInvoices: true,
    prorationBasis: 'days',
    netDays: 7,
    autoApprove: false,
    autoCollect: false,
    balancePaysOpenInvoices: false,
    language: 'de',
    invoiceNumberPrefix: 'RE',
    creditNoteNumberPrefix: 'GS',
    invoiceGrouping: 'customer',
    entitledWhilePastDue: false,
    invoiceNumberFormat: 'prefix-year-number',
    sandboxEmailAllowlist: ['@example.com'],
  },
  'PUT /v1/dunning/policies/{policyId}': { enabled: false },
  'PUT /v1/payment-retry/settings': {
    enabled: false,
    intervalsDays: [2, 4],
    localHour: 15,
    whenExhausted: 'mark_uncollectible',
    subscription: 'pause',
  },
  'PUT /v1/payment-gateway': { secretKey: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET },
};
/** Paths whose parameter has an id of its own. */
const PATHS: Readonly<Record<string, string>> = {
  'PUT /v1/dunning/policies/{policyId}': '/v1/dunning/policies/default',
};
/** Optional fields that the first request must have. */
const NEEDED_FIRST: Readonly<Record<string, readonly string[]>> = {
  'PUT /v1/payment-gateway': ['secretKey'],
};
/** PUTs that only a live workspace has. The others are sent to the sandbox in which there is one of everything. */
const LIVE_ONLY: ReadonlySet<string> = new Set(['PUT /v1/payment-gateway']);
/** PUTs that are refused as soon as a workspace has subscriptions. */
const NEW_ONLY: ReadonlySet<string> = new Set(['PUT /v1/sandbox/clock']);

let stripe: StripeServer;
let system: System;
let sandbox: TestWorkspace;
let document: ApiDocument;
let operations: Operation[];
let bodies: ReturnType<typeof validBodies>;

beforeAll(async () => {
  stripe = await StripeServer.start();
  system = await startSystem({ STRIPE_API_URL: stripe.url });
  sandbox = await system.workspace();
  await setAddressProved(system.database, sandbox.email);
  const ids = await createOneOfEverything(sandbox);
  document = (await sandbox.http.get('/v1/openapi.json').expect(200)).body as ApiDocument;
  operations = operationsOf(document, ids).filter(({ method }) => method === 'put');
  bodies = validBodies(ids, sandbox);
});
afterAll(async () => {
  await system?.stop();
  await stripe?.stop();
});

it('is tested for every PUT', () => {
  expect(operations.length).toBeGreaterThan(5);
});

it('names one field, and the fields that it leaves out keep their values', async () => {
  const faults: string[] = [];
  for (const operation of operations) {
    const { route } = operation;
    const path = PATHS[route] ?? operation.path;
    const { http } = await workspaceFor(route);
    const full: Record<string, unknown> = { ...bodies[route]!(), ...OTHER_VALUES[route] };
    const required = requiredFields(route);
    const optional = Object.keys(full).filter((name) => !required.includes(name));
    const partOf = (names: readonly string[]) =>
      Object.fromEntries([...required, ...names].map((name) => [name, full[name]]));
    const put = async (body: object): Promise<Record<string, unknown>> => {
      const answer = await http.put(path, body);
      if (answer.status !== 200) faults.push(`${route} ${JSON.stringify(body)}: ${answer.text}`);
      return withoutTimes(answer.body as object);
    };
    // Settings that can be removed begin anew.
    if (document.paths[route.split(' ')[1]!]!['delete']) await http.delete(path);
    const initial = await put(partOf(NEEDED_FIRST[route] ?? []));
    const set = await put(full);
    for (const name of optional)
      if (name in set && isSame(set[name], initial[name]) && !NEEDED_FIRST[route]?.includes(name))
        faults.push(`${route}: the test needs another value of ${name} than ${String(full[name])}`);
    for (const names of [[], ...optional.map((name) => [name])]) {
      const answer = await put(partOf(names));
      const lost = Object.keys(set).filter((field) => !isSame(answer[field], set[field]));
      if (lost.length > 0) faults.push(`${route} with [${names.join()}] changes ${lost.join()}`);
      await put(full);
    }
  }
  expect(faults).toEqual([]);
});

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The workspace in which an operation is tested. */
async function workspaceFor(route: string): Promise<TestWorkspace> {
  if (!LIVE_ONLY.has(route)) return NEW_ONLY.has(route) ? system.workspace() : sandbox;
  const live = await system.workspace();
  await system.api
    .get(Pool, { strict: false })
    .query(`UPDATE workspaces.clocks SET mode = 'live' WHERE workspace_id = $1`, [live.workspaceId]);
  return live;
}

/** The names of the fields that the body of an operation must have. */
function requiredFields(route: string): readonly string[] {
  const [method, path] = route.split(' ') as [string, string];
  const { requestBody } = document.paths[path]![method.toLowerCase()]!;
  return resolved(requestBody!.content!['application/json']!.schema!, document).required ?? [];
}

/** An answer without the times that each change sets. */
function withoutTimes(answer: object): Record<string, unknown> {
  return omit(answer as Record<string, unknown>, ['updatedAt', 'checkedAt']);
}
