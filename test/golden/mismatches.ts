import { sameValues } from '../support/same-values.ts';
import { evaluate, type GoldenCase } from './adapter/index.ts';

/** A field of a case that came out as something else. `actual` is an Error where nothing came out. */
export interface Mismatch {
  readonly id: string;
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** What of a case does not come out as expected. Decimals are compared to the digit. */
export function mismatchesOf(golden: GoldenCase): Mismatch[] {
  const { id, expect } = golden;
  let actual: Readonly<Record<string, unknown>>;
  try {
    actual = evaluate(golden);
  } catch (error) {
    return [{ id, field: golden.given.kind, expected: expect, actual: error }];
  }
  return Object.entries(expect)
    .filter(([field, expected]) => !sameValues(actual[field], expected))
    .map(([field, expected]) => ({ id, field, expected, actual: actual[field] }));
}
