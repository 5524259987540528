import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Observable, from, lastValueFrom } from 'rxjs';
import { InvalidRequest, parseJson } from '#libs/core';
import { IdempotentRequests } from '#libs/idempotency';
import { pathOf } from './command-context.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** `Idempotency-Key` on any authenticated POST: the first answer is given again, marked `Idempotency-Replayed: true`. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly requests: IdempotentRequests) {}

  intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    if (request.method !== 'POST' || !request.principal || key === undefined) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key))
      throw InvalidRequest.field('Idempotency-Key', 'must be one header of 1 to 255 printable characters');
    request.idempotencyKey = key;
    return from(this.answer(host, next, request, key));
  }

  private async answer(
    host: ExecutionContext,
    next: CallHandler,
    request: FastifyRequest,
    key: string,
  ): Promise<unknown> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const scope = `POST ${pathOf(request.url)}`;
    // Read before the work: it may go on, and be done, after the request was answered that it takes too long.
    const { statusCode } = reply;
    let answer: unknown;
    const { status, body, replayed } = await this.requests.once(
      request.principal!.accountId,
      scope,
      key,
      async () => {
        answer = await lastValueFrom(next.handle(), { defaultValue: undefined });
        return { status: statusCode, body: answer === undefined ? '' : JSON.stringify(answer) };
      },
    );
    if (!replayed) return answer;
    void reply.status(status).header('Idempotency-Replayed', 'true');
    return body === '' ? undefined : parseJson(body);
  }
}
