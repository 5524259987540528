import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorBody } from '../../../apps/api/http/index.js';
import { endpointAccess, ownNames } from '../../support/per-worker/endpoint-tables.ts';
import { Receiver } from '../../support/receiver.js';
import type { Access } from '../../support/test-endpoints.js';
import {
  operationsOf,
  recordedEvents,
  startSystem,
  validBodies,
  withNeededQuery,
  type Client,
  type Ids,
  type System,
  type TestWorkspace,
} from '../../support/index.js';
import { createCallers, refusalOf, RIGHTS, type Caller, type Callers } from './callers.js';
import { createIds, filled, parametersOf, unknownPath } from './ids.js';
import { routesOf } from './routes.js';

/*
 * Calls each endpoint with each credential of workspace A, and with credentials of workspace B and of another customer. The test endpoints of
 * each folder of apps/api say who may. A request that is allowed need not succeed: it passes if the gate does not answer.
 */

let system: System;
let receiver: Receiver;
let a: TestWorkspace;
let b: TestWorkspace;
let ids: Ids;
let idsOfB: Ids;
let callers: Callers;
/** The customer of A that all ids belong to, another customer of A, and a customer of B. */
let portal: Client;
let otherPortal: Client;
let portalOfB: Client;
/** What the API shows of workspace A at first. */
let before: Shown;
/** The types of the events of workspace B at first. */
let eventsBefore: string[];

const table = endpointAccess();
const chosenNames = ownNames();
const endpoints = [...table].map(([endpoint, access]) => [endpoint, access] as const);
const inWorkspace = endpoints.filter(([endpoint, access]) => !isOpen(access) || endpoint.includes(' /i/'));

/** The endpoints that show something of a workspace as JSON. An export is left out, because the audit trail records each one. */
const readable = inWorkspace.filter(
  ([endpoint, access]) =>
    endpoint.startsWith('GET ') && !isOpen(access) && !/\/(pdf|receipt|xml|data-export)$/.test(endpoint),
);

/** The collections of the query parameters that are ids. Null where each workspace chooses the ids by itself. */
const QUERY_IDS: Readonly<Record<string, string | null>> = {
  customer_id: 'customers',
  customerId: 'customers',
  subscription_id: 'subscriptions',
  subscriptionId: 'subscriptions',
  invoiceId: 'invoices',
  planId: 'plans',
  metricId: 'metrics',
  resourceId: 'customers',
  externalId: null,
  licenseTypeId: null,
};

/** What a workspace offers to all of its customers. */
const SOLD = new Set(['plans', 'otherPlans', 'prices', 'metrics', 'ratedMetrics', 'coupons']);

const GATE_CODES = new Set([
  'missing_credential',
  'invalid_credential',
  'api_key_expired',
  'permission_denied',
]);

/** The credentials of the test are used meanwhile, and events of workspace B move the position of the ledger. */
const MOVING = new Set(['lastUsedAt', 'position']);

const MARK = 'id of ';
/** Stands for the ids: each is a text that names its collection. */
const COLLECTIONS = new Proxy({}, { get: (_, collection) => MARK + String(collection) });

beforeAll(async () => {
  system = await startSystem();
  receiver = await Receiver.start();
  a = await system.workspace();
  b = await system.workspace();
  [ids, idsOfB] = await Promise.all([createIds(system, a, receiver), createIds(system, b, receiver)]);
});
beforeAll(async () => {
  callers = await createCallers(system, a, ids);
  portal = await a.portalOf(ids['customers']!);
  portalOfB = await b.portalOf(idsOfB['customers']!);
  const { body: other } = await a.http.post('/v1/customers', { name: 'Other' }).expect(201);
  otherPortal = await a.portalOf((other as { id: string }).id);
});
beforeAll(async () => {
  before = await everythingShown();
  eventsBefore = await eventsOfB();
});
afterAll(async () => {
  await system?.stop();
  await receiver?.close();
});

it('the table has every route of the API, and no other', () => {
  // A route that is missing here belongs into the test endpoints of its folder of apps/api.
  expect(routesOf(system).sort()).toEqual([...table.keys()].sort());
});

describe('whoever may not is refused', () => {
  it.each(endpoints)('%s', async (endpoint, access) => {
    const [method, path] = split(endpoint);
    const answers = callersOf(endpoint, access).map(async (caller) => {
      const refusal = refusalOf(access, caller);
      if (!refusal) return [];
      const body = bodyFor(endpoint, ids, a);
      const answer = await caller.client[method](filled(path, ids), body);
      const { code } = answer.body as Partial<ErrorBody>;
      return answer.status === refusal[0] && code === refusal[1] ? [] : [toldOf(caller, answer, refusal)];
    });
    expect((await Promise.all(answers)).flat()).toEqual([]);
  });
});

describe('the ids of another workspace', () => {
  it.each(inWorkspace.filter(([endpoint]) => endpoint.includes('{')))(
    'are not found by %s, which names the parameter',
    async (endpoint, access) => {
      const [method, path] = split(endpoint);
      for (const { name } of parametersOf(path).filter((one) => !chosenNames.has(one.name)))
        for (const [client, own, whose] of strangers(access)) {
          const answer = await client[method](filled(path, own, { name, ids }), bodyFor(endpoint, own, b));
          const named = isOpen(access) ? [] : [name];
          expect([whose, answer.status, namedBy(answer)]).toEqual([whose, 404, named]);
        }
    },
  );

  const withIds = Object.entries(validBodies(COLLECTIONS, { email: '', password: '' })).flatMap(
    ([endpoint, body]) =>
      [...idsIn(body())].map(([collection, fields]) => ({ endpoint, collection, fields })),
  );
  it.each(withIds)(
    'are not found in the body of $endpoint as $fields',
    async ({ endpoint, collection, fields }) => {
      const [method, path] = split(endpoint);
      const access = table.get(endpoint)!;
      const client = isPortal(access) ? portalOfB : b.session;
      const body = bodyFor(endpoint, { ...idsOfB, [collection]: ids[collection]! }, b);
      const answer = await client[method](filled(path, idsOfB), body);
      const result = answer.body as Partial<ErrorBody> & { rejected?: object[]; data?: object[] };
      if (answer.status < 300)
        expect(result.rejected ?? result.data).toEqual(result.rejected ? [expect.anything()] : []);
      else expect([answer.status, namesOneOf(answer, fields), answer.body]).toEqual([404, true, answer.body]);
    },
  );

  it('filter lists to nothing', async () => {
    const { body: document } = await b.http.get('/v1/openapi.json').expect(200);
    const asked: string[] = [];
    for (const operation of operationsOf(document, idsOfB).filter(({ method }) => method === 'get'))
      for (const name of operation.query.filter((one) => /id$/i.test(one))) {
        const collection = QUERY_IDS[name];
        if (collection === undefined)
          throw new Error(`No case for the query parameter ${name}; add one to QUERY_IDS`);
        if (collection === null) continue;
        const client = operation.caller === 'customer' ? portalOfB : b.session;
        const answer = await client.get(operation.pathWith(name, ids[collection]!));
        asked.push(operation.route);
        const found = answer.status === 404 ? [] : (answer.body as { data?: object[] }).data;
        expect([operation.route, name, found]).toEqual([operation.route, name, []]);
      }
    expect(asked.length).toBeGreaterThan(5);
  });

  it('are in no answer to the other workspace, or to another customer', async () => {
    const chosen = new Set(Object.values(idsOfB));
    const secrets = Object.entries(ids).filter(([, id]) => !chosen.has(id));
    for (const [endpoint, access] of readable)
      for (const [client, own, whose] of strangers(access)) {
        const { text = '' } = await client.get(
          withNeededQuery(endpoint, filled(split(endpoint)[1], own), own),
        );
        // What a workspace sells is no secret among its customers.
        const found = secrets.filter(([of, id]) => text.includes(id) && !(own === ids && SOLD.has(of)));
        expect([endpoint, whose, found]).toEqual([endpoint, whose, []]);
      }
  });
});

it('what was refused has changed nothing, and was no event of the workspace that asked', async () => {
  expect(await everythingShown()).toEqual(before);
  expect(await eventsOfB()).toEqual(eventsBefore);
});

describe('whoever may passes the gate', () => {
  // It ends the sessions that the other requests need.
  const isLast = ([endpoint]: (typeof endpoints)[number]) => endpoint === 'DELETE /v1/users/me/sessions';
  it.each(endpoints.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other))))(
    '%s',
    async (endpoint, access) => {
      const [method, path] = split(endpoint);
      const answers = callersOf(endpoint, access).map(async (caller) => {
        if (refusalOf(access, caller)) return [];
        const body = bodyFor(endpoint, ids, a, caller);
        const answer = await caller.client[method](withNeededQuery(endpoint, unknownPath(path), ids), body);
        // An endpoint for everybody has refusals of its own, of passwords and of tokens in its body.
        const { code = '' } = answer.body as Partial<ErrorBody>;
        const isRefused = isOpen(access) ? GATE_CODES.has(code) : [401, 403].includes(answer.status);
        return isRefused ? [toldOf(caller, answer, 'to pass')] : [];
      });
      expect((await Promise.all(answers)).flat()).toEqual([]);
    },
  );
});

describe('the own ids', () => {
  // Otherwise the ids that others did not find would prove nothing.
  const ordered = inWorkspace.toSorted(([one], [other]) => lateness(one) - lateness(other));
  it.each(ordered.filter(([endpoint]) => endpoint.includes('{')))(
    'are found by %s',
    async (endpoint, access) => {
      const [method, path] = split(endpoint);
      const client = isPortal(access) ? portal : a.session;
      const answer = await client[method](filled(path, ids), bodyFor(endpoint, ids, a));
      expect([answer.status === 404, answer.body]).toEqual([false, answer.body]);
    },
  );
});

/** What the API shows of workspace A, by endpoint. */
type Shown = Readonly<Record<string, unknown>>;

async function everythingShown(): Promise<Shown> {
  const shown: Record<string, unknown> = {};
  for (const [endpoint, access] of readable) {
    const path = withNeededQuery(endpoint, filled(split(endpoint)[1], ids), ids);
    const { status, text } = await (isPortal(access) ? portal : a.session).get(path);
    expect([endpoint, status, status === 200 || text]).toEqual([endpoint, 200, true]);
    shown[endpoint] = JSON.parse(text, (key, value: unknown) => (MOVING.has(key) ? null : value));
  }
  return shown;
}

/** The types of the events of workspace B so far. */
async function eventsOfB(): Promise<string[]> {
  const events = await recordedEvents(system.node.url);
  return events.filter(({ streamId }) => streamId.includes(b.workspaceId)).map(({ type }) => type);
}

/** Those who have nothing to do with the ids, each with ids of their own. */
function strangers(access: Access): [client: Client, own: Ids, whose: string][] {
  const ofB: [Client, Ids, string] = [isPortal(access) ? portalOfB : b.session, idsOfB, 'workspace B'];
  return isPortal(access) ? [ofB, [otherPortal, ids, 'another customer of A']] : [ofB];
}

/** The callers that an endpoint is tried with. Of those whose credentials are not valid, each endpoint has one. */
function callersOf(endpoint: string, access: Access): readonly Caller[] {
  const { everywhere, invalid, restricted } = callers;
  const one = invalid[[...table.keys()].indexOf(endpoint) % invalid.length]!;
  if (isOpen(access))
    return [...everywhere.filter(({ kind }) => kind === 'nobody' || kind === 'customer'), one];
  // One key has the right of the endpoint, and one has another right.
  const at = 'right' in access ? RIGHTS.indexOf(access.right) : 0;
  const keys = [RIGHTS[at], RIGHTS[(at + 1) % RIGHTS.length]].map((right) => restricted.get(right!)!);
  return [...everywhere, one, ...keys];
}

/** A valid body for the endpoint, or undefined if it takes none. It asks for nothing that goes beyond the caller. */
function bodyFor(
  endpoint: string,
  of: Ids,
  { email, password }: TestWorkspace,
  caller?: Caller,
): object | undefined {
  const body = validBodies(of, { email, password })[endpoint]?.();
  if (caller && endpoint === 'POST /v1/portal/sessions') return { customerId: of['customers'] };
  if (body && caller?.right && endpoint === 'POST /v1/api-keys')
    return { ...body, permissions: [caller.right] };
  return body;
}

/** The ids in a body that was made of {@link COLLECTIONS}: the fields that have an id of each collection. */
function idsIn(body: unknown, field = '', found = new Map<string, string[]>()): Map<string, string[]> {
  if (typeof body === 'string' && body.startsWith(MARK)) {
    const collection = body.slice(MARK.length);
    found.set(collection, [...(found.get(collection) ?? []), field]);
  } else if (Array.isArray(body)) body.forEach((one, n) => idsIn(one, `${field}[${n}]`, found));
  else if (typeof body === 'object' && body !== null)
    for (const [name, value] of Object.entries(body))
      idsIn(value, field === '' ? name : `${field}.${name}`, found);
  return found;
}

type Answer = Awaited<ReturnType<Client['get']>>;

function namedBy({ body }: Answer): string[] {
  return ((body as Partial<ErrorBody>).details ?? []).map(({ field }) => field);
}

/** Whether the error names one of these fields, or what it is in. */
function namesOneOf(answer: Answer, fields: readonly string[]): boolean {
  const [named, ...others] = namedBy(answer);
  if (named === undefined || others.length > 0) return false;
  return fields.some(
    (field) => field === named || field.startsWith(`${named}.`) || field.startsWith(`${named}[`),
  );
}

function toldOf({ name }: Caller, { status, body }: Answer, expected: unknown): string {
  return `${name} got ${status} ${JSON.stringify(body)} instead of ${JSON.stringify(expected)}`;
}

function split(endpoint: string): [method: keyof Client, path: string] {
  const [method, path] = endpoint.split(' ') as [string, string];
  return [method.toLowerCase() as keyof Client, path];
}

function isOpen(access: Access): boolean {
  return 'who' in access && access.who === 'anyone';
}

function isPortal(access: Access): boolean {
  return 'who' in access && access.who === 'customers';
}

/** How late an endpoint is called with the own ids: deletions come last, of parts before the whole. */
function lateness(endpoint: string): number {
  const isEnd = endpoint.startsWith('DELETE') || endpoint.endsWith('/erase');
  return isEnd ? 100 - endpoint.split('/').length : endpoint.startsWith('GET') ? 0 : 1;
}
