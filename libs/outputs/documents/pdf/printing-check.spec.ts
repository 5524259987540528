import { describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '#libs/kernel/system';
import { PrintingCheck } from './printing-check.js';

const logger = createLogger('test', 'silent');
const refused = { message: 'Chromium cannot be started; the log says why' };
const noChrome = () => Promise.reject(new Error('CHROME_PATH is "/nope", where there is no file'));

/** Sets the time that has passed since the process started, in seconds. */
function setSeconds(seconds: number): void {
  jest.spyOn(process.hrtime, 'bigint').mockReturnValue(BigInt(seconds) * 1_000_000_000n);
}

describe('the check of printing', () => {
  it('starts a browser once, however often it is asked', async () => {
    const tryOut = jest.fn(() => Promise.resolve());
    const check = new PrintingCheck(tryOut, logger);
    await Promise.all([check.check(), check.check()]);
    await check.check();
    expect(tryOut).toHaveBeenCalledTimes(1);
  });

  it('fails while no browser can be started, and tries again after half a minute', async () => {
    const tryOut = jest.fn(noChrome);
    const check = new PrintingCheck(tryOut, logger);
    setSeconds(100);
    await expect(check.check()).rejects.toMatchObject(refused);
    setSeconds(129);
    await expect(check.check()).rejects.toMatchObject(refused);
    expect(tryOut).toHaveBeenCalledTimes(1);
    tryOut.mockResolvedValue(undefined as never);
    setSeconds(131);
    await check.check();
    expect(tryOut).toHaveBeenCalledTimes(2);
  });

  it('learns from the browsers that print', async () => {
    const check = new PrintingCheck(() => Promise.resolve(), logger);
    await expect(check.watch(noChrome())).rejects.toThrow('CHROME_PATH');
    await expect(check.check()).rejects.toMatchObject(refused);
    await check.watch(Promise.resolve('a browser'));
    await check.check();
  });

  it('logs when it begins to fail and when it ends, each once', async () => {
    const [error, info] = [jest.fn(), jest.fn()];
    const check = new PrintingCheck(noChrome, { ...logger, error, info } as never);
    for (let time = 0; time < 2; time += 1) await check.check().catch(() => undefined);
    await check.watch(noChrome()).catch(() => undefined);
    expect(error).toHaveBeenCalledTimes(1);
    for (let time = 0; time < 2; time += 1) await check.watch(Promise.resolve());
    expect(info).toHaveBeenCalledTimes(1);
  });
});
