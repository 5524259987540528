import type { FastifyInstance, FastifyReply } from 'fastify';
import { Forbidden, Unauthenticated } from '#libs/kernel/core';
import type { Caller } from '#libs/contexts/identity';
import { isAllowed } from '#libs/manifest';
import type { AccessRule } from './access-rule.js';
import type { RequestAuthenticator } from './request-authenticator.js';
import type { RouteAccess } from './route-access.js';
import { withTimeLimit } from '../time-limit.js';

/**
 * Checks the credential of a request against the rule of its route, and stores the caller (the principal) on the request. Throws
 * Unauthenticated (401) if there is no valid credential, and Forbidden (403) if the credential does not allow the request. The check runs
 * before the body is read, so the API reads no bodies from unauthenticated clients.
 */
export function checkCredentialsFirst(
  fastify: FastifyInstance,
  access: RouteAccess,
  authenticator: RequestAuthenticator,
): void {
  // This hook runs after the rate limits, which are checked in the `onRequest` hook of each route.
  fastify.addHook('preParsing', async (request, reply) => {
    const rule = access.accessRuleFor(request);
    if (!rule || rule.public) return;
    try {
      const principal = authenticator.requireCaller(request.headers);
      request.principal = principal instanceof Promise ? await withTimeLimit(principal) : principal;
    } catch (error) {
      if (error instanceof Unauthenticated) askForCredential(reply);
      throw error;
    }
    requireAllowed(request.principal, rule);
  });
}

function requireAllowed(
  caller: Caller,
  { permission, userSessionOnly, portalOnly: portal = false }: AccessRule,
): void {
  if (portal !== (caller.kind === 'portal'))
    throw portal
      ? new Forbidden(
          'portal_token_required',
          'This is for customers; send the token of a portal session. POST /v1/portal/sessions makes one',
        )
      : new Forbidden('portal_token_not_allowed', 'A portal token allows only the endpoints of the portal');
  if (caller.kind === 'portal') return;
  const { kind, role, permissions } = caller;
  if (userSessionOnly && kind !== 'user')
    throw new Forbidden(
      'user_session_required',
      'This needs a signed-in user; an API key is not enough. Log in with POST /v1/auth/login and send the access token',
    );
  if (permission && !isAllowed(caller, permission)) {
    const who = permissions ? 'This API key is restricted, and' : `The role ${role}`;
    throw new Forbidden('permission_denied', `${who} does not have the permission ${permission}`);
  }
}

/** A 401 says how to authenticate (RFC 9110 section 15.5.2). */
function askForCredential(reply: FastifyReply): void {
  void reply.header('WWW-Authenticate', 'Bearer realm="countinghouse"');
}
