import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startSystem, type System } from '../support/index.js';
import { playBatch } from './batch.ts';
import { missedControls } from './controls.ts';
import { Lane } from './lane.ts';
import { describe } from './tally.ts';

/*
 * A short run of `npm run model` with a fixed seed. The long one draws others.
 */
const SEED = 8;
const LANES = 4;
const NUMBERS = Array.from({ length: 8 }, (_, number) => number);

let system: System;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());

it('each history charges what the model says, and the ledger agrees', async () => {
  const found: string[] = [];
  let histories = 0;
  const ledger = await playBatch(system, {
    seed: SEED,
    numbers: NUMBERS.values(),
    lanes: LANES,
    shrinks: () => false,
    isOn: () => true,
    report: (reported) => {
      histories += 1;
      if (reported.played.findings.length > 0) found.push(describe(reported));
    },
  });
  expect(found).toEqual([]);
  expect(ledger).toEqual([]);
  expect(histories).toBe(NUMBERS.length);
}, 480_000);

it('a defect that is planted in what the product answers is found', async () => {
  expect(await missedControls(await Lane.open(system))).toEqual([]);
}, 480_000);
