import { describe, expect, it } from '@jest/globals';
import { RequestEventKeys } from './request-event-keys.js';

const SECRET = 'a secret that is long enough for the keys of events';
const keys = new RequestEventKeys([SECRET]);
const event = (n: number): object => ({ customerId: 'a', eventName: 'call', properties: { n, m: 1 } });
const keysOf = (...events: unknown[]) => keys.keysOf('request', events);

describe('the keys of the events of a request', () => {
  it('are the same for equal events, however their fields are ordered, and at whatever index they are', () => {
    const [one, two] = keysOf(event(1), event(2));
    const reordered = { properties: { m: 1, n: 2 }, eventName: 'call', customerId: 'a' };
    expect(keysOf(5, reordered, event(1)).slice(1)).toEqual([two, one]);
  });

  it('differ for other events, for equal events of one request, and for other requests', () => {
    const equal = keysOf(event(1), event(1), event(2));
    expect(new Set([...equal, ...keys.keysOf('other request', [event(1)])]).size).toBe(4);
    expect(keysOf(event(1), event(2), event(1))).toEqual([equal[0], equal[2], equal[1]]);
  });

  it('are known by the former secret too while the secret is replaced', () => {
    const events = [event(1), event(1)];
    const replaced = new RequestEventKeys(['a new secret', SECRET]);
    expect(replaced.formerKeysOf('request', events)).toEqual(keys.keysOf('request', events));
    expect(replaced.keysOf('request', events)).toEqual(
      new RequestEventKeys(['a new secret']).keysOf('request', events),
    );
    expect(keys.formerKeysOf('request', events)).toBeUndefined();
  });
});
