import { expect, it } from '@jest/globals';
import { isPortalUrl } from './portal-cors.js';

it.each([
  ['/v1/portal/me', true],
  ['/v1/portal/plan-change/preview?planId=a', true],
  ['/v1/portal/sessions-of-mine', true],
  ['/v1/portal/sessions', false],
  ['/v1/portal/sessions?customerId=a', false],
  ['/v1/portal/sessions/pses_1', false],
  ['/v1/portal', false],
  ['/v1/customers', false],
  ['/x/v1/portal/me', false],
])('browsers may call %s: %s', (url, expected) => expect(isPortalUrl(url)).toBe(expected));
