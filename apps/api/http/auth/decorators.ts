import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { PortalPrincipal, Principal } from '#libs/contexts/identity';
import type { Permission } from '#libs/manifest';
import { addAccessRule } from './access-rule.js';
import { PERMISSION_EXTENSION, PORTAL_EXTENSION, USER_SESSION_EXTENSION } from './openapi-access.js';

/** The route needs no credential, and ignores a credential in the request. */
export const Public = () => addAccessRule({ public: true });

/**
 * The caller must have this permission, by its role or by the permissions of a restricted API key. A request gets 401 without a valid
 * credential, and 403 without the permission.
 */
export const RequiresPermission = (permission: Permission) =>
  applyDecorators(addAccessRule({ permission }), ApiExtension(PERMISSION_EXTENSION, permission));

/**
 * Only signed-in users may call the route: an API key gets 403. Without `@RequiresPermission`, users of any role may call the route. With
 * `@RequiresPermission`, both rules apply.
 */
export const UserSessionOnly = () =>
  applyDecorators(addAccessRule({ userSessionOnly: true }), ApiExtension(USER_SESSION_EXTENSION, true));

/** Only customers may call the route, with a portal token. A request with another credential gets 403. */
export const PortalOnly = () =>
  applyDecorators(addAccessRule({ portalOnly: true }), ApiExtension(PORTAL_EXTENSION, true));

/** The caller of a route that is neither `@Public()` nor `@PortalOnly()`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, host: ExecutionContext): Principal => {
  const { principal } = host.switchToHttp().getRequest<FastifyRequest>();
  if (!principal || principal.kind === 'portal')
    throw new Error('@CurrentPrincipal() is for routes that are neither @Public() nor @PortalOnly()');
  return principal;
});

/** The customer that calls a `@PortalOnly()` route, and the permissions of its portal session. */
export const CurrentCustomer = createParamDecorator((_: unknown, host: ExecutionContext): PortalPrincipal => {
  const { principal } = host.switchToHttp().getRequest<FastifyRequest>();
  if (principal?.kind !== 'portal')
    throw new Error('@CurrentCustomer() is for routes that are @PortalOnly()');
  return principal;
});
