import { describe, expect, it } from '@jest/globals';
import { projections } from '#projections';
import type { ReadModelState, ReadSideState } from '#libs/kernel/projection';
import { renderReadModelScreen } from './screen.js';

const SIZE = { columns: 80, rows: 24 };
const live = (name: string, more: Partial<ReadModelState> = {}): ReadModelState => ({
  name,
  version: 12,
  ownVersion: 12,
  isCurrent: true,
  position: 46n,
  builds: [],
  lag: { positions: 0, seconds: 0 },
  bytes: 65_536,
  oldBytes: 0,
  ...more,
});
const side = (models: ReadModelState[], projectorAtWork = true): ReadSideState => ({
  projectorAtWork,
  models,
});
const failed = (error: string): ReadModelState['builds'] =>
  [
    { purpose: 'rebuild', position: 12_345_678n, state: 'filling', error, isRunning: false },
  ] as unknown as ReadModelState['builds'];
const defaults = projections.map(({ name }) => name);

function linesOf(state: ReadSideState, size = SIZE): string[] {
  const lines = renderReadModelScreen(state, size).split('\n');
  expect(lines.length).toBeLessThanOrEqual(size.rows);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(size.columns);
  return lines;
}

describe('the read models on a screen of 80 × 24', () => {
  it('are all shown on a few lines more, each on one line', () => {
    const lines = linesOf(side(defaults.map((name) => live(name))), { ...SIZE, rows: 30 });
    expect(lines[0]).toMatch(/^read model +version +position +behind +seconds +size +state$/);
    expect(lines.slice(1, -1).map((line) => line.split(' ')[0])).toEqual(defaults);
    expect(lines.at(-1)).toBe('A projector is at work');
  });

  it('omit the least important columns if numbers are large, and cut long lines', () => {
    const large = {
      position: 123_456_789_012n,
      lag: { positions: 12_345_678, seconds: 4_000.5 },
      bytes: 2 ** 40,
      oldBytes: 2 ** 40,
    };
    const error = `The handler of customers fails at position 12345678 of the stream ${'x'.repeat(90)}`;
    const models = defaults.map((name, i) =>
      live(name, { ...large, ...(i === 2 ? { builds: failed(error) } : {}) }),
    );
    const lines = linesOf(side(models, false));
    expect(lines[0]).toMatch(/^read model .*behind .*state$/);
    expect(lines[0]).not.toContain('version');
    expect(lines[3]).toContain('live; rebuild failed');
    expect(lines.at(-2)).toMatch(/^The handler of customers fails .*…$/);
    expect(lines.at(-1)).toBe('No projector is at work, so the read models do not change');
  });

  it('are summed up if there are too many, after those that need attention', () => {
    const names = Array.from({ length: 40 }, (_, n) => `model-${n}`);
    const models = names.map((name, n) =>
      live(name, n === 38 ? { isCurrent: false } : { lag: { positions: n === 39 ? 7 : 1, seconds: 0.1 } }),
    );
    const lines = linesOf(side(models));
    expect(lines).toHaveLength(24);
    expect(lines.slice(-4)).toEqual([
      expect.stringMatching(/^model-38 .*waits for version 12$/),
      expect.stringMatching(/^model-39 /),
      '… and 19 more: all live, at most 1 behind',
      'A projector is at work',
    ]);
  });

  it('fit smaller screens too', () => {
    const models = defaults.map((name) => live(name, { isCurrent: false, builds: failed('It fails') }));
    for (const rows of [6, 10, 18])
      for (const columns of [20, 40, 60]) linesOf(side(models), { columns, rows });
    expect(linesOf(side(models), { columns: 60, rows: 10 }).join('\n')).toMatch(
      /… and \d+ more: \d+ not live/,
    );
  });
});
