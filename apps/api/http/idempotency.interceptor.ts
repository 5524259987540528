import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Observable, from, lastValueFrom } from 'rxjs';
import { InvalidRequest, parseJson } from '#libs/kernel/core';
import { IdempotentRequests } from '#libs/kernel/idempotency';
import { idempotencyScope } from './command-context.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Marks a response as the response to an earlier request with the same `Idempotency-Key`. */
export function markReplayed(reply: FastifyReply): void {
  void reply.header('Idempotency-Replayed', 'true');
}

/**
 * Handles `Idempotency-Key` on every authenticated POST. A repetition of a request gets the first response again, with the header
 * `Idempotency-Replayed: true`. Errors are not stored, so a request that got an error runs again, with the same command id. A different
 * request with the same key is refused. If a request has no credential, only the format of the key is checked, because only the handler
 * knows the owner of the key.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly requests: IdempotentRequests) {}

  intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || key === undefined) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key))
      throw InvalidRequest.field('Idempotency-Key', 'must be one header of 1 to 255 printable characters');
    request.idempotencyKey = key;
    if (!request.principal) return next.handle();
    return from(this.answer(host, next, request, key));
  }

  private async answer(
    host: ExecutionContext,
    next: CallHandler,
    request: FastifyRequest,
    key: string,
  ): Promise<unknown> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const { query, body: sent } = request;
    const keyed = {
      workspaceId: request.principal!.workspaceId,
      scope: idempotencyScope(host, request.principal!).join(' '),
      key,
      // A missing body is treated as an empty one.
      content: { query, body: sent ?? {} },
    };
    // The status is read before the work starts. A request that takes too long gets an error response, and its work may still finish later.
    const { statusCode } = reply;
    let answer: unknown;
    const { status, body, replayed } = await this.requests.runOnce(keyed, async () => {
      answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
      return {
        status: request.answerStatus ?? statusCode,
        body: answer === undefined ? '' : JSON.stringify(answer),
      };
    });
    if (!replayed) return answer;
    markReplayed(reply.status(status));
    return body === '' ? undefined : parseJson(body);
  }
}
