import type { Permission } from '#libs/manifest';

/** Under which key a controller or a method says what it asks of the caller. */
const ACCESS = Symbol('access');

/** What a route asks of the caller. */
export interface AccessRule {
  public?: boolean;
  permission?: Permission;
  userSessionOnly?: boolean;
}

/** Adds to what was said of the class or method, so that the decorators can be combined in any order. */
export function addRule(rule: AccessRule): ClassDecorator & MethodDecorator {
  return (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const holder = descriptor ? (descriptor.value as object) : target;
    Reflect.defineMetadata(ACCESS, { ...ownRule(holder), ...rule }, holder);
  };
}

/**
 * What a route asks: the controller's rule and the method's together, save that one of them being public is
 * overruled by what the method says. `undefined` if neither says anything, which is a mistake.
 */
export function ruleOf(controller: object, method: object): AccessRule | undefined {
  const [general, own] = [ownRule(controller), ownRule(method)];
  if (!general || !own) return own ?? general;
  return own.public || general.public ? own : { ...general, ...own };
}

function ownRule(holder: object): AccessRule | undefined {
  return Reflect.getOwnMetadata(ACCESS, holder) as AccessRule | undefined;
}
