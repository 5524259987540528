import type { Permission } from '#libs/manifest';

/** The metadata key under which a controller or a method keeps its access rule. */
const ACCESS = Symbol('access');

/** The credentials and permissions that a route requires of its caller. */
export interface AccessRule {
  public?: boolean;
  permission?: Permission;
  userSessionOnly?: boolean;
  /** True for a route that customers call with the token of a portal session. No other credential can call a portal route. */
  portalOnly?: boolean;
}

/**
 * Adds the given parts to the access rule that the class or method already has. Access decorators can therefore be combined in any order.
 */
export function addAccessRule(rule: AccessRule): ClassDecorator & MethodDecorator {
  return (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const holder = descriptor ? (descriptor.value as object) : target;
    Reflect.defineMetadata(ACCESS, { ...ownRule(holder), ...rule }, holder);
  };
}

/**
 * Returns the access rule of a route, which combines the rules of its controller and its method. If the controller or the method is public,
 * only the rule of the method applies. Returns `undefined` if neither the controller nor the method has a rule, which is a programming
 * error.
 */
export function accessRuleOf(controller: object, method: object): AccessRule | undefined {
  const [general, own] = [ownRule(controller), ownRule(method)];
  if (!general || !own) return own ?? general;
  return own.public || general.public ? own : { ...general, ...own };
}

function ownRule(holder: object): AccessRule | undefined {
  return Reflect.getOwnMetadata(ACCESS, holder) as AccessRule | undefined;
}
