import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CardEntryLimit } from './card-entry-limit.js';

let limit: CardEntryLimit;

beforeEach(() => {
  limit = new CardEntryLimit();
});

/** Sets the time that has passed since the process started, in seconds. */
function setSeconds(seconds: number): void {
  jest.spyOn(process.hrtime, 'bigint').mockReturnValue(BigInt(seconds) * 1_000_000_000n);
}

function enter(count: number, token: (card: number) => string = () => 'a', workspaceId = 'acc_1'): void {
  for (let card = 0; card < count; card += 1) limit.count(workspaceId, token(card));
}

const refusal = (retryAfterSeconds: number) =>
  expect.objectContaining({ status: 429, code: 'too_many_cards', retryAfterSeconds });

describe('the limit of cards by links', () => {
  it('is ten in ten minutes by a link, and counts each link by itself', () => {
    setSeconds(1_000);
    enter(10);
    setSeconds(1_100);
    expect(() => enter(1)).toThrow(refusal(500));
    enter(1, () => 'b');
    setSeconds(1_600);
    enter(10);
  });

  it('is thirty in a day by a link', () => {
    for (const at of [1_000, 2_000, 3_000]) {
      setSeconds(at);
      enter(10);
    }
    setSeconds(4_000);
    expect(() => enter(1)).toThrow(refusal(83_400));
    setSeconds(87_400);
    enter(10);
  });

  it('is 500 in ten minutes by all links of a workspace, and counts each workspace by itself', () => {
    setSeconds(1_000);
    enter(500, String);
    expect(() => enter(1, () => 'another')).toThrow(refusal(600));
    enter(1, () => 'another', 'acc_2');
    setSeconds(1_600);
    enter(1, () => 'another');
  });
});
