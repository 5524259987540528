import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, NotFound, TooManyRequests, type FieldError } from '#libs/kernel/core';
import { errorWithoutStack, type Logger } from '#libs/kernel/system';
import { setResponseHeaders } from './response-headers.js';
import { NOT_JSON_MESSAGE } from './body-parser.js';
import { findFieldWithId } from './missing-field.js';
import { inGivenNames } from './parameter-names.js';
import { toPublicError } from './public-error.js';
import { loggedPath } from './request-log.js';

/** The body of every error response. */
export interface ErrorBody {
  /** The error message, for people. */
  error: string;
  /** The error code, for programs. */
  code: string;
  /** The wrong fields of the request. Absent if the error is not about fields. */
  details?: FieldError[];
  requestId: string;
}

/** The seconds in `Retry-After` of a 503 (RFC 9110 section 10.2.3). Most problems that cause a 503 end within this time. */
export const RETRY_AFTER_SECONDS = 1;

/**
 * Converts every error to a response of the API. An error that is not meant for clients is logged and answered with 500. If the database or
 * the event store was unavailable, the answer is 503 with `Retry-After`, since the same request can succeed later. {@link toPublicError}
 * finds such errors.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { status, ...body } = shortened(inGivenNames(request, this.describe(error, request)));
    if (reply.sent) return;
    if (status === 503) void reply.header('Retry-After', RETRY_AFTER_SECONDS);
    if (error instanceof TooManyRequests) void reply.header('Retry-After', error.retryAfterSeconds);
    void reply
      .status(status)
      .type('application/json')
      .send({ ...body, requestId: request.id });
  }

  private describe(
    error: unknown,
    request: FastifyRequest,
  ): Omit<ErrorBody, 'requestId'> & { status: number } {
    if (error instanceof AppError) {
      const { status, message, code } = error;
      const details = error.details ?? missingField(error, request);
      return { status, error: message, code, ...(details ? { details } : {}) };
    }
    if (error instanceof HttpException)
      return { status: error.getStatus(), ...fromHttpException(error, request) };
    const unavailable = toPublicError(error);
    if (unavailable) {
      this.logger.warn(
        { ...errorWithoutStack(error), requestId: request.id, path: loggedPath(request.url) },
        'request put off',
      );
      return { status: unavailable.status, error: unavailable.message, code: unavailable.code };
    }
    const status = (error as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number' && status >= 400 && status < 500)
      return { status, error: (error as Error).message, code: codeOf(status) };
    this.logger.error(
      { err: error, requestId: request.id, method: request.method, path: loggedPath(request.url) },
      'request failed',
    );
    return {
      status: 500,
      error: 'Something went wrong on our side; the request can be tried again',
      code: 'internal_error',
    };
  }
}

/**
 * The maximum number of characters of the parts of an error response. Longer parts are cut, because people read error messages. The limits
 * also prevent that a small request causes a large response.
 */
const MAX_CHARACTERS = { error: 1_000, details: 2_000, field: 120, message: 300 };

function shortened<Described extends Omit<ErrorBody, 'requestId'>>({
  details = [],
  ...described
}: Described): Described {
  const shown: FieldError[] = [];
  let room = MAX_CHARACTERS.details;
  for (const { field, message } of details) {
    const one = { field: cut(field, MAX_CHARACTERS.field), message: cut(message, MAX_CHARACTERS.message) };
    room -= Buffer.byteLength(JSON.stringify(one));
    if (room < 0) break;
    shown.push(one);
  }
  const more = details.length - shown.length;
  const error = cut(described.error, MAX_CHARACTERS.error) + (more > 0 ? `; ${more} more are wrong` : '');
  return { ...described, error, ...(shown.length > 0 ? { details: shown } : {}) } as Described;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

/** Returns the field of the request that names the missing resource. */
function missingField(error: AppError, { params, query, body }: FastifyRequest): FieldError[] | undefined {
  const missing = error instanceof NotFound ? error.missing : undefined;
  const field = missing && findFieldWithId(missing, [params, query, body]);
  if (field === undefined) return undefined;
  const { resource } = missing!;
  const article = /^[aeio]/i.test(resource) ? 'an' : 'a';
  return [{ field, message: `must name ${article} ${resource} in this workspace` }];
}

/**
 * Answers a request whose URL is malformed, or contains an id that is longer than any valid id. No route matches the URL, so the exception
 * filters of Nest never see the error.
 */
export function answerUnroutableUrl(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const tooLong = (error as { code?: unknown }).code === 'FST_ERR_MAX_PARAM_LENGTH';
  const [status, answer] = tooLong
    ? [404, { error: 'There is nothing under this path', code: 'not_found' }]
    : [400, { error: 'The URL is malformed', code: codeOf(400) }];
  const body: ErrorBody = { ...answer, requestId: request.id };
  setResponseHeaders(request, reply);
  void reply.status(status).send(body);
}

function fromHttpException(error: HttpException, request: FastifyRequest): { error: string; code: string } {
  const status = error.getStatus();
  if (status === 404)
    return { error: `No endpoint ${request.method} ${request.url.split('?')[0]}`, code: 'not_found' };
  if (status === 413)
    return {
      error: `The body is larger than ${request.routeOptions.bodyLimit} bytes, the most that this endpoint takes`,
      code: codeOf(status),
    };
  return { error: status === 415 ? NOT_JSON_MESSAGE : error.message, code: codeOf(status) };
}

/** Error codes for requests that Fastify refuses before the code of the API runs. */
const CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

function codeOf(status: number): string {
  return CODES[status] ?? `http_${status}`;
}
