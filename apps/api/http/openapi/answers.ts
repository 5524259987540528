import {
  operationsIn,
  refTo,
  type Body,
  type DescribedPart,
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
        description: 'A text for people that says what is wrong and what to do.',
        examples: ['name must be text of 1 to 200 characters'],
      },
      code: {
        type: 'string',
        description:
          'The error code for programs. The code stays the same when the text of the error changes.',
        examples: ['validation_failed'],
      },
      details: {
        type: 'array',
        description:
          'One entry for each wrong field of the request. Absent if the error is not about fields of the request. A long list is cut, ' +
          'and `error` then says how many entries are missing.',
        items: refTo('FieldError'),
      },
      requestId: {
        type: 'string',
        description:
          'The id of the request, as in the header `X-Request-Id`. Give this id when you ask for help.',
        examples: [REQUEST_ID],
      },
    },
  },
  FieldError: {
    type: 'object',
    description: 'One problem with one field of the request.',
    required: ['field', 'message'],
    properties: {
      field: {
        type: 'string',
        description: 'The path of the field in the request, such as `prices[1].priceId`.',
        examples: ['name'],
      },
      message: {
        type: 'string',
        description: 'The requirement that the field does not meet.',
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

/** Every error response that an operation can have. All errors have the same form of body. */
const ERRORS: Readonly<Record<string, ErrorKind>> = {
  400: {
    name: 'BadRequest',
    description:
      'A value of the request is wrong, or the request is malformed. `details` names each wrong field, if there is one. Paying an ' +
      'invoice that is paid or void is answered with 400 too.',
    example: {
      error: 'name must be text of 1 to 200 characters',
      code: 'validation_failed',
      details: [{ field: 'name', message: 'must be text of 1 to 200 characters' }],
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'The credential is missing or not valid.',
    headers: ['WWW-Authenticate'],
    example: { error: 'The credential is not valid', code: 'invalid_credential' },
  },
  403: {
    name: 'Forbidden',
    description: 'The credential is valid but does not allow this request.',
    example: {
      error: 'The role viewer does not have the permission customers:write',
      code: 'permission_denied',
    },
  },
  404: {
    name: 'NotFound',
    description: 'The path, a parameter or the body names a resource that is not in this workspace.',
    example: {
      error: 'No customer "northwind" in this workspace',
      code: 'customer_not_found',
      details: [{ field: 'id', message: 'must name a customer in this workspace' }],
    },
  },
  409: {
    name: 'Conflict',
    description:
      'The state of a resource does not allow the action, though nothing is wrong with the request. For example, the resource is in use, ' +
      'ended or being changed by another request. Or the `Idempotency-Key` was used for another request.',
    example: {
      error: 'The Idempotency-Key was used for another request',
      code: 'idempotency_key_reused',
    },
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than this endpoint accepts.',
    example: {
      error: 'The body is larger than 1048576 bytes, the most that this endpoint takes',
      code: 'body_too_large',
    },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not JSON, or is compressed (it has a content encoding).',
    example: {
      error: 'Bodies are JSON: send Content-Type: application/json',
      code: 'unsupported_media_type',
    },
  },
  429: {
    name: 'TooManyRequests',
    description:
      'You sent too many requests. Wait as long as `Retry-After` says, and longer after each further refusal.',
    headers: ['Retry-After'],
    example: { error: 'Too many requests; try again in 1 second', code: 'rate_limited' },
  },
  500: {
    name: 'InternalError',
    description: 'An unexpected error occurred on the server. You can send the failed request again.',
    example: {
      error: 'Something went wrong on our side; the request can be tried again',
      code: 'internal_error',
    },
  },
  503: {
    name: 'Unavailable',
    description:
      'A service that the request needs does not answer at the moment. The request may have been carried out already. Try again after ' +
      '`Retry-After`, with the same idempotency key if you sent one.',
    headers: ['Retry-After'],
    example: {
      error: 'The database does not answer at the moment; try again',
      code: 'database_unavailable',
    },
  },
};

/**
 * The headers that tell a client how many requests its rate limit still allows. Every rate-limited operation sends the rate limit headers.
 */
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const HEADERS: Readonly<Record<string, DescribedPart>> = {
  'X-Request-Id': {
    description: 'The id of this request, as in `requestId` of an error.',
    schema: { type: 'string', examples: [REQUEST_ID] },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you try again.',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', examples: ['Bearer realm="countinghouse"'] },
  },
  'X-RateLimit-Limit': {
    description: 'The number of requests that the current time window allows.',
    schema: { type: 'integer', examples: [100] },
  },
  'X-RateLimit-Remaining': {
    description: 'The number of requests that are left in the current time window.',
    schema: { type: 'integer', minimum: 0, examples: [99] },
  },
  'X-RateLimit-Reset': {
    description: 'The number of seconds until the next time window begins.',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true', examples: ['true'] },
  },
  'Usage-Events-Repeated': {
    description:
      'The number of accepted events that had been stored before this request. The header is absent if the number is zero, and in the ' +
      'response to a repeated `Idempotency-Key`.',
    schema: { type: 'integer', minimum: 1, examples: [2] },
  },
  'Usage-Events-Unmatched': {
    description:
      'The number of accepted events that no metric counts, or in which a metric finds no usable value. The header is absent if the ' +
      'number is zero, and in the response to a repeated `Idempotency-Key`.',
    schema: { type: 'integer', minimum: 1, examples: [17] },
  },
  'Usage-Events-Unpriced': {
    description:
      'The number of accepted events that metrics count, and that no price and no credits charge to their customer. The header is absent ' +
      'if the number is zero, and in the response to a repeated `Idempotency-Key`.',
    schema: { type: 'integer', minimum: 1, examples: [3] },
  },
  'Usage-Events-Key-Reused': {
    description:
      'The number of accepted events that are not stored, because their `idempotencyKey` was first used with another customer, name or ' +
      'properties. The header is absent if the number is zero, and in the response to a repeated `Idempotency-Key`.',
    schema: { type: 'integer', minimum: 1, examples: [1] },
  },
  Next: {
    description:
      'The value of `after` for the next page. Present if the CSV file does not contain the last entry of the list.',
    schema: { type: 'string', examples: ['WyJhdWRpdCIsIjQ3MTEiXQ'] },
  },
  'Read-Models': {
    description:
      '`behind` if lists and balances do not show the change yet. The change itself is already made.',
    schema: { type: 'string', const: 'behind', examples: ['behind'] },
  },
};

const IDEMPOTENCY_KEY = 'IdempotencyKey';
const PARAMETERS: Readonly<Record<string, DescribedPart>> = {
  [IDEMPOTENCY_KEY]: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Any text that you choose, of printable ASCII characters without spaces. A repetition of the request with the same key gets the ' +
      'first response again and has no other effect. Errors are not stored: after an error, a repetition is carried out, but nothing ' +
      'that was already done is done twice.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['0b4c8f0e-3f1e-4a8e-9d0a-2b6f5f0e7c11'],
    },
  },
};

/** The descriptions of responses that have no description of their own. */
const DONE: Readonly<Record<string, string>> = {
  200: 'The requested data.',
  201: 'The created resource.',
  202: 'The request was accepted and is in progress.',
  204: 'The request was done. The response has no body.',
  303: 'The request was done. `Location` is the address of the result.',
};

/** Adds the headers with these names to the description of a response. {@link HEADERS} describes each of them. */
export function responseHeaderRefs(...names: string[]): { headers: Record<string, { $ref: string }> } {
  return { headers: refsTo(names) };
}

/** Describes the errors of every operation, and the headers of its requests and responses. */
export function describeErrorsAndHeaders(document: Document): void {
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
        // A response with its own body is not one of our errors.
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

/** Returns the error statuses that an operation can answer with. */
function errorsOf(method: string, path: string, operation: Operation): string[] {
  const { parameters = [], requestBody, security = [], responses } = operation;
  const isWrite = method !== 'get';
  const hasCredential = security.length > 0;
  const names = parameters.map(({ name = '' }) => name);
  // A GET can at least have an unknown query parameter.
  const mayBeWrong = isWrite || isLimited(path);
  const mayBeMissing =
    path.includes('{') || (requestBody && hasCredential) || names.some((name) => /(?:_id|Id)$/.test(name));
  return [
    ...(mayBeWrong ? ['400'] : []),
    ...(hasCredential ? ['401', '403'] : []),
    ...(mayBeMissing ? ['404'] : []),
    ...(hasCredential ? ['409'] : []),
    ...(isWrite ? ['413', '415'] : []),
    ...(isLimited(path) ? ['429'] : []),
    '500',
    '503',
    ...Object.keys(responses).filter((status) => status >= '400'),
  ].filter((status, i, all) => all.indexOf(status) === i && isOurError(status, operation));
}

/** Returns whether an error response has the common error body. A response that declares its own content has no common error body. */
function isOurError(status: string, { responses }: Operation): boolean {
  return responses[status]?.content === undefined;
}

function answerOf(status: string, path: string, { security = [], responses }: Operation): Body {
  const own = responses[status];
  const known = ERRORS[status];
  if (!known) throw new Error(`The meaning of status ${status} is not known; add it to this file`);
  const isPage = !isOurs(path) && ['404', '500', '503'].includes(status);
  // A sign-in request has no credential yet, so its 401 does not ask for one.
  const isSignIn = status === '401' && security.length === 0;
  const kind = isSignIn ? { ...known, headers: [] } : known;
  const limits = isLimited(path) ? RATE_HEADERS : [];
  if (isPage) return pageOf(kind, limits);
  if (!own?.description && limits.length > 0 && !isSignIn)
    return { $ref: `#/components/responses/${kind.name}` };
  const answer = errorAnswer(kind, limits);
  // The rate limit answers with JSON, and a limit of the page itself with a page.
  const isPageLimit = !isOurs(path) && status === '429' && own !== undefined;
  const page = isPageLimit ? pageOf(kind, []).content : {};
  return {
    ...answer,
    content: { ...answer.content, ...page },
    description: own?.description || kind.description,
  };
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

/** Describes an error of a page for customers, which shows errors as HTML. */
function pageOf({ description }: ErrorKind, limits: readonly string[]): Body {
  return {
    description,
    headers: refsTo(['X-Request-Id', ...limits]),
    content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
  };
}

/** Whether a route belongs to the API, whose paths begin with `/v1/`. The pages for customers do not belong to the API. */
const isOurs = (path: string): boolean => path.startsWith('/v1/');
const isLimited = (path: string): boolean => !path.startsWith('/v1/health');

function takesIdempotencyKey(method: string, path: string, { security = [] }: Operation): boolean {
  return method === 'post' && (security.length > 0 || path === '/v1/auth/register');
}

function refsTo(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
