export { AuthGuard } from './auth.guard.js';
export {
  API_KEY_SCHEME,
  BEARER_SCHEME,
  CurrentPrincipal,
  Public,
  Requires,
  UserSessionOnly,
} from './decorators.js';
export { HttpAuthModule } from './http-auth.module.js';
export { RequestAuthenticator } from './request-authenticator.js';
