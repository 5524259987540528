import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Observable, from, switchMap } from 'rxjs';
import { deriveUuid } from '#libs/kernel/core';
import { newUlid, systemClock } from '#libs/kernel/system';
import type { Actor } from '#libs/kernel/domain';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { Caller } from '#libs/contexts/identity';

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Caller;
    commandContext?: CommandContext;
    /** The client's `Idempotency-Key`, after it was checked. */
    idempotencyKey?: string;
    /** The status of the response, if the handler chose another one than the default of its route. */
    answerStatus?: number;
  }
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The context of the commands of this request: the caller, the time and the command's id. */
export const Context = createParamDecorator((_: unknown, host: ExecutionContext): CommandContext => {
  const context = host.switchToHttp().getRequest<FastifyRequest>().commandContext;
  if (!context) throw new Error('@Context() is for authenticated writes and for @WithCommand()');
  return context;
});

const NO_COMMAND = Symbol('no command');

/** Marks a write that runs no command, such as sending usage. Such a write does not read the workspace's clock. */
export const WithoutCommand = (): MethodDecorator => SetMetadata(NO_COMMAND, true);

const COMMAND = Symbol('command');

/** Marks a GET that runs a command, such as the record of an export. */
export const WithCommand = (): MethodDecorator => SetMetadata(COMMAND, true);

/** Whether a request may run commands. */
export function mayRunCommands(host: ExecutionContext): boolean {
  const { method } = host.switchToHttp().getRequest<FastifyRequest>();
  const handler = host.getHandler();
  return WRITES.has(method)
    ? !Reflect.hasMetadata(NO_COMMAND, handler)
    : Reflect.hasMetadata(COMMAND, handler);
}

const SECRET = Symbol('secret');

/**
 * Marks a POST whose answer shows a new credential. Its idempotency keys belong to the caller. Otherwise a caller who may do less could
 * repeat the request of another one, and would get the credential that the other one made.
 */
export const AnswersWithSecret = (): MethodDecorator => SetMetadata(SECRET, true);

/** Makes the command context of every authenticated request that may run commands. */
@Injectable()
export class CommandContextInterceptor implements NestInterceptor {
  constructor(private readonly clock: WorkspaceClock) {}

  intercept(host: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const { principal } = request;
    if (!principal || !mayRunCommands(host)) return next.handle();
    return from(this.clock.now(principal.workspaceId)).pipe(
      switchMap((now) => {
        request.commandContext = commandContextOf(request, principal, now, idempotencyScope(host, principal));
        return next.handle();
      }),
    );
  }
}

/**
 * What an `Idempotency-Key` belongs to within a workspace: a method and a path. A customer's keys are its own, since customers
 * share the paths of the portal. So are the keys of requests for a new credential.
 */
export function idempotencyScope(host: ExecutionContext, caller: Caller): string[] {
  const { method, url } = host.switchToHttp().getRequest<FastifyRequest>();
  const route = [method, pathOf(url)];
  if (caller.kind === 'portal') return [...route, `customer ${caller.customerId}`];
  return Reflect.hasMetadata(SECRET, host.getHandler()) ? [...route, `${caller.kind} ${caller.id}`] : route;
}

/** A URL without its query. */
function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}

/** A portal session acts for its customer, so the audit trail names the customer. */
function actorOf(caller: Caller): Actor {
  return caller.kind === 'portal'
    ? { type: 'customer', id: caller.customerId }
    : { type: caller.kind, id: caller.id };
}

function commandContextOf(
  request: FastifyRequest,
  principal: Caller,
  now: string,
  scope: readonly string[],
): CommandContext {
  const { idempotencyKey } = request;
  return {
    commandId:
      idempotencyKey === undefined
        ? newUlid()
        : deriveUuid('idempotency-key', principal.workspaceId, ...scope, idempotencyKey),
    workspaceId: principal.workspaceId,
    actor: actorOf(principal),
    correlationId: request.id,
    causationId: null,
    now,
    idsAt: idempotencyKey === undefined ? systemClock.now() : undefined,
    mayRepeat: idempotencyKey !== undefined,
  };
}
