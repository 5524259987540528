import type { FastifyInstance, FastifyReply } from 'fastify';
import { Forbidden, Unauthenticated } from '#libs/kernel/core';
import { type Principal } from '#libs/contexts/identity';
import { can } from '#libs/manifest';
import type { AccessRule } from './access-rule.js';
import type { RequestAuthenticator } from './request-authenticator.js';
import type { RouteAccess } from './route-access.js';
import { inTime } from '../time-limit.js';

/**
 * Lets a request through if its credential allows what its route asks, and notes whose it is: Unauthenticated (401) without a valid
 * credential, Forbidden (403) if the credential does not allow this. That is before its body is read, so a stranger makes us read none.
 */
export function checkCredentialsFirst(
  fastify: FastifyInstance,
  access: RouteAccess,
  authenticator: RequestAuthenticator,
): void {
  // After the rate limits, which are on each route's `onRequest`.
  fastify.addHook('preParsing', async (request, reply) => {
    const rule = access.ruleFor(request);
    if (!rule || rule.public) return;
    try {
      const principal = authenticator.require(request.headers);
      request.principal = principal instanceof Promise ? await inTime(principal) : principal;
    } catch (error) {
      if (error instanceof Unauthenticated) askForCredential(reply);
      throw error;
    }
    requireAllowed(request.principal, rule);
  });
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
