import { describe, expect, it } from '@jest/globals';
import { counter, histogram, metricsPage, ObservedGauge } from './index.js';

const samplesOf = async (name: string) =>
  (await metricsPage()).split('\n').filter((line) => line.startsWith(`countinghouse_${name}`));

describe('the page of metrics', () => {
  it('has what was counted, under our prefix', async () => {
    const apples = counter('apples_total', 'Apples eaten', ['kind']);
    apples.inc({ kind: 'red' });
    apples.inc({ kind: 'red' }, 2);
    histogram('bite_seconds', 'Time of a bite', [0.1, 1]).observe(0.5);
    expect(await metricsPage()).toContain('# TYPE countinghouse_apples_total counter');
    expect(await samplesOf('apples')).toEqual(['countinghouse_apples_total{kind="red"} 3']);
    expect(await samplesOf('bite_seconds_bucket')).toEqual([
      'countinghouse_bite_seconds_bucket{le="0.1"} 0',
      'countinghouse_bite_seconds_bucket{le="1"} 1',
      'countinghouse_bite_seconds_bucket{le="+Inf"} 1',
    ]);
  });

  it('looks values up when it is asked for, and leaves out what cannot be read', async () => {
    const depth = new ObservedGauge('depth', 'How deep', ['well']);
    const stop = depth.observe(() => [{ labels: { well: 'a' }, value: 1 }]);
    depth.observe(async () => [{ labels: { well: 'b' }, value: 2 }]);
    const end = depth.observe(() => Promise.reject(new Error('no rope')));
    expect(await samplesOf('depth')).toEqual([
      'countinghouse_depth{well="a"} 1',
      'countinghouse_depth{well="b"} 2',
    ]);
    stop();
    end();
    expect(await samplesOf('depth')).toEqual(['countinghouse_depth{well="b"} 2']);
  });
});
