import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, TooManyRequests } from '#libs/kernel/core';
import { createLogger, errorWithoutStack } from '#libs/kernel/system';
import { setPageHeaders } from '../hosted-invoice/page-headers.js';
import { RETRY_AFTER_SECONDS, toPublicError } from '../http/index.js';
import { messagePage, type MessagePageView } from './pages.js';

/** Shows a readable error page in the browser, without details of internal errors. */
@Catch()
export class AuthPageFilter implements ExceptionFilter {
  private readonly logger = createLogger('auth-pages', 'error');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const told = toPublicError(error);
    const status = told?.status ?? 500;
    if (status >= 500) this.logger.error(told ? errorWithoutStack(error) : { err: error }, 'a page failed');
    const page = messagePage(viewOf(status, told, http.getRequest<FastifyRequest>()));
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
): MessagePageView {
  if (status === 401 || status === 404) return url.startsWith('/auth/invitation/') ? INVITATION_ENDED : ENDED;
  if (told?.code === 'sso_required') return SINGLE_SIGN_ON;
  if (status >= 500 || !told) return FAILED;
  const text = told.details?.length
    ? told.details.map(({ field, message }) => sentenceOf(`${field} ${message}`)).join(' ')
    : sentenceOf(told.message);
  // A 400 is about a value of the form, so the user can send the form again with another value. After a 429 the same values can be sent.
  return {
    title: 'That did not work',
    text,
    hasRetry: method === 'POST' && (status === 400 || status === 429),
  };
}

/** Returns an error message of the API as a sentence: with a capital letter and a full stop. */
function sentenceOf(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}

const ENDED = {
  title: 'This link does not work any more',
  text: 'It was used, has expired, or was not copied as a whole. Ask for another one.',
  hasRetry: false,
};

const INVITATION_ENDED = {
  title: ENDED.title,
  text:
    'If you have accepted the invitation, sign in with your password where you work with this workspace. Otherwise the link has expired, was ' +
    'taken back, or was not copied as a whole. Ask for another one.',
  hasRetry: false,
};

const SINGLE_SIGN_ON = {
  title: 'Use single sign-on',
  text: 'Your company requires it for your address. Open the application where you work with this workspace, and sign in there.',
  hasRetry: false,
};

const FAILED = {
  title: 'Something went wrong on our side',
  text: 'Please try again in a moment.',
  hasRetry: false,
};
