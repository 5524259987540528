import { describe, expect, it } from '@jest/globals';
import { closestName } from './closest-name.js';

const NAMES = ['limit', 'offset', 'customer_id', 'externalId', 'status', 'page', 'page_size'];

describe('the closest name', () => {
  it.each([
    ['customerId', 'customer_id'],
    ['customer', 'customer_id'],
    ['external-id', 'externalId'],
    ['LIMIT', 'limit'],
    ['limt', 'limit'],
    ['ofset', 'offset'],
    ['staus', 'status'],
    ['pgae', 'page'],
    ['limti', 'limit'],
    ['pagesize', 'page_size'],
    ['pages', 'page'],
  ])('to %s is %s', (text, name) => expect(closestName(text, NAMES)).toBe(name));

  it.each(['colour', 'x', '', 'id', 'customer_id'.repeat(20)])('to %s is none', (text) =>
    expect(closestName(text, NAMES)).toBeUndefined(),
  );
});
