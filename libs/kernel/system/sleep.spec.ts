import { describe, expect, it } from '@jest/globals';
import { sleep } from './sleep.js';

describe('a pause', () => {
  it('ends after its time', async () => {
    const began = performance.now();
    await sleep(20, new AbortController().signal);
    // Node's timers may end a millisecond early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(19);
  });

  it('ends without an error when its signal is aborted', async () => {
    const abort = new AbortController();
    const pause = sleep(60_000, abort.signal);
    abort.abort(new Error('the process stops'));
    await expect(pause).resolves.toBeUndefined();
  });

  it('does not begin if its signal was aborted before', async () => {
    await expect(sleep(60_000, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
