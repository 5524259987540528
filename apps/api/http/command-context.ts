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
    /** The client's `Idempotency-Key`, after its validation. */
    idempotencyKey?: string;
    /** The HTTP status of the response, if the handler chose a status other than the default of its route. */
    answerStatus?: number;
  }
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The context of the command that this request runs: who requests the command and when, and the id of the command. */
export const Context = createParamDecorator((_: unknown, host: ExecutionContext): CommandContext => {
  const context = host.switchToHttp().getRequest<FastifyRequest>().commandContext;
  if (!context) throw new Error('@Context() is for authenticated writes and for @WithCommand()');
  return context;
});

/**
 * An id that is the same for each repetition of a request with an `Idempotency-Key`. Undefined for a request without this header. The id is
 * for endpoints without a command. A command has its id in its context.
 */
export const RepeatableRequestId = createParamDecorator(
  (_: unknown, host: ExecutionContext): string | undefined => {
    const { principal, idempotencyKey } = host.switchToHttp().getRequest<FastifyRequest>();
    return principal && idempotencyKey !== undefined
      ? repeatableId(principal, idempotencyScope(host, principal), idempotencyKey)
      : undefined;
  },
);

const NO_COMMAND = Symbol('no command');

/**
 * Marks a write endpoint that runs no command, such as the endpoint for usage events. A request to an endpoint without a command does not
 * read the workspace's clock.
 */
export const WithoutCommand = (): MethodDecorator => SetMetadata(NO_COMMAND, true);

const COMMAND = Symbol('command');

/** Marks a GET endpoint that runs a command, such as a data export, which is recorded. */
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
 * Marks a POST endpoint whose response contains a new credential. The idempotency keys of the endpoint belong to the caller. If callers
 * shared these keys, a caller with fewer permissions could repeat another caller's request and get that caller's new credential.
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
 * Returns the scope of an `Idempotency-Key` within a workspace: a method and a path. For a customer the scope includes the customer,
 * because all customers use the same portal paths. For a request that creates a credential the scope includes the caller.
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

/** Returns the actor for the audit trail. A portal session acts for its customer, so its actor is the customer. */
function actorOf(caller: Caller): Actor {
  return caller.kind === 'portal'
    ? { type: 'customer', id: caller.customerId }
    : { type: caller.kind, id: caller.id };
}

/** Returns the id of all requests of a workspace with the same idempotency key in the same scope. */
function repeatableId({ workspaceId }: Caller, scope: readonly string[], idempotencyKey: string): string {
  return deriveUuid('idempotency-key', workspaceId, ...scope, idempotencyKey);
}

function commandContextOf(
  request: FastifyRequest,
  principal: Caller,
  now: string,
  scope: readonly string[],
): CommandContext {
  const { idempotencyKey } = request;
  return {
    commandId: idempotencyKey === undefined ? newUlid() : repeatableId(principal, scope, idempotencyKey),
    workspaceId: principal.workspaceId,
    actor: actorOf(principal),
    correlationId: request.id,
    causationId: null,
    now,
    idTime: idempotencyKey === undefined ? systemClock.now() : undefined,
    mayRepeat: idempotencyKey !== undefined,
  };
}
