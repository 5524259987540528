import { omit } from '#libs/kernel/core';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  createOneOfEverything,
  operationsOf,
  startSystem,
  type Operation,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { sendText } from '../support/index.js';
import type { ApiDocument, ApiParameter } from '../support/openapi.js';

/*
 * The names of query parameters, in every operation of the OpenAPI document: one spelling is documented, and the other is read. A range of
 * time has one pair of names, and former names are read.
 */

/** The operation whose parameters the API contract writes with underscores. */
const UNDERSCORED = 'GET /v1/invoices';

/** The former names of `since` and `until` by operation; of the others, they are `from` and `to`. The end of a former pair is not counted. */
const FORMER: Readonly<Record<string, readonly [string, string]>> = {
  'GET /v1/events': ['start_time', 'end_time'],
  'GET /v1/invoices': ['issued_from', 'issued_before'],
};
/** Operations that have always had `since` and `until`. */
const NEVER_RENAMED: ReadonlySet<string> = new Set(['GET /v1/audit', 'GET /v1/webhooks/{id}/deliveries']);
/** What may not be the documented name of a beginning or an end. */
const RANGE_NAMES =
  /^(from|to|after_time|before_time|start|end|.*([_-]?(from|before)|[sS]tart_?[tT]ime|[eE]nd_?[tT]ime))$/;

/** Values that tell whether a parameter was read: each selects something else than all. */
const VALUES: Readonly<Record<string, string>> = { window: 'day', groupBy: 'plan' };

let system: System;
let workspace: TestWorkspace;
let portalToken: string;
let document: ApiDocument;
let operations: Operation[];

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  const ids = await createOneOfEverything(workspace);
  const session = await workspace.http
    .post('/v1/portal/sessions', { customerId: ids['customers'] })
    .expect(201);
  portalToken = (session.body as { token: string }).token;
  document = (await workspace.http.get('/v1/openapi.json').expect(200)).body as ApiDocument;
  operations = operationsOf(document, ids).filter(
    ({ method, route }) => method === 'get' && route.includes('/v1/'),
  );
});
afterAll(async () => system?.stop());

/** The query parameters of an operation, without those that are documented as deprecated. */
function parametersOf({ route }: Operation): ApiParameter[] {
  const { parameters = [] } = document.paths[route.split(' ')[1]!]!['get']!;
  return parameters
    .map((one) =>
      one.$ref ? document.components.parameters[one.$ref.replace('#/components/parameters/', '')]! : one,
    )
    .filter((one) => one.in === 'query' && !(one as { deprecated?: boolean }).deprecated);
}

const toCamel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const otherSpelling = (name: string): string => (toCamel(name) === name ? toSnake(name) : toCamel(name));

async function send(operation: Operation, path: string): Promise<{ status: number; body: unknown }> {
  const tokens = { customer: portalToken, user: workspace.accessToken, key: workspace.apiKey };
  const headers = { authorization: `Bearer ${tokens[operation.caller]}` };
  const { status, body } = await sendText('GET', `${system.url}${path}`, headers, undefined);
  return { status, body };
}

interface Refusal {
  code?: string;
  details?: { field: string; message: string }[];
}

/** Sends a value under two names, and both at once. Says what is wrong with the answers, if anything. */
async function compare(
  operation: Operation,
  [name, value]: readonly [string, string],
  [otherName, otherValue]: readonly [string, string],
): Promise<string[]> {
  const answers = [
    await send(operation, operation.pathWith(name, value)),
    await send(operation, operation.pathWith(name, '').replace(`${name}=`, `${otherName}=${otherValue}`)),
  ] as const;
  const [known, other] = answers.map((answer) => withoutIds(answer));
  const both = await send(operation, `${operation.pathWith(name, value)}&${otherName}=${otherValue}`);
  const { code, details = [] } = both.body as Refusal;
  const isRefused =
    both.status === 400 && code === 'validation_failed' && details.some(({ field }) => field === otherName);
  return [
    ...(known === other ? [] : [`${operation.route} ?${otherName}: ${other?.slice(0, 200)}`]),
    ...(isRefused
      ? []
      : [
          `${operation.route} ?${name}&${otherName}: ${both.status} ${JSON.stringify(both.body).slice(0, 200)}`,
        ]),
  ];
}

/** An answer as text, without what is another in each. An error names the parameter by the name that the request has. */
function withoutIds({ status, body }: { status: number; body: unknown }): string {
  const rest = omit((body ?? {}) as Record<string, unknown>, ['requestId', 'error', 'details']);
  return `${status} ${JSON.stringify(rest)}`;
}

it('are documented without underscores, except those of the invoice list', () => {
  const wrong = operations.flatMap((operation) =>
    parametersOf(operation)
      .filter(({ name }) => (operation.route === UNDERSCORED ? toSnake(name) : toCamel(name)) !== name)
      .map(({ name }) => `${operation.route} ?${name}`),
  );
  expect(wrong).toEqual([]);
});

it('are read in both spellings, and refused if both are given', async () => {
  const faults: string[] = [];
  let compared = 0;
  for (const operation of operations)
    for (const { name } of parametersOf(operation)) {
      if (otherSpelling(name) === name) continue;
      const value = VALUES[name] ?? '5';
      faults.push(...(await compare(operation, [name, value], [otherSpelling(name), value])));
      compared++;
    }
  expect(faults).toEqual([]);
  expect(compared).toBeGreaterThan(20);
});

it('are since and until for each range of time, and the former names are read', async () => {
  const faults: string[] = [];
  let compared = 0;
  for (const operation of operations) {
    const { route } = operation;
    const parameters = parametersOf(operation);
    const wrong = parameters.filter(({ name }) => RANGE_NAMES.test(name));
    faults.push(...wrong.map(({ name }) => `${route} documents ?${name}`));
    const since = parameters.find(({ name }) => name === 'since');
    const until = parameters.find(({ name }) => name === 'until');
    if ((since === undefined) !== (until === undefined)) faults.push(`${route} has one of since and until`);
    if (!since || NEVER_RENAMED.has(route)) continue;
    const [from, to] = FORMER[route] ?? ['from', 'to'];
    const isMonth = since.schema.format === undefined && 'pattern' in since.schema;
    const start = isMonth ? '2026-01' : '2026-01-15T00:00:00Z';
    const [last, end] = isMonth
      ? ['2026-01', '2026-01']
      : ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z'];
    faults.push(...(await compare(operation, ['since', start], [from, start])));
    faults.push(...(await compare(operation, ['until', last], [to, end])));
    compared++;
  }
  expect(faults).toEqual([]);
  expect(compared).toBeGreaterThan(10);
});

it('are those of the request in an error', async () => {
  const { http } = workspace;
  const range = await http.get('/v1/payments?from=2026-02-01&to=2026-01-01').expect(400);
  expect((range.body as Refusal).details).toEqual([
    { field: 'to', message: expect.stringMatching(/^must not be before from, 2026-02-01/) },
  ]);
  const months = await http.get('/v1/reports/taxes?from=2026-02&to=2026-01').expect(400);
  expect((months.body as Refusal).details).toMatchObject([{ field: 'from' }]);
  const id = await http.get('/v1/subscriptions?customer_id=a%20b').expect(400);
  expect((id.body as Refusal).details).toMatchObject([{ field: 'customer_id' }]);
});
