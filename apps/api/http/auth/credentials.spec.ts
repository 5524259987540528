import { describe, expect, it } from '@jest/globals';
import { Unauthenticated } from '#libs/kernel/core';
import { credentialOf } from './credentials.js';

describe('the credential of a request', () => {
  it('comes as a bearer token or as an API key', () => {
    expect(credentialOf({ authorization: 'Bearer abc.def' })).toEqual({
      value: 'abc.def',
      mustBeApiKey: false,
    });
    expect(credentialOf({ authorization: 'bearer  svc_x' })).toEqual({ value: 'svc_x', mustBeApiKey: false });
    expect(credentialOf({ 'x-api-key': 'svc_x' })).toEqual({ value: 'svc_x', mustBeApiKey: true });
    expect(credentialOf({})).toBeUndefined();
  });

  it('may come both ways if it is the same', () => {
    const both = { authorization: 'Bearer svc_x', 'x-api-key': 'svc_x' };
    expect(credentialOf(both)).toEqual({ value: 'svc_x', mustBeApiKey: true });
    expect(() => credentialOf({ ...both, 'x-api-key': 'svc_y' })).toThrow(Unauthenticated);
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'Bearer a b',
    'Bearer a, Bearer b',
    'svc_x',
    'Bearer \u00ff',
  ])('is not in "Authorization: %s"', (authorization) =>
    expect(() => credentialOf({ authorization })).toThrow(Unauthenticated),
  );
});
