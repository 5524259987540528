export {
  API_KEY_SCHEME,
  BEARER_SCHEME,
  CurrentPrincipal,
  Public,
  Requires,
  UserSessionOnly,
} from './decorators.js';
