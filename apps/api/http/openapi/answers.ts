import {
  operationsIn,
  refTo,
  type Body,
  type Described,
  type Document,
  type Operation,
  type Schema,
} from './schema.js';

const REQUEST_ID = '01JD0000000000000000000000';

const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: {
    type: 'object',
    description: 'The body of every error.',
    required: ['error', 'code', 'requestId'],
    properties: {
      error: {
        type: 'string',
        description: 'What is wrong and what to do, for people.',
        examples: ['name must be text of 1 to 200 characters'],
      },
      code: {
        type: 'string',
        description: 'What is wrong, for programs. It stays the same when the words change.',
        examples: ['validation_failed'],
      },
      details: {
        type: 'array',
        description: 'What is wrong with which field, where it is about fields.',
        items: refTo('FieldError'),
      },
      requestId: {
        type: 'string',
        description: 'The id of the request, as in the header `X-Request-Id`: say it when you ask for help.',
        examples: [REQUEST_ID],
      },
    },
  },
  FieldError: {
    type: 'object',
    description: 'One thing that is wrong with one field.',
    required: ['field', 'message'],
    properties: {
      field: {
        type: 'string',
        description: 'Where it is in the request, such as `prices[1].priceId`.',
        examples: ['name'],
      },
      message: {
        type: 'string',
        description: 'What is expected there.',
        examples: ['must be text of 1 to 200 characters'],
      },
    },
  },
};

interface ErrorKind {
  name: string;
  description: string;
  headers?: readonly string[];
  example: object;
}

/** Every error that an operation can answer with. All have one body. */
const ERRORS: Readonly<Record<string, ErrorKind>> = {
  400: {
    name: 'BadRequest',
    description:
      'The request is malformed, or asks for what the state of the thing does not allow. `details` names each wrong field.',
    example: {
      error: 'name must be text of 1 to 200 characters',
      code: 'validation_failed',
      details: [{ field: 'name', message: 'must be text of 1 to 200 characters' }],
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'No credential, or one that is not valid.',
    headers: ['WWW-Authenticate'],
    example: { error: 'The credential is not valid', code: 'invalid_credential' },
  },
  403: {
    name: 'Forbidden',
    description: 'A valid credential that does not allow this.',
    example: {
      error: 'The role viewer does not have the permission customers:write',
      code: 'permission_denied',
    },
  },
  404: {
    name: 'NotFound',
    description: 'Something that the request names is not in this workspace.',
    example: {
      error: 'No customer "northwind" in this workspace',
      code: 'customer_not_found',
      details: [{ field: 'id', message: 'must name a customer in this workspace' }],
    },
  },
  409: {
    name: 'Conflict',
    description:
      'It is in use, taken or being changed by another request; or the `Idempotency-Key` was used for another request.',
    example: {
      error: 'The Idempotency-Key was used for another request',
      code: 'idempotency_key_reused',
    },
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than this endpoint takes.',
    example: {
      error: 'The body is larger than 1048576 bytes, the most that this endpoint takes',
      code: 'body_too_large',
    },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is no JSON, or it is in an encoding.',
    example: {
      error: 'Bodies are JSON: send Content-Type: application/json',
      code: 'unsupported_media_type',
    },
  },
  429: {
    name: 'TooManyRequests',
    description:
      'Too many requests. Wait as long as `Retry-After` says, and longer after each further refusal.',
    headers: ['Retry-After'],
    example: { error: 'Too many requests; try again in 1 second', code: 'rate_limited' },
  },
  500: {
    name: 'InternalError',
    description: 'Something went wrong on our side. The request can be tried again.',
    example: {
      error: 'Something went wrong on our side; the request can be tried again',
      code: 'internal_error',
    },
  },
  503: {
    name: 'Unavailable',
    description:
      'A part that the request needs does not answer at the moment. Try again after `Retry-After`, with the same idempotency key if there is one: it may be done already.',
    headers: ['Retry-After'],
    example: {
      error: 'The database does not answer at the moment; try again',
      code: 'database_unavailable',
    },
  },
};

/** How far its sender is from the limit, on whatever is limited. */
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const HEADERS: Readonly<Record<string, Described>> = {
  'X-Request-Id': {
    description: 'The id of this request, as in `requestId` of an error.',
    schema: { type: 'string', examples: [REQUEST_ID] },
  },
  'Retry-After': {
    description: 'In how many seconds the request can be tried again.',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', examples: ['Bearer realm="countinghouse"'] },
  },
  'X-RateLimit-Limit': {
    description: 'How many requests the present stretch of time allows.',
    schema: { type: 'integer', examples: [100] },
  },
  'X-RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0, examples: [99] },
  },
  'X-RateLimit-Reset': {
    description: 'In how many seconds the next stretch of time begins.',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true', examples: ['true'] },
  },
  'Usage-Events-Repeated': {
    description:
      'How many of the accepted events had been stored before. Absent if none, and in the answer to a repeated `Idempotency-Key`.',
    schema: { type: 'integer', minimum: 1, examples: [2] },
  },
  'Usage-Events-Unmatched': {
    description:
      'How many of the accepted events are not counted. Absent if none, and in the answer to a repeated `Idempotency-Key`.',
    schema: { type: 'integer', minimum: 1, examples: [17] },
  },
  Next: {
    description: 'Of a CSV file with entries behind it: what `after` is to be for the next page.',
    schema: { type: 'string', examples: ['WyJhdWRpdCIsIjQ3MTEiXQ'] },
  },
  'Read-Models': {
    description:
      '`behind` if lists and balances do not show the change yet. What was asked for is done all the same.',
    schema: { type: 'string', const: 'behind', examples: ['behind'] },
  },
};

const IDEMPOTENCY_KEY = 'IdempotencyKey';
const PARAMETERS: Readonly<Record<string, Described>> = {
  [IDEMPOTENCY_KEY]: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Any text of your own. The same request with the same key gets the first answer again and has no other effect.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['0b4c8f0e-3f1e-4a8e-9d0a-2b6f5f0e7c11'],
    },
  },
};

/** Of the answers that say no more of themselves. */
const DONE: Readonly<Record<string, string>> = {
  200: 'What was asked for.',
  201: 'What was created.',
  202: 'It was taken, and is under way.',
  204: 'It is done. There is no body.',
  303: 'It is done, and shown at the address in `Location`.',
};

/** Says that an answer has these headers, each of which is described in {@link HEADERS}. */
export function withHeaders(...names: string[]): { headers: Record<string, { $ref: string }> } {
  return { headers: refsTo(names) };
}

/** Describes what every operation has: its errors, and the headers that it takes and answers with. */
export function describeAnswers(document: Document): void {
  const { components } = document;
  components.headers = { ...HEADERS };
  components.parameters = { ...PARAMETERS };
  Object.assign(components.schemas, ERROR_SCHEMAS);
  components.responses = Object.fromEntries(
    Object.values(ERRORS).map((kind) => [kind.name, errorAnswer(kind, RATE_HEADERS)]),
  );
  for (const { method, path, operation } of operationsIn(document.paths)) {
    const keyed = takesIdempotencyKey(method, path, operation);
    if (keyed) (operation.parameters ??= []).push({ $ref: `#/components/parameters/${IDEMPOTENCY_KEY}` });
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (status >= '400') {
        // What has a body of its own is no error of ours.
        if (answer.content)
          answer.headers = {
            ...refsTo(['X-Request-Id', ...(isLimited(path) ? RATE_HEADERS : [])]),
            ...answer.headers,
          };
        continue;
      }
      answer.description = answer.description || (DONE[status] ?? '');
      answer.headers = {
        ...refsTo(['X-Request-Id']),
        ...(isLimited(path) ? refsTo(RATE_HEADERS) : {}),
        ...(keyed ? refsTo(['Idempotency-Replayed']) : {}),
        ...(method !== 'get' && isOurs(path) ? refsTo(['Read-Models']) : {}),
        ...answer.headers,
      };
    }
    for (const status of errorsOf(method, path, operation))
      operation.responses[status] = answerOf(status, path, operation);
  }
}

/** Which errors an operation can answer with. */
function errorsOf(method: string, path: string, operation: Operation): string[] {
  const { parameters = [], requestBody, security = [], responses } = operation;
  const isWrite = method !== 'get';
  const hasCredential = security.length > 0;
  const names = parameters.map(({ name = '' }) => name);
  // Of a query that there is not, at least.
  const mayBeWrong = isWrite || isLimited(path);
  const mayBeMissing =
    path.includes('{') || (requestBody && hasCredential) || names.some((name) => /_id$/.test(name));
  return [
    ...(mayBeWrong ? ['400'] : []),
    ...(hasCredential ? ['401', '403'] : []),
    ...(mayBeMissing ? ['404'] : []),
    ...(isWrite && hasCredential ? ['409'] : []),
    ...(isWrite ? ['413', '415'] : []),
    ...(isLimited(path) ? ['429'] : []),
    ...['500', '503'],
    ...Object.keys(responses).filter((status) => status >= '400'),
  ].filter((status, i, all) => all.indexOf(status) === i && isOurError(status, operation));
}

/** Whether an error has the body of all errors. What says by itself what it has is something else. */
function isOurError(status: string, { responses }: Operation): boolean {
  return responses[status]?.content === undefined;
}

function answerOf(status: string, path: string, { security = [], responses }: Operation): Body {
  const own = responses[status];
  const known = ERRORS[status];
  if (!known) throw new Error(`What an answer of ${status} means is not known`);
  const isPage = !isOurs(path) && ['404', '500', '503'].includes(status);
  // Whoever signs in is not asked for a credential.
  const isSignIn = status === '401' && security.length === 0;
  const kind = isSignIn ? { ...known, headers: [] } : known;
  const limits = isLimited(path) ? RATE_HEADERS : [];
  if (isPage) return pageOf(kind, limits);
  if (!own?.description && limits.length > 0 && !isSignIn)
    return { $ref: `#/components/responses/${kind.name}` };
  return { ...errorAnswer(kind, limits), description: own?.description || kind.description };
}

function errorAnswer({ description, headers = [], example }: ErrorKind, limits: readonly string[]): Body {
  return {
    description,
    headers: refsTo(['X-Request-Id', ...limits, ...headers]),
    content: {
      'application/json': {
        schema: refTo('Error'),
        example: { ...example, requestId: REQUEST_ID },
      },
    },
  };
}

/** The customers' pages tell people what went wrong. */
function pageOf({ description }: ErrorKind, limits: readonly string[]): Body {
  return {
    description,
    headers: refsTo(['X-Request-Id', ...limits]),
    content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
  };
}

/** Every route but those of customers' pages. */
const isOurs = (path: string): boolean => path.startsWith('/v1/');
const isLimited = (path: string): boolean => !path.startsWith('/v1/health');

function takesIdempotencyKey(method: string, path: string, { security = [] }: Operation): boolean {
  return method === 'post' && (security.length > 0 || path === '/v1/auth/register');
}

function refsTo(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
