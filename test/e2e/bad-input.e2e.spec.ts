import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pMap from 'p-map';
import {
  clientOf,
  createOneOfEverything,
  operationsOf,
  sendText,
  startSystem,
  unique,
  validBodies,
  type Operation,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { listedEndpoints } from '../support/per-worker/endpoint-tables.ts';
import { resolved, type ApiDocument, type ApiSchema } from '../support/openapi.js';
import { untilReady } from '../support/until-ready.js';

/*
 * Generated from the OpenAPI document: every field of every body and every query parameter is given what it should not
 * be, one at a time in an otherwise valid request. Nothing may fail on our side, a refusal names the field, and
 * afterwards the read models still go on. A new body has no case here and fails the test until it has one.
 */

/** By the kind of value that a field takes; as JSON text, since some of it cannot be said with values. */
const HOSTILE = {
  number: words('1.5 -1 1e308 1e-400 1e200000 9007199254740993 0.1234567890123456789'),
  string: words(
    String.raw`"" "\u0020" "x" "a\u0000b" "\ud800" "\u202e💥" "__proto__" ".." "${'x'.repeat(5_000)}"
    "2026-02-30T00:00:00Z" "0000-01-01T00:00:00Z" "9999-12-31T23:59:59-14:00" "2026-01-01T00:00:00"`,
  ),
  object: words(
    String.raw`[] {} [null] [1e400] ["\udfff"] {"":1} {"\u0000":1} {"toString":1} {"__proto__":{"a":1}}
    {"a":{"constructor":{"prototype":1}}} ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  ),
};
type Kind = keyof typeof HOSTILE;
const KINDS = Object.keys(HOSTILE) as Kind[];
const ALWAYS = ['null', 'true', '[]', '{}', '"x"', '1.5'];

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

let turn = 0;
/**
 * What to give a field that takes `value`: all that is hostile of its kind. Whatever is of another kind is refused for that. So one value of
 * each other kind stands for the rest there. It is another one for each field, so that all of them come to fields of every kind.
 */
function hostileFor(value: unknown): Set<string> {
  const own = typeof value === 'number' || typeof value === 'string' ? typeof value : 'object';
  const taken = turn++;
  const others = KINDS.filter((kind) => kind !== own).map((kind) => HOSTILE[kind]);
  const fromOthers = others.map((list) => list[taken % list.length]!);
  return new Set([...ALWAYS, ...HOSTILE[own as Kind], ...fromOthers]);
}

/** What fields are called that are a name, or another text of one line. */
const NAMES = new Set(
  'name companyName legalName externalId line1 line2 city postalCode region phone registrationNumber'.split(
    ' ',
  ),
);
/** Whose keys are the properties of usage events, which are called what their sender likes. */
const OF_USAGE = new Set(['properties', 'filter', 'group']);
const isName = (path: string[]): boolean => NAMES.has(path.at(-1)!) && !OF_USAGE.has(path.at(-2) ?? '');
const NOT_ON_ONE_LINE = [
  '\n',
  '\r\n',
  '\t',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
];

const PLACEHOLDER = 'HOSTILE VALUE';

let system: System;
let workspace: TestWorkspace;
let samples: Readonly<Record<string, () => object>>;
let operations: Operation[];
let portalToken: string;
let document: ApiDocument;

beforeAll(async () => {
  system = await startSystem({ BODY_LIMIT_BYTES: '100000' });
  workspace = await system.workspace();
  const ids = await createOneOfEverything(workspace);
  const allowed = { allowPlanChanges: true, allowCreditPurchases: true, expiresInSeconds: 86_400 };
  const opened = await workspace.http
    .post('/v1/portal/sessions', { customerId: ids['customers'], ...allowed })
    .expect(201);
  portalToken = (opened.body as { token: string }).token;
  samples = validBodies(ids, workspace);
  document = (await workspace.http.get('/v1/openapi.json').expect(200)).body as ApiDocument;
  operations = operationsOf(document, ids);
});
afterAll(async () => system?.stop());

/** Every path to a value within a body. */
function pathsOf(body: object, prefix: string[] = []): string[][] {
  return Object.entries(body).flatMap(([key, value]: [string, unknown]) => {
    const path = [...prefix, key];
    return typeof value === 'object' && value !== null ? [path, ...pathsOf(value, path)] : [path];
  });
}

/** The body as JSON with `text` in the place that `path` names. */
function withHostile(body: object, path: string[], text: string): string {
  const copy = structuredClone(body) as Record<string, unknown>;
  const parent = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, copy);
  parent[path.at(-1)!] = PLACEHOLDER;
  return JSON.stringify(copy).replace(JSON.stringify(PLACEHOLDER), () => text);
}

/** What is wrong with the answer to a request with a wrong `field`, if anything. */
function fault({ status, body }: { status: number; body: unknown }, field: string): string | undefined {
  if (status >= 500) return `${status}: ${JSON.stringify(body)}`;
  const { code, details, rejected } = body as {
    code?: string;
    details?: { field: string }[];
    rejected?: { field?: string; reason: string }[];
  };
  const named = rejected ?? details ?? [];
  const refused = code === 'validation_failed' || (rejected !== undefined && rejected.length > 0);
  if (!refused || named.some((one) => one.field?.split(/[.[]/)[0] === field)) return undefined;
  return `does not name the field: ${JSON.stringify(body)}`;
}

/** A key wherever one may be used, so that a logout ends nothing. */
function credentialFor({ caller }: Operation): string {
  return { customer: portalToken, user: workspace.accessToken, key: workspace.apiKey }[caller];
}

/** The largest number of times that a request is sent. A machine that is busy with other tests can stand still for ten seconds. */
const MAX_REQUESTS = 10;

/** Sends JSON text as it is, or nothing. Sends it again if the answer is that it took too long, as a client would. */
async function send(operation: Operation, text: string | undefined, path = operation.path) {
  const headers = {
    authorization: `Bearer ${credentialFor(operation)}`,
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  };
  for (let requests = 1; ; requests++) {
    const answer = await sendText(operation.method.toUpperCase(), `${system.url}${path}`, headers, text);
    const { code } = (answer.body ?? {}) as { code?: string };
    if (code !== 'timed_out' || requests === MAX_REQUESTS) return answer;
  }
}

/** The number of requests at a time: most of their time is spent waiting. Many more writes to one thing can be answered 503. */
const AT_ONCE = 8;

describe('bad input', () => {
  it('in any field of any body is refused by the name of the field, or taken', async () => {
    const faults: string[] = [];
    let asked = 0;
    for (const operation of operations) {
      const { route, takesBody } = operation;
      if (!takesBody) continue;
      const sample = samples[route];
      if (!sample) throw new Error(`${listedEndpoints().get(route)!.file} has no body for ${route}`);
      for (const field of pathsOf(sample())) {
        const value = field.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], sample());
        await pMap(
          hostileFor(value),
          async (text) => {
            const answer = await send(operation, withHostile(sample(), field, text));
            const found = fault(answer, field[0]!);
            if (found)
              faults.push(`${route} ${field.join('.')} = ${text.slice(0, 60)}: ${found.slice(0, 200)}`);
            asked++;
          },
          { concurrency: AT_ONCE },
        );
      }
    }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(2_000);
    await stillGoing();
  }, 240_000);

  it('is refused in a name: line breaks, and what turns the direction of the text around it', async () => {
    const faults: string[] = [];
    const asked = new Set<string>();
    for (const operation of operations.filter(({ takesBody }) => takesBody)) {
      const sample = samples[operation.route]!;
      for (const field of pathsOf(sample()).filter(isName)) {
        asked.add(field.at(-1)!);
        await Promise.all(
          NOT_ON_ONE_LINE.map(async (text) => {
            const body = withHostile(sample(), field, JSON.stringify(`a${text}b`));
            const answer = await send(operation, body);
            const found = answer.status === 400 ? fault(answer, field[0]!) : `${answer.status}`;
            if (found) faults.push(`${operation.route} ${field.join('.')} ${JSON.stringify(text)}: ${found}`);
          }),
        );
      }
    }
    expect(faults).toEqual([]);
    expect(asked).toEqual(NAMES);
  });

  it('in any query parameter likewise', async () => {
    const values = '_ x -1 1.5 1e3 99999999999999999999 %00 %F0%9F %20 __proto__ 2026-02-30'.split(' ');
    const faults: string[] = [];
    let asked = 0;
    for (const operation of operations) {
      for (const name of operation.query) {
        const twice = `1&${name}=2`;
        await Promise.all(
          ['', ...values, twice, 'x'.repeat(5_000)].map(async (value) => {
            const body = operation.takesBody ? JSON.stringify(samples[operation.route]!()) : undefined;
            const answer = await send(operation, body, operation.pathWith(name, value));
            const found = value === twice && answer.status !== 400 ? `${answer.status}` : fault(answer, name);
            if (found)
              faults.push(`${operation.route} ?${name}=${value.slice(0, 60)}: ${found.slice(0, 200)}`);
            asked++;
          }),
        );
      }
    }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(200);
  });

  it('in a field that only the server sets is refused by its name, also where no body belongs', async () => {
    const set = {
      id: 'x_1',
      status: 'active',
      accountId: 'acc_1',
      workspaceId: 'acc_1',
      role: 'admin',
      total: 0,
    };
    const faults: string[] = [];
    let asked = 0;
    for (const operation of operations.filter(isWriteOfApi)) {
      const own = operation.takesBody ? fieldsOf(schemaOf(operation)) : new Set();
      const foreign = Object.entries(set).filter(([name]) => !own.has(name));
      asked += foreign.length;
      await Promise.all(
        foreign.map(async ([name, value]) => {
          const body = { ...(operation.takesBody ? samples[operation.route]!() : {}), [name]: value };
          const found = await unknownFieldFault(operation, body, name);
          if (found) faults.push(found);
        }),
      );
    }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(600);
  });

  it('in an unknown field of an object within a body is refused by its path', async () => {
    const faults: string[] = [];
    let asked = 0;
    for (const operation of operations.filter((one) => isWriteOfApi(one) && one.takesBody)) {
      const sample = samples[operation.route]!;
      for (const path of objectsWithFields(sample(), schemaOf(operation))) {
        const body = structuredClone(sample());
        const object = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], body);
        (object as Record<string, unknown>)['notAField'] = 1;
        const found = await unknownFieldFault(operation, body, fieldPath([...path, 'notAField']));
        if (found) faults.push(found);
        asked++;
      }
    }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(20);
  });

  it('as the body of a request that takes none is refused', async () => {
    const faults: string[] = [];
    for (const operation of operations.filter(({ takesBody, path }) => !takesBody && isOfApi(path))) {
      const bodies = operation.method === 'get' ? ['{"a":1}', '{}'] : ['[]', '[{"a":1}]', '"x"', '1', 'null'];
      await Promise.all(
        bodies.map(async (body) => {
          const { status, body: answer } = await send(operation, body);
          const { code } = (answer ?? {}) as { code?: string };
          if (status !== 400 || code !== 'validation_failed')
            faults.push(`${operation.route} ${body}: ${status} ${JSON.stringify(answer).slice(0, 200)}`);
        }),
      );
    }
    expect(faults).toEqual([]);
    await stillGoing();
  });

  it('in place of a whole body is refused', async () => {
    const bodies = ['"x"', '1e308', '{', '{"a":1,}', '{"__proto__":1}', '//'];
    const faults: string[] = [];
    for (const operation of operations.filter(({ takesBody }) => takesBody)) {
      await Promise.all(
        bodies.map(async (body) => {
          const { status, body: answer } = await send(operation, body);
          // A usage event that is wrong is rejected by itself.
          const isRejected = (answer as { rejected?: unknown[] }).rejected?.length === 1;
          if (status !== 400 && !isRejected) faults.push(`${operation.route} ${body}: ${status}`);
        }),
      );
    }
    expect(faults).toEqual([]);
    await stillGoing();
  });
});

/** Whether the path is one of the API, whose requests are closed. Health checks and pages for people take what programs add. */
const isOfApi = (path: string): boolean => path.startsWith('/v1/') && !path.startsWith('/v1/health');

/** Whether a request can change something. The events of a payment gateway are as the gateway writes them. */
const isWriteOfApi = ({ method, path, route }: Operation): boolean =>
  method !== 'get' && isOfApi(path) && !route.startsWith('POST /v1/gateways/');

/** A path as errors write it: `lines[0].amount`. */
function fieldPath(path: readonly string[]): string {
  return path.map((name, i) => (/^\d+$/.test(name) ? `[${name}]` : i === 0 ? name : `.${name}`)).join('');
}

/** What is wrong with the answer to a body with the unknown field at `path`, if anything. */
async function unknownFieldFault(
  operation: Operation,
  body: object,
  path: string,
): Promise<string | undefined> {
  const answer = await send(operation, JSON.stringify(body));
  const { rejected, details } = answer.body as Record<
    string,
    { field?: string; message?: string }[] | undefined
  >;
  const name = path.split('.').at(-1)!;
  const isNamed = (rejected ?? details ?? []).some(
    ({ field = '', message = '' }) =>
      field === path || (path.startsWith(`${field}[`) && message.includes(name)),
  );
  return isNamed && (answer.status === 400 || rejected)
    ? undefined
    : `${operation.route} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
}

/** The paths of the objects within `value` that have fields of their own. The keys of other objects are free, as those of metadata. */
function objectsWithFields(value: unknown, schema: ApiSchema, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const forms = formsOf(schema);
  if (Array.isArray(value)) {
    const items = forms.flatMap((form) => (form.items ? [form.items] : []));
    return value.flatMap((one, i) =>
      items.flatMap((item) => objectsWithFields(one, item, [...path, `${i}`])),
    );
  }
  const properties = Object.assign({}, ...forms.map((form) => form.properties ?? {})) as Record<
    string,
    ApiSchema
  >;
  const own = Object.keys(properties).length > 0 && path.length > 0 ? [path] : [];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    properties[key] ? objectsWithFields(one, properties[key], [...path, key]) : [],
  );
  return [...own, ...inner];
}

/** The schemas that an object can have: the schema itself and its forms. */
function formsOf(schema: ApiSchema): ApiSchema[] {
  const whole = resolved(schema, document);
  const { oneOf = [], anyOf = [], allOf = [] } = whole;
  return [whole, ...[...oneOf, ...anyOf, ...allOf].flatMap(formsOf)];
}

function schemaOf({ route }: Operation): ApiSchema {
  const [method, path] = route.split(' ') as [string, string];
  return document.paths[path]![method.toLowerCase()]!.requestBody!.content!['application/json']!.schema!;
}

/** The names of the fields at the top of a body, of whichever of its forms. */
function fieldsOf(schema: ApiSchema): Set<string> {
  const { properties = {}, items, oneOf = [], anyOf = [], allOf = [] } = resolved(schema, document);
  const parts = [...(items ? [items] : []), ...oneOf, ...anyOf, ...allOf];
  return new Set([...Object.keys(properties), ...parts.flatMap((part) => [...fieldsOf(part)])]);
}

/** Writes are taken and show in reads: nothing that was let in stops the read models. */
async function stillGoing(): Promise<void> {
  const id = unique();
  const { headers } = await workspace.http.post('/v1/customers', { id, name: 'A' }).expect(201);
  expect(headers['read-models']).toBeUndefined();
  await workspace.http.get(`/v1/customers/${id}`).expect(200);
  await untilReady(() => clientOf(system.url).get('/v1/health/ready'));
}
