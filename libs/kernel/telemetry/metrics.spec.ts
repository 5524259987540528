import { describe, expect, it } from '@jest/globals';
import { createCounter, createHistogram, renderMetricsPage, ObservedGauges } from './index.js';

const samplesOf = async (name: string) =>
  (await renderMetricsPage()).split('\n').filter((line) => new RegExp(`^countinghouse_${name}`).test(line));

describe('the page of metrics', () => {
  it('has what was counted, under our prefix', async () => {
    const apples = createCounter('apples_total', 'Apples eaten', ['kind']);
    apples.inc({ kind: 'red' });
    apples.inc({ kind: 'red' }, 2);
    createHistogram('bite_seconds', 'Time of a bite', [0.1, 1]).observe(0.5);
    expect(await renderMetricsPage()).toContain('# TYPE countinghouse_apples_total counter');
    expect(await samplesOf('apples')).toEqual(['countinghouse_apples_total{kind="red"} 3']);
    expect(await samplesOf('bite_seconds_bucket')).toEqual([
      'countinghouse_bite_seconds_bucket{le="0.1"} 0',
      'countinghouse_bite_seconds_bucket{le="1"} 1',
      'countinghouse_bite_seconds_bucket{le="+Inf"} 1',
    ]);
  });

  it('looks values up together when it is asked for, and leaves out what cannot be read', async () => {
    const wells = new ObservedGauges({ depth: ['depth', 'How deep'], frogs: ['frogs', 'How many'] }, [
      'well',
    ]);
    let looks = 0;
    const stop = wells.addReader(() => {
      looks++;
      return [{ labels: { well: 'a' }, values: { depth: 1, frogs: 3 } }];
    });
    wells.addReader(async () => [{ labels: { well: 'b' }, values: { depth: 2 } }]);
    wells.addReader(() => Promise.reject(new Error('no rope')));
    const page = await samplesOf('(depth|frogs)');
    expect(page).toEqual([
      'countinghouse_depth{well="a"} 1',
      'countinghouse_depth{well="b"} 2',
      'countinghouse_frogs{well="a"} 3',
    ]);
    expect(looks).toBe(1);
    stop();
    expect(await samplesOf('(depth|frogs)')).toEqual(['countinghouse_depth{well="b"} 2']);
  });

  it('has no value of a gauge without labels that cannot be read', async () => {
    const hole = new ObservedGauges({ width: ['width', 'How wide'] });
    expect(await samplesOf('width')).toEqual([]);
    const stop = hole.addReader(() => [{ labels: {}, values: { width: 7 } }]);
    expect(await samplesOf('width')).toEqual(['countinghouse_width 7']);
    stop();
    expect(await samplesOf('width')).toEqual([]);
  });
});
