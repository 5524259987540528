import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { MutantResult } from '@stryker-mutator/api/core';
import { isExplained, needlessIn, survivorsOf, type Explanations } from './survivors.ts';

const root = import.meta.dirname;
const file = 'survivors.spec.ts';
/** A mutant of the text `survivors` in the seventh line of this file. */
const mutant = (status: MutantResult['status'], replacement = '""'): MutantResult =>
  ({
    fileName: join(root, file),
    status,
    replacement,
    location: { start: { line: 7, column: 14 }, end: { line: 7, column: 33 } },
  }) as MutantResult;
const line = "const file = 'survivors.spec.ts';";
const survivor = { file, lineNumber: 7, line, mutant: `'survivors.spec.ts' → ""`, reached: true };
const explanations: Explanations = {
  [file]: [{ line, mutants: [survivor.mutant], reason: 'Any name would do.' }],
};

describe('the survivors of a run', () => {
  it('are told by their line, and what was put in the place of what', () => {
    expect(survivorsOf([mutant('Killed'), mutant('Survived'), mutant('NoCoverage')], root)).toEqual([
      survivor,
      { ...survivor, reached: false },
    ]);
  });

  it('are explained by their line and what was changed there', () => {
    expect(isExplained(survivor, explanations)).toBe(true);
    expect(isExplained({ ...survivor, lineNumber: 99 }, explanations)).toBe(true);
    expect(isExplained({ ...survivor, line: `export ${line}` }, explanations)).toBe(false);
    expect(isExplained({ ...survivor, mutant: `'survivors.spec.ts' → "x"` }, explanations)).toBe(false);
    expect(isExplained({ ...survivor, file: 'other.ts' }, explanations)).toBe(false);
  });

  it('need their explanation as long as they survive', () => {
    expect(needlessIn(explanations, new Set([file]), [survivor])).toEqual([]);
    expect(needlessIn(explanations, new Set([file]), [])).toEqual([`${file}: ${line}: ${survivor.mutant}`]);
    expect(needlessIn(explanations, new Set(['other.ts']), [])).toEqual([]);
  });
});
