import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Forbidden, Unauthenticated } from '#libs/core';
import { can, type Principal } from '#libs/identity';
import { ruleOf, type AccessRule } from './access-rule.js';
import { RequestAuthenticator } from './request-authenticator.js';

/** Lets a request through if its credential allows what its route asks, and notes whose it is. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly authenticator: RequestAuthenticator) {}

  /** Unauthenticated (401) without a valid credential, Forbidden (403) if the credential does not allow this. */
  async canActivate(host: ExecutionContext): Promise<boolean> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const rule = ruleOf(host.getClass(), host.getHandler());
    if (!rule)
      throw new Error(`${host.getClass().name}.${host.getHandler().name} does not say who may call it`);
    if (rule.public) return true;
    try {
      request.principal = await this.authenticator.require(request.headers);
    } catch (error) {
      if (error instanceof Unauthenticated) askForCredential(host.switchToHttp().getResponse<FastifyReply>());
      throw error;
    }
    requireAllowed(request.principal, rule);
    return true;
  }
}

function requireAllowed({ kind, role }: Principal, { permission, userSessionOnly }: AccessRule): void {
  if (userSessionOnly && kind !== 'user')
    throw new Forbidden(
      'user_session_required',
      'This needs a signed-in user; an API key is not enough. Log in with POST /v1/auth/login and send the access token',
    );
  if (permission && !can(role, permission))
    throw new Forbidden('permission_denied', `The role ${role} does not have the permission ${permission}`);
}

/** RFC 9110 section 15.5.2: a 401 says how to authenticate. */
function askForCredential(reply: FastifyReply): void {
  void reply.header('WWW-Authenticate', 'Bearer realm="countinghouse"');
}
