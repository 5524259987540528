import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openApiDocumentWithoutDatabases } from '#apps/api';
import { loadSettings } from '#libs/kernel/system';
import { exampleEventNames } from '#libs/outputs/webhooks';
import {
  exampleOf,
  resolved,
  within,
  type ApiBody,
  type ApiDocument,
  type ApiOperation,
  type ApiSchema,
} from '../../../../test/support/openapi.js';

/*
 * What every operation and every field of the OpenAPI document has. Who generates a client sees nothing else of the API.
 */

let document: ApiDocument;
let operations: { route: string; path: string; method: string; operation: ApiOperation }[];
/** Every schema that stands somewhere, by where it stands. */
let schemas: [place: string, schema: ApiSchema][];

beforeAll(async () => {
  document = JSON.parse(
    JSON.stringify(await openApiDocumentWithoutDatabases(loadSettings({}))),
  ) as ApiDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  );
  const contents = (place: string, { content = {} }: ApiBody): [string, ApiSchema][] =>
    Object.values(content).flatMap(({ schema }) => (schema ? [[place, schema] as [string, ApiSchema]] : []));
  const outermost: [string, ApiSchema][] = [
    ...Object.entries(document.components.schemas),
    ...operations.flatMap(({ route, operation: { requestBody = {}, responses, parameters = [] } }) => [
      ...contents(`${route} body`, requestBody),
      ...Object.entries(responses).flatMap(([status, body]) => contents(`${route} ${status}`, body)),
      ...parameters
        .filter(({ $ref }) => $ref === undefined)
        .map(({ name, schema }): [string, ApiSchema] => [`${route} ?${name}`, schema]),
    ]),
    ...Object.entries(document.webhooks).flatMap(([name, { post }]) => contents(name, post.requestBody!)),
  ];
  schemas = outermost.flatMap(everyOne);
});

function everyOne([place, schema]: [string, ApiSchema]): [string, ApiSchema][] {
  const inner = within(schema).map(([path, one]): [string, ApiSchema] => [`${place}${path}`, one]);
  return [[place, schema], ...inner.flatMap(everyOne)];
}

/** The fields of all schemas. */
const fields = (): [place: string, schema: ApiSchema][] =>
  schemas.flatMap(([place, { properties = {} }]) =>
    Object.entries(properties).map(([name, field]): [string, ApiSchema] => [`${place}.${name}`, field]),
  );

/** The names of those of which it is not so. */
const thoseWithout = <Of>(all: readonly [string, Of][], isSo: (one: Of) => boolean): string[] =>
  all.filter(([, one]) => !isSo(one)).map(([name]) => name);

const typesOf = ({ type }: ApiSchema): string[] => [type ?? []].flat();

describe('the OpenAPI document', () => {
  it('is one of 3.1 that says where the API is', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
  });

  it('has no keyword that 3.0 had', () => {
    const old = ['nullable', 'example'];
    const places = schemas.filter(([, schema]) => old.some((keyword) => keyword in schema));
    expect(places.map(([place]) => place)).toEqual([]);
  });
});

describe('every operation', () => {
  const all = (): [string, ApiOperation][] => operations.map(({ route, operation }) => [route, operation]);

  it('has an id of its own, a summary and a tag that is described', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThan(100);
    const described = document.tags.filter(({ description }) => description).map(({ name }) => name);
    expect(
      thoseWithout(all(), ({ operationId, summary, tags = [] }) =>
        Boolean(operationId && summary && tags.length === 1 && described.includes(tags[0]!)),
      ),
    ).toEqual([]);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(described.filter((tag) => !used.has(tag))).toEqual([]);
  });

  it('stands in the order in which a newcomer needs it: customers, prices, usage, and access after invoices', () => {
    const order = document.tags.map(({ name }) => name);
    const places = ['Customers', 'Prices', 'Usage events', 'Subscriptions', 'Invoices', 'API keys'];
    expect(order[0]).toBe('Customers');
    expect(places.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))).toEqual(places);
    for (const place of places) expect(order).toContain(place);
  });

  it('has the errors that it can answer with, and all of them one body', () => {
    const missing: string[] = [];
    for (const { route, path, method, operation } of operations) {
      const { responses, security = [], parameters = [] } = operation;
      const expected = ['500', '503'];
      if (method !== 'get') expected.push('400', '413', '415');
      if (parameters.length > 0) expected.push('400');
      if (security.length > 0) expected.push('401', '403');
      if (path.includes('{')) expected.push('404');
      if (security.length > 0 && method !== 'get') expected.push('409');
      if (!path.startsWith('/v1/health')) expected.push('429');
      for (const status of expected) if (!responses[status]) missing.push(`${route} ${status}`);
      for (const [status, body] of Object.entries(responses)) {
        if (status < '400' || isPage(path, status) || route === 'GET /v1/health/ready') continue;
        if (schemaOfError(body) !== '#/components/schemas/Error') missing.push(`${route} ${status} Error`);
      }
    }
    expect(missing).toEqual([]);
  });

  function schemaOfError(body: ApiBody): string | undefined {
    const named = body.$ref?.replace('#/components/responses/', '');
    const { content } = named === undefined ? body : document.components.responses[named]!;
    return content?.['application/json']?.schema?.$ref;
  }

  /** A customer's browser is shown a page. */
  function isPage(path: string, status: string): boolean {
    return path.startsWith('/i/') && ['404', '500', '503'].includes(status);
  }

  it('says of each answer what it is, and the id of its request', () => {
    const answers = operations.flatMap(({ route, operation }) =>
      Object.entries(operation.responses).map(([status, body]): [string, ApiBody] => [
        `${route} ${status}`,
        body.$ref ? document.components.responses[body.$ref.split('/').at(-1)!]! : body,
      ]),
    );
    expect(
      thoseWithout(answers, ({ description, headers = {} }) =>
        Boolean(description && headers['X-Request-Id']),
      ),
    ).toEqual([]);
  });

  it('has parameters with a description and an example, and a body in each answer that is no 204', () => {
    const parameters = operations.flatMap(({ route, operation }) =>
      (operation.parameters ?? [])
        .filter(({ $ref }) => $ref === undefined)
        .map((one): [string, typeof one] => [`${route} ${one.name}`, one]),
    );
    expect(
      thoseWithout(parameters, ({ description, schema }) => Boolean(description && schema.examples)),
    ).toEqual([]);
    const bodies = operations.flatMap(({ route, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => status < '300' && status !== '204')
        .map(([, body]): [string, ApiBody] => [route, body]),
    );
    expect(thoseWithout(bodies, ({ content }) => content !== undefined)).toEqual([]);
  });

  it('takes an Idempotency-Key if it is a POST with a credential', () => {
    const keyed = operations.filter(({ operation: { parameters = [] } }) =>
      parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
    );
    const expected = operations.filter(
      ({ method, path, operation: { security = [] } }) =>
        method === 'post' && (security.length > 0 || path === '/v1/auth/register'),
    );
    expect(keyed).toEqual(expected);
  });
});

describe('every field', () => {
  it('is described', () => {
    expect(thoseWithout(fields(), ({ description }) => Boolean(description))).toEqual([]);
    expect(fields().length).toBeGreaterThan(1_000);
  });

  it('has an example, or is made of fields that have', () => {
    const isComposed = (schema: ApiSchema): boolean =>
      schema.$ref !== undefined ||
      schema.properties !== undefined ||
      [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].some(isComposed) ||
      (schema.items !== undefined && isComposed(schema.items));
    expect(thoseWithout(fields(), (field) => field.examples !== undefined || isComposed(field))).toEqual([]);
  });

  it('that is a number is whole, or exact', () => {
    const numbers = schemas.filter(([, schema]) => typesOf(schema).includes('number'));
    expect(thoseWithout(numbers, ({ format }) => format === 'decimal')).toEqual([]);
    expect(numbers.length).toBeGreaterThan(100);
  });
});

describe('a request', () => {
  const sent = (): [string, ApiSchema][] =>
    reachedBy(operations.map(({ operation }) => operation.requestBody));

  it('has a body that can be left out if no field of it is needed', () => {
    const bodies = operations.filter(({ operation }) => operation.requestBody);
    const needed = bodies.filter(({ operation: { requestBody } }) =>
      needsFields(requestBody!.content!['application/json']!.schema!),
    );
    const required = bodies.filter(({ operation }) => operation.requestBody!.required);
    expect(required.map(({ route }) => route)).toEqual(needed.map(({ route }) => route));
    expect(needed.length).toBeLessThan(bodies.length);
  });

  function needsFields(schema: ApiSchema): boolean {
    const { oneOf, type, required = [] } = resolved(schema, document);
    return oneOf ? oneOf.every(needsFields) : type === 'array' || required.length > 0;
  }

  it('has no body that lets unknown fields in', () => {
    const objects = sent().filter(([, { properties }]) => properties);
    expect(thoseWithout(objects, ({ additionalProperties }) => additionalProperties === false)).toEqual([]);
    expect(objects.length).toBeGreaterThan(50);
  });

  it('has lists of values that hold nothing else', () => {
    const lists = sent().flatMap(([place, { anyOf = [] }]) => (anyOf.some((one) => one.enum) ? [place] : []));
    expect(lists).toEqual([]);
  });
});

describe('an answer', () => {
  const answered = (): [string, ApiSchema][] =>
    reachedBy([
      ...operations.flatMap(({ operation }) => Object.values(operation.responses)),
      ...Object.values(document.webhooks).map(({ post }) => post.requestBody),
    ]);

  it('can have further values where it has a list of them', () => {
    const lists = answered().filter(([, { anyOf = [] }]) => anyOf.some((one) => one.enum));
    expect(lists.length).toBeGreaterThan(30);
    expect(thoseWithout(lists, ({ anyOf }) => typesOf(anyOf![1]!).includes('string'))).toEqual([]);
    const closed = answered().filter(
      ([place, schema]) =>
        schema.enum && !lists.some(([list, { anyOf }]) => list === place && anyOf![0] === schema),
    );
    expect(closed.map(([place]) => place)).toEqual([]);
  });

  it('has all of its fields, except those that say when they are absent', () => {
    const optional = answered().flatMap(([place, { properties = {}, required = [] }]) =>
      Object.entries(properties)
        .filter(([name]) => !required.includes(name))
        .map(([name, field]): [string, ApiSchema] => [`${place}.${name}`, field]),
    );
    const saysWhen = ({ description = '' }: ApiSchema) => /\babsent\b/i.test(description);
    expect(thoseWithout(optional, saysWhen)).toEqual([]);
    expect(optional.length).toBeGreaterThan(50);
  });

  it('can have further fields', () => {
    expect(thoseWithout(answered(), ({ additionalProperties }) => additionalProperties !== false)).toEqual(
      [],
    );
  });
});

/** Every schema that bodies have, also by reference. */
function reachedBy(bodies: (ApiBody | undefined)[]): [string, ApiSchema][] {
  const seen = new Map<ApiSchema, string>();
  const visit = (place: string, schema: ApiSchema): void => {
    if (seen.has(schema)) return;
    seen.set(schema, place);
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined) visit(name, document.components.schemas[name]!);
    for (const [path, inner] of within(schema)) visit(`${place}${path}`, inner);
  };
  for (const body of bodies)
    for (const { schema } of Object.values(body?.content ?? {})) if (schema) visit('body', schema);
  return [...seen].map(([schema, place]) => [place, schema]);
}

describe('objects in several forms', () => {
  it.each([
    ['PriceConfigBody', 'model', 9],
    ['PriceConfigView', 'model', 9],
    ['AggregationBody', 'type', 5],
    ['AggregationView', 'type', 5],
  ])('%s is told apart by its %s', (name, discriminator, forms) => {
    const schema = document.components.schemas[name] as ApiSchema & { discriminator: object };
    expect(schema.discriminator).toMatchObject({ propertyName: discriminator });
    expect(schema.oneOf).toHaveLength(forms);
    for (const form of schema.oneOf!)
      expect(resolved(form, document).properties![discriminator]).toHaveProperty('const');
  });

  it.each(['CreateCouponBody', 'CouponView', 'RedemptionView'])(
    '%s is a percentage or an amount in a currency',
    (name) => {
      const forms = document.components.schemas[name]!.oneOf!.map((form) => resolved(form, document));
      expect(forms.map(({ required = [] }) => required.includes('percentOff'))).toContain(true);
      expect(forms.map(({ required = [] }) => required.includes('amountOff'))).toContain(true);
    },
  );
});

describe('every example', () => {
  let ajv: Ajv2020;
  beforeAll(() => {
    ajv = new Ajv2020({ strict: false, allErrors: true });
    (formats as unknown as (ajv: Ajv2020) => void)(ajv);
    ajv.addFormat('decimal', { type: 'number', validate: () => true });
    ajv.addFormat('binary', true);
    ajv.addSchema(document, 'api');
  });

  /** What is wrong with a value; undefined if it is fine. */
  function fault(schema: ApiSchema, value: unknown): string | undefined {
    const check = ajv.compile(absolute(schema));
    return check(value) ? undefined : ajv.errorsText(check.errors);
  }

  it('is one of its schema', () => {
    const wrong = schemas.flatMap(([place, schema]) =>
      (schema.examples ?? []).flatMap((example) => {
        const faults = fault(schema, example);
        return faults === undefined ? [] : [`${place} ${JSON.stringify(example)}: ${faults}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('fits together with those of the other fields', () => {
    const wrong = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
      const faults = fault({ $ref: `#/components/schemas/${name}` }, exampleOf(schema, document));
      return faults === undefined ? [] : [`${name}: ${faults}`];
    });
    expect(wrong).toEqual([]);
  });

  it('of an error or a webhook has its fields', () => {
    const bodies = [
      ...Object.entries(document.components.responses),
      ...Object.entries(document.webhooks).map(([name, { post }]): [string, ApiBody] => [
        name,
        post.requestBody!,
      ]),
    ];
    const wrong = bodies.flatMap(([name, { content }]) => {
      const { schema, example } = content!['application/json']!;
      const faults = fault(schema!, example);
      return faults === undefined ? [] : [`${name}: ${faults}`];
    });
    expect(wrong).toEqual([]);
  });

  function absolute(schema: ApiSchema): ApiSchema {
    return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as ApiSchema;
  }
});

describe('the webhooks of the document', () => {
  it('are all events that are sent, each under its own name', () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual(
      [...exampleEventNames(), 'webhook.test'].toSorted(),
    );
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const { schema, example } = post.requestBody!.content!['application/json']!;
      expect(schema!.properties!['event']).toMatchObject({ const: name });
      expect(example).toMatchObject({ event: name });
    }
  });
});

describe('the headers of the document', () => {
  const headersOf = (route: string, status: string): string[] => {
    const found = operations.find((one) => one.route === route)!.operation.responses[status]!;
    const { headers = {} } =
      found.$ref === undefined ? found : document.components.responses[found.$ref.split('/').at(-1)!]!;
    return Object.keys(headers);
  };

  it('are those that are sent, where they are sent', () => {
    for (const route of ['POST /v1/events', 'POST /v1/events/backfill'])
      expect(headersOf(route, '200')).toEqual(
        expect.arrayContaining(['Usage-Events-Repeated', 'Usage-Events-Unmatched']),
      );
    expect(headersOf('GET /v1/audit', '200')).toContain('Next');
    expect(headersOf('GET /v1/customers', '401')).toContain('WWW-Authenticate');
    for (const route of ['login', 'refresh', 'logout'])
      expect(headersOf(`POST /v1/auth/${route}`, '401')).not.toContain('WWW-Authenticate');
    expect(headersOf('POST /v1/customers', '400')).toContain('X-RateLimit-Remaining');
    expect(headersOf('GET /v1/health', '503')).not.toContain('X-RateLimit-Remaining');
  });
});

it('has no field that is constantly null, of which some generators make types that do not compile', () => {
  expect(schemas.filter(([, schema]) => 'const' in schema && schema['const'] === null)).toEqual([]);
});
