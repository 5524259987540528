import { describe, expect, it } from '@jest/globals';
import { accessRuleOf } from './access-rule.js';
import { Public, RequiresPermission, UserSessionOnly } from './decorators.js';

class Silent {
  nothing(): void {}

  @RequiresPermission('customers:read')
  @UserSessionOnly()
  both(): void {}

  @UserSessionOnly()
  @RequiresPermission('customers:read')
  bothTheOtherWay(): void {}
}

@UserSessionOnly()
class SessionsOnly {
  nothing(): void {}

  @RequiresPermission('webhooks:read')
  more(): void {}

  @Public()
  open(): void {}
}

@Public()
class Open {
  nothing(): void {}

  @RequiresPermission('audit:read')
  closed(): void {}
}

describe('what a route asks of the caller', () => {
  it('is what is said of the method, in any order', () => {
    const both = { permission: 'customers:read', userSessionOnly: true };
    expect(accessRuleOf(Silent, Silent.prototype.both)).toEqual(both);
    expect(accessRuleOf(Silent, Silent.prototype.bothTheOtherWay)).toEqual(both);
    expect(accessRuleOf(Silent, Silent.prototype.nothing)).toBeUndefined();
  });

  it('is what is said of the controller too', () => {
    expect(accessRuleOf(SessionsOnly, SessionsOnly.prototype.nothing)).toEqual({ userSessionOnly: true });
    const both = { permission: 'webhooks:read', userSessionOnly: true };
    expect(accessRuleOf(SessionsOnly, SessionsOnly.prototype.more)).toEqual(both);
  });

  it('is the method alone when one of the two is public', () => {
    expect(accessRuleOf(SessionsOnly, SessionsOnly.prototype.open)).toEqual({ public: true });
    expect(accessRuleOf(Open, Open.prototype.nothing)).toEqual({ public: true });
    expect(accessRuleOf(Open, Open.prototype.closed)).toEqual({ permission: 'audit:read' });
  });
});
