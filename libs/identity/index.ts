export { IdentityModule } from './identity.module.js';
export type { Principal } from './principal.js';
export {
  can,
  isWithin,
  PERMISSIONS,
  RESOURCES,
  ROLES,
  type Permission,
  type Resource,
  type Role,
} from './roles.js';
