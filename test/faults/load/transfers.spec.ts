import { expect, it } from '@jest/globals';
import { restAfterPart } from './transfers.ts';

it('leaves an exact rest of an amount due after the first transfer', () => {
  expect(restAfterPart(130.2)).toBe(127.7);
});
