import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Permission, Principal } from '#libs/identity';

/** Names of the ways to authenticate in the OpenAPI document. */
export const BEARER_SCHEME = 'bearer';
export const API_KEY_SCHEME = 'api-key';

/** Under which key a route says what it asks of the caller. */
export const ACCESS = Symbol('access');

/** What a route asks of the caller. A route that says nothing stops the process at start. */
export interface AccessRule {
  public?: boolean;
  permission?: Permission;
  userSessionOnly?: boolean;
}

/** No credential is looked at. */
export const Public = () => addRule({ public: true });

/** The caller's role must have this permission: 401 without a valid credential, 403 without the permission. */
export const Requires = (permission: Permission) =>
  applyDecorators(
    addRule({ permission }),
    ApiSecurity(BEARER_SCHEME),
    ApiSecurity(API_KEY_SCHEME),
    ApiExtension('x-permission', permission),
  );

/** Signed-in users only: an API key gets 403. Alone, any role will do; with `@Requires`, both must hold. */
export const UserSessionOnly = () =>
  applyDecorators(
    addRule({ userSessionOnly: true }),
    ApiSecurity(BEARER_SCHEME),
    ApiExtension('x-user-session-only', true),
  );

/** Who is calling. For routes that are not `@Public()`. */
export const CurrentPrincipal = createParamDecorator((_: unknown, host: ExecutionContext): Principal => {
  const { principal } = host.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Error('@CurrentPrincipal() is for routes that are not @Public()');
  return principal;
});

/** Adds to what was said of the class or method, so that the decorators can be combined in any order. */
function addRule(rule: AccessRule): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const holder: object = descriptor ? (descriptor.value as object) : target;
    const known = Reflect.getOwnMetadata(ACCESS, holder) as AccessRule | undefined;
    Reflect.defineMetadata(ACCESS, { ...known, ...rule }, holder);
  };
}
