import type { Permission } from '#libs/manifest';

/** The metadata key under which a controller or a method keeps its access rule. */
const ACCESS = Symbol('access');

/** The credentials and permissions that a route requires of its caller. */
export interface AccessRule {
  public?: boolean;
  permission?: Permission;
  userSessionOnly?: boolean;
  /** The route is a customer's, with the token of a portal session. No other credential may call it. */
  portal?: boolean;
}

/** Adds to the rule that the class or method already has. So the decorators can be combined in any order. */
export function addAccessRule(rule: AccessRule): ClassDecorator & MethodDecorator {
  return (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const holder = descriptor ? (descriptor.value as object) : target;
    Reflect.defineMetadata(ACCESS, { ...ownRule(holder), ...rule }, holder);
  };
}

/**
 * The rule of a route: the rules of its controller and its method together. If either of the two is public, only the method's rule applies.
 * Returns `undefined` if neither has a rule, which is a mistake.
 */
export function accessRuleOf(controller: object, method: object): AccessRule | undefined {
  const [general, own] = [ownRule(controller), ownRule(method)];
  if (!general || !own) return own ?? general;
  return own.public || general.public ? own : { ...general, ...own };
}

function ownRule(holder: object): AccessRule | undefined {
  return Reflect.getOwnMetadata(ACCESS, holder) as AccessRule | undefined;
}
