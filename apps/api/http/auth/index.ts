export { AuthGuard } from './auth.guard.js';
export { checkCredentialsFirst } from './credentials-first.js';
export {
  CurrentCustomer,
  CurrentPrincipal,
  PortalOnly,
  Public,
  RequiresPermission,
  UserSessionOnly,
} from './decorators.js';
export { HttpAuthModule } from './http-auth.module.js';
export { addSecuritySchemes, describeSecurity } from './openapi-access.js';
export { RequestAuthenticator } from './request-authenticator.js';
export { RouteAccess } from './route-access.js';
