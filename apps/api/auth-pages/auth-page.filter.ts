import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, TooManyRequests, type Language } from '#libs/kernel/core';
import { createLogger } from '#libs/kernel/system';
import { setPageHeaders } from '../hosted-invoice/page-headers.js';
import { logPageFailure, RETRY_AFTER_SECONDS, toPublicError } from '../http/index.js';
import { MIN_PASSWORD_LENGTH } from '#libs/contexts/identity';
import { AuthPageFrames } from './auth-page-frames.js';
import { authPageWordingOf } from './languages/index.js';
import { messagePage, type MessagePageView } from './pages.js';

/** Shows a readable error page in the browser, without details of internal errors. */
@Catch()
export class AuthPageFilter implements ExceptionFilter {
  constructor(private readonly frames: AuthPageFrames) {}

  private readonly logger = createLogger('auth-pages', 'warn');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const told = toPublicError(error);
    const status = told?.status ?? 500;
    logPageFailure(this.logger, error);
    const request = http.getRequest<FastifyRequest>();
    const frame = this.frames.of(request);
    const page = messagePage(frame, viewOf(status, told, request, frame.language));
    setPageHeaders(reply, page);
    if (status === 503) void reply.header('Retry-After', RETRY_AFTER_SECONDS);
    if (error instanceof TooManyRequests) void reply.header('Retry-After', error.retryAfterSeconds);
    void reply.status(status).send(page.html);
  }
}

function viewOf(
  status: number,
  told: AppError | undefined,
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
  language: Language,
): MessagePageView {
  const { errors } = authPageWordingOf(language);
  const isSignIn = url.startsWith('/auth/sign-in');
  // A 400 is about a value of the form, so the user can send the form again with another value. After a 429 the same values can be sent.
  const hasRetry = method === 'POST' && (status === 400 || status === 429);
  if (told?.code === 'invalid_credentials')
    return { title: errors.refused, text: errors.wrongCredentials, hasRetry: true, leadsToSignIn: false };
  if ((status === 401 || status === 404) && !isSignIn) {
    const ended = url.startsWith('/auth/invitation/') ? errors.invitationEnded : errors.linkEnded;
    return { ...ended, hasRetry: false, leadsToSignIn: true };
  }
  if (told?.code === 'sso_required') return { ...errors.ssoRequired, hasRetry: false, leadsToSignIn: false };
  if (status >= 500 || !told) return { ...errors.failed, hasRetry: false, leadsToSignIn: false };
  return { title: errors.refused, text: refusalText(status, told, language), hasRetry, leadsToSignIn: false };
}

/** Says why something was refused. The messages of the API are in English, so other languages have texts of their own. */
function refusalText(status: number, told: AppError, language: Language): string {
  const { errors } = authPageWordingOf(language);
  if (status === 429) return errors.tooMany;
  if (errors.fields !== null) return errors.fields(MIN_PASSWORD_LENGTH);
  return told.details?.length
    ? told.details.map(({ field, message }) => sentenceOf(`${field} ${message}`)).join(' ')
    : sentenceOf(told.message);
}

/** Returns an error message of the API as a sentence: with a capital letter and a full stop. */
function sentenceOf(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}
